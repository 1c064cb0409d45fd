"""Without a GPU: operators that compute nothing, because they copy, convert or fill memory, take the time."""

from collections import Counter

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import cpu_traces, host
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent, short, time
from perfproof.profile.intervals import total

MUCH, MOST = 0.25, 0.45  # of the step
OPERATORS_A_STEP = 2
COPIES = frozenset(
    f"aten::{name}" for name in ("clone", "contiguous", "copy_", "cat", "stack", "repeat", "_reshape_copy")
)
CONVERSIONS = frozenset(
    f"aten::{name}" for name in ("to", "_to_copy", "type_as", "float", "half", "double", "bfloat16", "int", "long")
)
FILLS = frozenset(
    f"aten::{name}"
    for name in (
        "zeros",
        "zeros_like",
        "ones",
        "ones_like",
        "full",
        "full_like",
        "fill_",
        "zero_",
        "new_zeros",
        "empty",
    )
)
ADVICE = {
    "copies": "work on views, write into a kept tensor (out=), and keep one memory layout",
    "conversions": "keep one number type through the step, and convert once outside of the loop",
    "fills": "keep the buffer over steps, or make it with torch.empty if every element is written",
}


def find(evidence: Evidence) -> Finding | Abstained | None:
    return cpu_traces.strongest(evidence, "data_movement", _judge)


def _judge(trace: Trace) -> Finding | None:
    rows = host.outermost_operators(trace)
    moving = {row: kind for row in rows if (kind := _kind(trace.events.name(row)))}
    share = trace.share(total(trace.covered(moving)))
    if share <= MUCH or len(rows) < OPERATORS_A_STEP * len(trace.steps):
        return None
    spent: Counter[tuple[str, str]] = Counter()
    for row, kind in moving.items():
        spent[kind, trace.events.name(row)] += trace.events.end_ns[row] - trace.events.start_ns[row]
    by_kind = Counter({kind: sum(ns for (own, _), ns in spent.items() if own == kind) for kind in ADVICE})
    most = by_kind.most_common(1)[0][0]
    named = ", ".join(f"{short(name)} {time(ns / len(trace.steps))}" for (_, name), ns in spent.most_common(3))
    return Finding(
        rule="data_movement",
        title=f"memory is moved, not computed on: mostly {most}",
        confidence=confidence_of(share, MUCH, MOST),
        evidence=[
            Proof(
                text=f"{percent(share)} of the step is in operators that copy, convert or fill memory; "
                f"per step: {named}",
                place=trace.place(max(moving, key=lambda row: trace.events.end_ns[row] - trace.events.start_ns[row])),
                values={"share": share},
            )
        ],
        share=share,
        advice=ADVICE[most],
        experiment="perfproof run ch01:preallocated_buffers",
        refuted_by="without these operators the step takes as long",
    )


def _kind(name: str) -> str:
    return "copies" if name in COPIES else "conversions" if name in CONVERSIONS else "fills" if name in FILLS else ""
