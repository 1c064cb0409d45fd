"""Without a GPU: whole tensors are sorted in every step, which only a few of the largest values may need."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import host
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, short
from perfproof.profile.intervals import total

MUCH, MOST = 0.25, 0.45  # of the step
SORTS = frozenset(
    f"aten::{name}" for name in ("sort", "argsort", "msort", "unique_dim", "_unique2", "unique_consecutive", "median")
)


def find(evidence: Evidence) -> Finding | Abstained | None:
    traces = [trace for trace in evidence.traces if not trace.devices]
    if not traces:
        missing = "a trace of a CPU's operators: `perfproof profile --tool torch -- python train.py`"
        return None if evidence.traces else Abstained(rule="sorting", missing=missing)
    found = [finding for trace in traces if (finding := _judge(trace)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0) if found else None


def _judge(trace: Trace) -> Finding | None:
    rows = [row for row in host.outermost_operators(trace) if trace.events.name(row) in SORTS]
    share = trace.share(total(trace.covered(rows)))
    if share <= MUCH:
        return None
    longest = max(rows, key=lambda row: trace.events.end_ns[row] - trace.events.start_ns[row])
    name, steps = trace.events.name(longest), len(trace.steps)
    return Finding(
        rule="sorting",
        title="whole tensors are sorted in every step",
        confidence=confidence_of(share, MUCH, MOST),
        evidence=[
            Proof(
                text=f"{percent(share)} of the step is in {short(name)}, {len(rows) / steps:.1f} times per step, "
                f"of shape {_shape(trace, longest)}",
                place=trace.place(longest),
                values={"share": share, "times_per_step": len(rows) / steps},
            )
        ],
        share=share,
        advice="torch.topk if only the largest values are needed; sort once and keep the order if it does not change",
        experiment=COMPARE_CHANGE,
        refuted_by="all values are needed in order, and they change in every step",
    )


def _shape(trace: Trace, row: int) -> str:
    dims = trace.args(row).get("Input Dims")
    return str(dims[0]) if isinstance(dims, list) and dims and isinstance(dims[0], list) else "unknown"
