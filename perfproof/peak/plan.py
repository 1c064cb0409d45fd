"""What a probe is told: the device, how long, how large, which names; sent to each probe's process as JSON."""

import json
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from typing import Any

from perfproof.core.units import GiB, MiB

FULL_REPEATS, QUICK_REPEATS = 15, 5
UNKNOWN_ROOM = GiB  # of memory, if the kernel does not tell how much is free


@dataclass(frozen=True)
class Plan:
    device: str = "cpu"
    quick: bool = False
    only: tuple[str, ...] = ()
    repeats: int = FULL_REPEATS
    sample_seconds: float = 0.05  # the shortest sample by the host's clock; a device's is 2 ms, by its own events
    idle_seconds: float = 1.0  # rest before a burst
    sustained_seconds: float = 3.0  # readings of continuous work; the first second of it is not read
    settle_seconds: float = 1.0
    memory_bytes: int = 4 * GiB  # of main memory, for working sets
    file_bytes: int = GiB  # of disk, for the file that is read back
    device_bytes: int = 2 * GiB  # a buffer on a GPU
    threads: tuple[int, ...] = (1,)  # thread counts on the CPU; the last is all cores
    cache_bytes: int | None = None  # the CPU's last-level cache
    folder: str = "."  # where the disk is measured

    def wants(self, name: str) -> bool:
        return matches(name, self.only)

    def to_json(self) -> str:
        return json.dumps(asdict(self))


def from_json(text: str) -> Plan:
    fields: dict[str, Any] = json.loads(text)
    return Plan(**{**fields, "only": tuple(fields["only"]), "threads": tuple(fields["threads"])})


def make_plan(seen: dict[str, Any], quick: bool, only: tuple[str, ...], folder: str, free_bytes: int) -> Plan:
    """The plan for the machine that `seen`, a snapshot, describes; `free_bytes` are free where `folder` lies."""
    device, memory = seen["device"], seen["memory"]
    sizes = (memory["available_bytes"], memory["cgroup_limit_bytes"])
    room = min((size for size in sizes if size is not None), default=UNKNOWN_ROOM)
    cores = int(min(seen["cpu"]["cores_allowed"], seen["cpu"]["quota_cpus"] or seen["cpu"]["cores_allowed"]))
    return Plan(
        device=device,
        quick=quick,
        only=only,
        repeats=QUICK_REPEATS if quick else FULL_REPEATS,
        sample_seconds=0.02 if quick else 0.05,
        idle_seconds=(0.1 if device == "cpu" else 0.2) if quick else 1.0,
        sustained_seconds=(2.0 if quick else 4.0) if device != "cpu" else (0.5 if quick else 3.0),
        settle_seconds=1.0 if device != "cpu" else 0.2,
        memory_bytes=room // 4,
        file_bytes=min(128 * MiB if quick else GiB, free_bytes // 10),
        threads=thread_counts(max(1, cores), quick),
        cache_bytes=seen["cpu"]["last_level_cache_bytes"],
        folder=folder,
    )


def thread_counts(cores: int, quick: bool) -> tuple[int, ...]:
    """1, 2, 4, ... and all cores; quickly, one and all."""
    powers = {2**power for power in range(cores.bit_length())}
    return tuple(sorted({1, cores} if quick else {*powers, cores}))


def matches(name: str, only: tuple[str, ...]) -> bool:
    """`gemm` takes every name below it, `gemm/*/burst` is a glob; no wish takes everything."""
    return not only or any(name == one or name.startswith(f"{one}/") or fnmatchcase(name, one) for one in only)


def may_match(declared: str, only: tuple[str, ...]) -> bool:
    """May a probe that declares `declared`, perhaps a glob such as `cache/*`, give something that is asked for?"""
    return matches(declared, only) or any(fnmatchcase(one, declared) for one in only)


def scratch_prefix(process: int) -> str:
    """How the folders begin that a probe makes beside the user's files: whoever ends the probe removes them."""
    return f".perfproof-disk-{process}-"
