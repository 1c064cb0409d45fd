"""Make counters.gz and passes.json anew: `python -m benchmarks.ncu_counter_lists libnvperf_host.so VERSION`.

A third word, `passes`, makes passes.json alone, as after a change of groups or chapters. The library comes with the
wheel nvidia-cuda-cupti; VERSION is the wheel's. Counters that it lists but cannot schedule
for a kernel are left out. What `ncu --query-metrics --chips` of Nsight Compute 2025.3.1 prints for GH100 and GB100 is
all in the lists, with about a hundred names of later versions.
"""

import json
import sys
from contextlib import suppress
from pathlib import Path

from benchmarks.ncu_evaluator import Evaluator
from perfproof.core.errors import PerfproofError
from perfproof.profile.manifest import counters as counters_file
from perfproof.profile.manifest import selection as passes_file
from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.counters import Counter, encode
from perfproof.profile.manifest.names import ncu_own
from perfproof.profile.manifest.roles import groups, metrics_of, wishes

SOURCE = "libnvperf_host.so of nvidia-cuda-cupti"
USUAL = {"counter": "sum", "ratio": "ratio", "throughput": "avg.pct_of_peak_sustained_elapsed"}


def rebuild(library: Path, version: str, only_passes: bool = False) -> None:
    evaluators = {chip: Evaluator(library, chip) for chip in chips()}
    if not only_passes:
        heading = f"{SOURCE} {version}; made by benchmarks.ncu_counter_lists, do not edit"
        counters_file.FILE.write_bytes(encode(all_counters(evaluators), heading))
        counters_file.counters.cache_clear()
    passes = {chip: all_passes(evaluator, chip) for chip, evaluator in evaluators.items()}
    passes_file.FILE.write_text(json.dumps({"source": f"{SOURCE} {version}", "passes": passes}, indent=1) + "\n")


def all_counters(evaluators: dict[str, Evaluator]) -> dict[str, Counter]:
    """Every name of every chip with its kind and its dearest number of passes."""
    kinds: dict[str, str] = {}
    where: dict[str, dict[str, int]] = {}
    for chip, evaluator in evaluators.items():
        for name, kind in evaluator.names().items():
            with suppress(PerfproofError):  # it cannot be collected for a kernel
                where.setdefault(name, {})[chip] = evaluator.passes([f"{name}.{USUAL[kind]}"])
                kinds[name] = kind
    return {name: Counter(kinds[name], tuple(found), max(found.values())) for name, found in where.items() if found}


def all_passes(evaluator: Evaluator, chip: str) -> dict[str, int]:
    """The cost of every group, chapter and preset that has counters on the chip; ncu's own names cost nothing."""
    asked: dict[str, tuple[str, ...]] = {name: (name,) for name in groups()}
    asked |= {wish.name: wish.metrics for kind in ("chapters", "presets") for wish in wishes(kind).values()}
    passes = {}
    for name, references in asked.items():
        metrics = [metric for metric in metrics_of(references, chip) if metric not in ncu_own()]
        passes[name] = evaluator.passes(metrics) if metrics else 0
    return passes


if __name__ == "__main__":
    rebuild(Path(sys.argv[1]), sys.argv[2], sys.argv[3:] == ["passes"])
