"""A saved run with everything that a page can show, and samples to draw."""

import gzip
import json
import math
import random
from statistics import fmean

from perfproof.core.documents import (
    Check,
    Error,
    Kernel,
    Light,
    Memory,
    Ranks,
    RankTimes,
    RatioResult,
    TargetResult,
    VariantResult,
    Warning,
)
from perfproof.stats.quads import ORDERS

BASE, FAST = 2e-3, 1e-3


def sample_rows(launches=4, quads=20, drift=0.1, seed=1, kind="optimized", dropped=0):
    """Rows as a run stores them, two processes a launch; the machine slows down by `drift` over the whole run."""
    rng = random.Random(seed)
    rows, now = [], 1_000
    total = launches * 2 * quads * 4
    for launch in range(launches):
        for slot in (1, -1):
            for quad in range(quads):
                for letter in ORDERS[quad % 4]:
                    side = "baseline" if letter == "A" else kind
                    level = (BASE if side == "baseline" else FAST) * (1 + drift * len(rows) / total)
                    seconds = level * math.exp(rng.gauss(0, 0.01))
                    row = {"launch": launch, "couple": 0, "slot": slot, "order": 4 * (quad // 10), "rung": "plain"}
                    row |= {"clock": "call", "kind": kind, "side": side, "calls": 3, "start_ns": now}
                    row |= {"end_ns": now + 900, "seconds": seconds, "valid": quad >= dropped}
                    rows.append(row)
                    now += 1_000
    return rows


def log_times_of(rows, side):
    """Log seconds per call of every launch, by hand: mean over slots of the log of the mean over whole quads."""
    launches = {}
    for at in range(0, len(rows), 4):
        four = rows[at : at + 4]
        if all(row["valid"] for row in four):
            own = [row["seconds"] for row in four if row["side"] == side]
            launches.setdefault(four[0]["launch"], {}).setdefault(four[0]["slot"], []).extend(own)
    return [sum(math.log(fmean(own)) for own in slots.values()) / len(slots) for slots in launches.values()]


def units_of(rows):
    sides = (log_times_of(rows, side) for side in ("baseline", "optimized"))
    return [before - after for before, after in zip(*sides, strict=True)]


def write_samples(folder, rows, name="samples/one.jsonl.gz"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return name


def _side(seconds, factor, straggler):
    return VariantResult(
        times={"call": seconds, "kernel": seconds * 0.9, "latency": seconds * 1.2},
        hot_seconds=seconds * 0.8,
        enqueue_seconds=9e-6,
        clock_hz=1.98e9,
        kernels=[Kernel(name="void gemm<128, 256>(Args)", count=1, seconds=seconds * 0.7)],
        memory=Memory(peak_bytes=int(factor * 2**20), processes=3, exact=True, counter="CUDA allocator"),
        setup_seconds=0.25,
        first_call_seconds=1.75,
        cpu_share=0.98,
        startup_seconds=1.5,
        light=Light(
            fastest_seconds=5e-4, share=5e-4 / seconds, bound="memory", ceiling="memory/copy", bytes_per_second=3e12
        ),
        energy_joules=0.5 * factor,
        ranks=RankTimes(spread=0.07, straggler=straggler, straggler_share=0.9),
        error=Error(rms_relative=1e-4, max_absolute=0.1, of_tolerance=0.25, calls_checked=9),
    )


def rich_target(name="ch07:everything", **fields):
    """A target in which no part of the document is empty."""
    rows = sample_rows()
    units = units_of(rows)
    ratio = math.exp(sum(units) / len(units))
    judged = RatioResult(
        verdict="faster",
        ratio=ratio,
        low=ratio * 0.99,
        high=ratio * 1.01,
        baseline=math.exp(fmean(log_times_of(rows, "baseline"))),
        variant=math.exp(fmean(log_times_of(rows, "optimized"))),
        typical=ratio,
        typical_low=ratio * 0.98,
        typical_high=ratio * 1.02,
        launches=4,
        processes=8,
        quads=160,
        delta=0.01,
        smallest_effect=0.004,
        twin=0.001,
        units=units,
    )
    values = {
        "status": "ok",
        "verdict": "faster",
        "lesson": "Do less.",
        "tier": "vendor",
        "device": "cuda:0",
        "sizes": {"rows": 16384, "dtype": "bfloat16"},
        "variants": {"baseline": _side(BASE, 2, 1), "optimized": _side(FAST, 1, 0)},
        "ratios": {"optimized": judged},
        "checks": [
            Check(name="matches the reference", result="pass"),
            Check(name="speed of light", result="not-run", detail="nothing is known of this machine"),
        ],
        "warnings": [Warning(code="W160", text="the host needs 9 µs")],
        "cost": {"flops": 1e9, "bytes": 1e6},
        "floor_seconds": 1e-7,
        "kernel_clock": "CUPTI",
        "pool": {"sets": 12, "bytes": 2**28, "renewal": "drawn anew"},
        "ranks": Ranks(count=2, backend="gloo", threads=1, cpus=[[0], [1]], skew_seconds=1e-3),
        "samples": "samples/one.jsonl.gz",
        "telemetry": {
            "seconds": 12.0,
            "median": {"gpu0.sm_mhz": 1980.0, "gpu0.power_watts": 640.0},
            "energy_joules": {"gpu0": 5120.0},
            "power_limited": {"gpu0": 0.25},
            "throttled": [],
            "throttled_samples": 0,
            "sides": {"baseline": {"gpu0.sm_mhz": 1970.0}},
        },
    }
    return TargetResult(target=name, **values | fields)
