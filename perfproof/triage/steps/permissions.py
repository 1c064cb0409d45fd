"""Try which profilers and counters work here, and say the line that fixes each of the others."""

import resource

from perfproof.core.triage_parts import TriageCan
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
    found = TriageCan(settings=settings, limits=limits)
    evidence.save("can", found.model_dump())  # kept if a probe hangs
    found.rows = probe_all()
    found.fit = measuring_works(found.rows)
    evidence.save("can", found.model_dump())


def _limit(value: int) -> int | str:
    return "no limit" if value == resource.RLIM_INFINITY else value
