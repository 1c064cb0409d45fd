"""Latency of caches and memory: a chain of loads, each of which needs the one before, through shuffled lines."""

import ctypes
from collections.abc import Iterator

import numpy as np

from perfproof.core.units import KiB, MiB
from perfproof.peak import native
from perfproof.peak.found import Found, duration
from perfproof.peak.plan import Plan
from perfproof.peak.timing import host_samples

devices = ("cpu",)
measures = ("latency/*",)
timeout = 120

SIZES = (16 * KiB, 512 * KiB, 16 * MiB, 64 * MiB, 256 * MiB, 1024 * MiB)
QUICK_SIZES = (16 * KiB, 512 * KiB, 16 * MiB, 1024 * MiB)
LINE = 64  # bytes from one link of the chain to the next, at least
STEPS = 20_000


def probe(plan: Plan) -> Iterator[Found]:
    loops = native.load()
    for size in working_sets(plan):
        name = f"latency/{size // MiB}MiB" if size >= MiB else f"latency/{size // KiB}KiB"
        if plan.wants(name):
            yield _measure(name, size, loops, plan)


def working_sets(plan: Plan) -> list[int]:
    sizes = QUICK_SIZES if plan.quick else SIZES
    last = next((size for size in sizes if size > (plan.cache_bytes or 64 * MiB)), sizes[-1])
    return [size for size in sizes if size <= min(last, plan.memory_bytes // 3)]


def _measure(name: str, size: int, loops: ctypes.CDLL, plan: Plan) -> Found:
    chain = one_cycle(size // LINE)
    at = 0

    def steps() -> None:
        nonlocal at  # goes on where it stopped: a large chain is not walked at its start only
        at = loops.chase(chain.ctypes.data, at, STEPS)

    seconds = [one / STEPS for one in host_samples(steps, plan)]
    counted = "one dependent load, at a random line of the working set; page-table walks included"
    return duration(name, seconds, counted, {"working_set_bytes": size, "stride_bytes": LINE}, {"threads": 1})


def one_cycle(lines: int) -> np.ndarray:
    """An array of 8-byte words in which following the index visits every line once, in random order, and returns."""
    words = LINE // 8
    order = np.random.default_rng().permutation(lines).astype(np.uint64)
    chain = np.zeros(lines * words, dtype=np.uint64)
    chain[order * np.uint64(words)] = np.roll(order, -1) * np.uint64(words)
    return chain
