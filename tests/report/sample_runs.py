"""A run with one target of every kind, as a test of a format needs it."""

from perfproof.core.documents import (
    Error,
    Memory,
    Mode,
    RatioResult,
    Run,
    TargetResult,
    VariantResult,
    Warning,
)


def judged(verdict="faster", ratio=3.2123456789, low=3.18, high=3.24, variant=1e-3, **fields):
    """With the two figures of the ratio; `variant=None` is a document from before they were stored."""
    values = {"launches": 8, "processes": 16, "baseline": None if None in (ratio, variant) else ratio * variant}
    return RatioResult(verdict=verdict, ratio=ratio, low=low, high=high, variant=variant, **values | fields)


def side(seconds=1e-3, **fields):
    return VariantResult(times={"call": seconds}, **fields)


def target(name="ch01:batched_gemm", ratio=None, status="ok", **fields):
    ratio = ratio or judged()
    values = {
        "tier": "idiomatic",
        "variants": {"baseline": side(3.21e-3), "optimized": side(1e-3)},
        "ratios": {"optimized": ratio},
        "verdict": ratio.verdict,
        "source_sha256": "a1b2c3d4" * 8,
        "started": "2025-01-01T00:00:00Z",
        "seconds": 8.0,
    }
    if status != "ok":
        values |= {"variants": {}, "ratios": {}, "verdict": None}
    return TargetResult(target=name, status=status, **values | fields)


def run(*targets, options=None, **fields):
    values = {
        "state": "finished",
        "started": "2025-01-01T00:00:00Z",
        "seed": "00ff",
        "machine": {"kind": "xeon-2c", "fingerprint": "f" * 16, "software": {"torch": "2.13"}},
        "options": {"effort": "standard", "artifacts_dir": "artifacts"} | (options or {}),
        "planned": [one.target for one in targets],
    }
    name = "20250101T000000Z-tour-abc123"
    return Run(perfproof_version="0.1.0", run=name, targets=list(targets), **values | fields)


SAME = judged("same", 1.002, 0.994, 1.008, bound=0.0082, smallest_effect=0.0061)
UNDECIDED = judged("inconclusive", 1.02, 0.97, 1.07, more_launches=7, more_seconds=41.0)
MODES = judged("unstable", 1.1, 0.5, 2.0, modes=[Mode(launches=12, ratio=1.9), Mode(launches=2, ratio=0.06)])
MEMORY = judged("better", 2.0, None, None, claim="memory", variant=2.0**20)
EXACT = Memory(peak_bytes=2 * 2**20, processes=3, exact=True, counter="allocator")
HALF = Memory(peak_bytes=2**20, processes=3, exact=True, counter="allocator")
ERROR = Error(rms_relative=1.2e-4, max_absolute=0.5, of_tolerance=0.25, calls_checked=9)


def everything():
    """One target of every verdict and every status."""
    return run(
        target("ch01:batched_gemm", warnings=[Warning(code="W104", text="an empty body takes 900 ns")]),
        target("ch01:reduced_precision", SAME, tier="vendor"),
        target("ch02:cache_blocking", UNDECIDED),
        target("ch03:thread_count", MODES),
        target(
            "ch04:sharded_optimizer",
            MEMORY,
            tier="naive",
            variants={"baseline": side(memory=EXACT), "optimized": side(memory=HALF, setup_seconds=1.5, error=ERROR)},
        ),
        target(
            "labs/moe:step_02_sorted",
            ratios={
                "optimized_a": judged(variant=1e-6),
                "optimized_b": judged("slower", 0.5, 0.45, 0.55, variant=4.2e-6),
            },
            variants={"baseline": side(2e-6), "optimized_a": side(1e-6), "optimized_b": side(4e-6)},
        ),
        target("ch05:a", status="skipped", reason="needs a GPU of capability 9.0 or newer; torch is a CPU build"),
        target("ch05:b", status="refused", reason="chapters/ch05/b.py:3: no `reference`. Add `def reference(x)`"),
        target("ch05:c", status="failed-verification", reason="optimized: 0.3 | 1.0 is above the tolerance"),
        target("ch05:d", status="rejected", reason="faster than the memory can be read"),
        target(
            "ch05:e",
            status="crashed",
            reason="the worker died of signal 11",
            log="logs/ch05-e.log",
            output_tail="\x1b[31mboom\x1b[0m \x00 <&>",
        ),
        target("ch05:f", status="timeout", reason="300 s were not enough"),
    )
