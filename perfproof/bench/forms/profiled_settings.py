"""What the child that makes a pair's steady calls for a profiler is told. Loaded by the command line: no torch."""

from pathlib import Path
from typing import Any

from perfproof.bench.job import Job


def settings_of(job: Job, side: str, calls: int | None, seconds: float | None, scratch: Path) -> dict[str, Any]:
    """What the child needs. `calls`: None lets the length of a call decide; `seconds`: so long, for samplers."""
    return {
        "spec": job.spec,
        "side": side,
        "sizes": job.sizes,
        "clock": job.clock,
        "seed": job.rng("profile").getrandbits(62),
        "sample_seconds": job.sample_seconds,
        "cpus": list(job.cpus),
        "threads": job.threads,
        "calls": calls,
        "seconds": seconds,
        "scratch": str(scratch),
    }
