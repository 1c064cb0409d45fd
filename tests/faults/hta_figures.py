"""What Holistic Trace Analysis says of traces: `python tests/faults/hta_figures.py TRACE ... > recorded/hta.json`.

Needs the package traceinsight. The figures are kept, so that tests can be held against them where it is not installed.
"""

import json
import sys
from pathlib import Path
from typing import Any


def figures(path: Path) -> dict[str, Any]:
    """Microseconds of rank 0's device; what computation hid of communication; idle time by stream and cause.

    Its rounding is switched off. By default every start is rounded up and every end down to whole microseconds: a
    kernel of 0.9 µs gets no length or a negative one, and of a step of small kernels a fifth of the work is lost.
    """
    from hta.configs.env_options import HTAEnvOptions
    from hta.trace_analysis import TraceAnalysis

    HTAEnvOptions.instance().set_disable_ns_rounding(True)
    analysis = TraceAnalysis(
        trace_files={0: str(path.resolve())}, trace_dir=str(path.parent), include_last_profiler_step=True
    )
    split = analysis.get_temporal_breakdown(visualize=False).iloc[0]
    overlap = analysis.get_comm_comp_overlap(visualize=False).iloc[0]["comp_comm_overlap_pctg"]
    idle, _ = analysis.get_idle_time_breakdown(ranks=[0], visualize=False)
    by_cause: dict[str, dict[str, float]] = {}
    for _, row in idle.iterrows():
        by_cause.setdefault(str(int(row["stream"])), {})[str(row["idle_category"])] = float(row["idle_time"])
    return {
        "idle_us": float(split["idle_time(us)"]),
        "compute_us": float(split["compute_time(us)"]),
        "non_compute_us": float(split["non_compute_time(us)"]),
        "overlap_percent": None if overlap != overlap else float(overlap),
        "idle_by_cause": by_cause,
    }


if __name__ == "__main__":
    json.dump({Path(name).name: figures(Path(name)) for name in sys.argv[1:]}, sys.stdout, indent=1, sort_keys=True)
    print()
