"""Main memory as the CPU reaches it: copy, triad, read and write over arrays larger than the last cache, by threads.

Bytes are those that the program asks for. A store to a line that is not in the cache makes the CPU read that line first
(write-allocate), so copy, triad and write move more over the bus than is counted here, as in STREAM.
"""

from collections.abc import Iterator

import torch

from perfproof.core.units import MiB, binary_bytes
from perfproof.peak.found import Found, rate
from perfproof.peak.plan import Plan
from perfproof.peak.timing import Call, host_samples

devices = ("cpu",)
measures = ("memory/copy", "memory/triad", "memory/read", "memory/write", "memory/copy/*", "memory/triad/*")
timeout = 300

LEAST_BYTES = 64 * MiB
TILE = 4 * MiB  # elements of random values that an array repeats
BY_THREADS = ("copy", "triad")
COUNTED = {
    "copy": (2, "a = b: read and write, 8 bytes an element; write-allocate reads are not counted"),
    "triad": (3, "a = b + s c: two reads and a write, 12 bytes an element; write-allocate reads are not counted"),
    "read": (2, "dot(b, c): two reads, 8 bytes an element"),
    "write": (1, "a = s: 4 bytes an element; write-allocate reads are not counted"),
}


def probe(plan: Plan) -> Iterator[Found]:
    size = array_bytes(plan)
    torch.set_num_threads(plan.threads[-1])  # pages land where the threads that use them run
    arrays = [_random(size // 4) for _ in range(3)]
    for threads in plan.threads:
        torch.set_num_threads(threads)
        for name, call in operations(*arrays).items():
            every_core = threads == plan.threads[-1]
            full = f"memory/{name}" if every_core else f"memory/{name}/threads-{threads}"
            if plan.wants(full) and (every_core or name in BY_THREADS):
                yield _measure(full, name, call, size, threads, plan)


def array_bytes(plan: Plan) -> int:
    """Each of three arrays: one and a half times the last cache, as far as memory goes."""
    wanted = max(LEAST_BYTES, 3 * (plan.cache_bytes or 0) // 2)
    return max(4096, min(wanted, plan.memory_bytes // 4) // 4096 * 4096)


def operations(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> dict[str, Call]:
    return {
        "copy": lambda: a.copy_(b),
        "triad": lambda: torch.add(b, c, alpha=3.0, out=a),
        "read": lambda: torch.dot(b, c),
        "write": lambda: a.fill_(3.25),
    }


def _measure(full: str, name: str, call: Call, size: int, threads: int, plan: Plan) -> Found:
    arrays, counted = COUNTED[name]
    found = rate(full, arrays * size, host_samples(call, plan), "bytes/s", counted)
    found.sizes = {"array_bytes": size, "working_set_bytes": arrays * size}
    found.context = {"threads": threads, "last_level_cache_bytes": plan.cache_bytes}
    if plan.cache_bytes and arrays * size < plan.cache_bytes:
        found.finding = f"{binary_bytes(arrays * size)} fit into the last cache ({binary_bytes(plan.cache_bytes)})"
    return found


def _random(count: int) -> torch.Tensor:
    array = torch.empty(count).fill_(0.0)  # touched in parallel first, so that memory of every node is used
    tile = torch.randn(min(count, TILE))
    for start in range(0, count, TILE):
        array[start : start + TILE].copy_(tile[: min(TILE, count - start)])
    return array
