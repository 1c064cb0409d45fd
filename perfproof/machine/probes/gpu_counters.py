"""Permission for the GPU's counters: what ncu, CUPTI metrics and nsys --gpu-metrics need."""

from perfproof.core.doctor import Finding
from perfproof.machine import counter_permission, gpus
from perfproof.machine.snapshot import in_container

GROUP, FOR_GPUS = "counters", True
NAME = "GPU counters"


def probe() -> Finding:
    seen = gpus.read_gpus()
    if not seen.found:
        return Finding(name=NAME, state="absent", why=seen.why_none)
    return judge(counter_permission.admin_only(), counter_permission.is_admin(), in_container())


def judge(admin_only: bool | str, admin: bool | None, container: bool) -> Finding:
    if isinstance(admin_only, str):
        return Finding(name=NAME, state="unknown", why=admin_only.removeprefix("unknown: "))
    if not admin_only:
        return Finding(name=NAME, state="works", why="the driver gives them to everybody (RmProfilingAdminOnly: 0)")
    if admin:
        return Finding(name=NAME, state="works", why="for administrators only, and this process is one (CAP_SYS_ADMIN)")
    fix = counter_permission.CONTAINER_FIX if container else counter_permission.FIX
    script = "" if container else counter_permission.SCRIPT
    why = "the driver keeps them for administrators (RmProfilingAdminOnly: 1, no CAP_SYS_ADMIN)"
    return Finding(name=NAME, state="denied", why=why, fix=fix, script=script)
