"""Try which profilers and counters work here, and say the line that fixes each of the others."""

import resource

from perfproof.machine.probing import measuring_works, probe_all
from perfproof.triage.evidence import Evidence

DEADLINE = 25
SETTINGS = {
    "perf_event_paranoid": "/proc/sys/kernel/perf_event_paranoid",
    "kptr_restrict": "/proc/sys/kernel/kptr_restrict",
    "ptrace_scope": "/proc/sys/kernel/yama/ptrace_scope",
    "dmesg_restrict": "/proc/sys/kernel/dmesg_restrict",
}
LIMITS = {
    "open_files": resource.RLIMIT_NOFILE,
    "processes": resource.RLIMIT_NPROC,
    "locked_bytes": resource.RLIMIT_MEMLOCK,
    "stack_bytes": resource.RLIMIT_STACK,
    "core_bytes": resource.RLIMIT_CORE,
}


def collect(evidence: Evidence) -> None:
    settings = {name: evidence.read(path) or "unknown: it cannot be read" for name, path in SETTINGS.items()}
    limits = {name: _limit(resource.getrlimit(number)[0]) for name, number in LIMITS.items()}
    evidence.save("can", {"settings": settings, "limits": limits, "fit": None, "rows": []})  # kept if a probe hangs
    rows = probe_all()
    found = {
        "settings": settings,
        "limits": limits,
        "fit": measuring_works(rows),
        "rows": [row.model_dump() for row in rows],
    }
    evidence.save("can", found)


def _limit(value: int) -> int | str:
    return "no limit" if value == resource.RLIM_INFINITY else value
