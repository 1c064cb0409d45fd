"""Bandwidth of the caches: one thread reads a working set over and over, from 16 KiB up to beyond the last cache."""

import ctypes
from collections.abc import Iterator

import numpy as np

from perfproof.core.units import KiB, MiB
from perfproof.peak import native
from perfproof.peak.found import Found, rate
from perfproof.peak.plan import Plan
from perfproof.peak.timing import host_samples

devices = ("cpu",)
measures = ("cache/*",)
timeout = 120

SIZES = (16 * KiB, 32 * KiB, 128 * KiB, 512 * KiB, MiB, 4 * MiB, 16 * MiB, 64 * MiB, 256 * MiB, 1024 * MiB)
QUICK_SIZES = (32 * KiB, 512 * KiB, MiB, 4 * MiB, 16 * MiB, 64 * MiB, 1024 * MiB)
BATCH_BYTES = 8 * MiB  # read by one call at least: the call itself then costs nothing


def probe(plan: Plan) -> Iterator[Found]:
    loops = native.load()
    for size in working_sets(plan):
        name = f"cache/{label(size)}"
        if plan.wants(name):
            yield _measure(name, size, loops, plan)


def working_sets(plan: Plan) -> list[int]:
    """Up to the first that is larger than the last cache, as far as memory goes."""
    sizes = QUICK_SIZES if plan.quick else SIZES
    last = next((size for size in sizes if size > (plan.cache_bytes or 64 * MiB)), sizes[-1])
    return [size for size in sizes if size <= min(last, plan.memory_bytes // 2)]


def label(size: int) -> str:
    return f"{size // MiB}MiB" if size >= MiB else f"{size // KiB}KiB"


def _measure(name: str, size: int, loops: ctypes.CDLL, plan: Plan) -> Found:
    data = aligned_noise(size)
    rounds = max(1, BATCH_BYTES // size)
    seconds = host_samples(lambda: loops.read_all(data.ctypes.data, size, rounds), plan)
    counted = "bytes loaded into vector registers by one thread, 64 at a time"
    return rate(name, size * rounds, seconds, "bytes/s", counted, {"working_set_bytes": size}, {"threads": 1})


def aligned_noise(size: int) -> np.ndarray:
    """Random normal values at an address that is a multiple of 64."""
    tile = np.random.default_rng().standard_normal(min(size, 4 * MiB) // 4, dtype=np.float32)
    raw = np.empty(size + 64, dtype=np.uint8)
    start = -raw.ctypes.data % 64
    data = raw[start : start + size].view(np.float32)
    data.reshape(-1, tile.size)[:] = tile
    return data
