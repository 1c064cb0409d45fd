"""Runs as tests of expectations, screening and comparison need them: with units, a machine, a commit."""

import gzip
import json
import math
from pathlib import Path

from perfproof.core.documents import RatioResult, Run, TargetResult, VariantResult
from perfproof.core.expectations import Expectations
from perfproof.history.expectations import record
from perfproof.stats.memory import judge_memory, judge_startup
from perfproof.stats.quads import ORDERS

RECORDED = Path(__file__).parent / "recorded" / "two_runs"
EARLIER, LATER = sorted(RECORDED.iterdir())
SPREAD = (-0.004, -0.002, 0.0, 0.002, 0.004, -0.003, 0.003, 0.0)  # of units around their mean
MACHINE = {
    "kind": "xeon-2c",
    "fingerprint": "f" * 16,
    "driver": "550.54",
    "cpu": {"model": "Xeon"},
    "software": {"torch": "2.13"},
}


def judged(ratio=2.0, verdict="faster", spread=1.0, seconds=1e-3, **fields):
    """With the two times of the ratio; `seconds=None` is a document from before they were stored."""
    units = [math.log(ratio) + spread * one for one in SPREAD]
    if seconds is not None:
        fields = {"baseline": seconds, "variant": seconds / ratio} | fields
    values = {"low": ratio * 0.99, "high": ratio * 1.01, "launches": 8, "processes": 16, "beta": 0.002}
    return RatioResult(verdict=verdict, ratio=ratio, units=units, **values | fields)


def started(before, after, **fields):
    """Seconds of the starts of either side, judged and stored as the bench does it."""
    judgement = judge_startup(before, after).fields()
    values = {"processes": len(before) + len(after), "claim": "startup", "clock": "first result", "rung": "alone"}
    return RatioResult(**judgement | values | fields)


def weighed(before, after, quantum=512):
    """Peak bytes of the processes of either side, judged and stored as the bench does it."""
    values = {"processes": len(before) + len(after), "claim": "memory", "clock": "allocator", "rung": "alone"}
    return RatioResult(**judge_memory(before, after, quantum).fields() | values)


def target(name="body", ratio=2.0, status="ok", seconds=1e-3, **fields):
    values = {
        "path": f"{name}.py",
        "sizes": {"elements": 1000},
        "source_sha256": "a" * 64,
        "samples": f"samples/{name}.jsonl.gz",
        "variants": {
            "baseline": VariantResult(times={"call": seconds}),
            "optimized": VariantResult(times={"call": seconds / ratio}),
        },
        "ratios": {"optimized": judged(ratio, seconds=seconds)},
        "verdict": "faster",
    }
    if status != "ok":
        values |= {"variants": {}, "ratios": {}, "verdict": None, "samples": None, "reason": "it ended"}
    return TargetResult(target=name, status=status, **values | fields)


def write_samples(folder, name, seconds, ratio=2.0, rung="plain", kind="optimized"):
    """Samples of eight launches around these seconds of the baseline, in quads as a run stores them."""
    rows = []
    for launch, moved in enumerate(SPREAD):
        for slot in (1, -1):
            for order in ORDERS:
                for letter in order:
                    value = seconds * math.exp(moved) / (1 if letter == "A" else ratio)
                    row = {"launch": launch, "couple": 0, "slot": slot, "rung": rung, "kind": kind, "valid": True}
                    rows.append(row | {"side": "baseline" if letter == "A" else kind, "seconds": value})
    (folder / "samples").mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "samples" / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))


def run(*targets, day=1, machine=None, git=None, options=None, **fields):
    values = {
        "state": "finished",
        "started": f"2025-01-{day:02d}T00:00:00Z",
        "git": {"commit": f"{day:040x}", "dirty": False} | (git or {}),
        "machine": MACHINE | (machine or {}),
        "options": {"effort": "standard"} | (options or {}),
        "planned": [one.target for one in targets],
    }
    name = f"202501{day:02d}T000000Z-body-{day:06x}"
    return Run(perfproof_version="0.1.0", run=name, targets=list(targets), **values | fields)


def expected(*runs, folder=Path("nowhere"), kind="xeon-2c"):
    """Expectations with these runs as their measuring days."""
    found = Expectations(kind=kind)
    for one in runs:
        found, _ = record(found, one, folder, "as measured", lambda path: True)
    return found
