"""On a GPU: operators work on large tensors whose neighbours lie apart in memory, so that most fetched bytes are not
used: a slice of the last dimension, a layout with the channels last of which the program takes one.

By the strides that torch recorded. Transposed tensors, of which a kernel reads whole rows in another order, are not
meant: some dimension has neighbours side by side.
"""

from collections import Counter
from math import prod
from typing import Any

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import NO_DEVICE_TRACE, Evidence
from perfproof.diagnose.launched import around_launches
from perfproof.diagnose.operators import ELEMENTWISE, REDUCTIONS, SIZES
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, short
from perfproof.profile.intervals import total

MUCH, MOST = 0.20, 0.40  # of the step
LARGE, APART = 2**20, 4  # elements of a tensor; elements from one to its nearest neighbour
OPERATORS = frozenset(f"aten::{name}" for name in (*ELEMENTWISE, *REDUCTIONS, "fill_", "zero_", "roll", "flip"))
LISTED = 3


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.device_traces:
        return Abstained(rule="strided_tensors", missing=NO_DEVICE_TRACE)
    found = [finding for trace in evidence.device_traces if (finding := _judge(trace)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0, default=None)


def _judge(trace: Trace) -> Finding | None:
    apart = {row: text for row in trace.rows(Kind.OPERATOR) if (text := _lies_apart(trace, row))}
    kernels = {
        kernel: around[-1] for kernel, around in around_launches(trace).items() if around and around[-1] in apart
    }
    share = trace.share(total(trace.alone(list(kernels))))
    if share <= MUCH:
        return None
    spent: Counter[str] = Counter()
    for kernel, row in kernels.items():
        spent[apart[row]] += trace.events.end_ns[kernel] - trace.events.start_ns[kernel]
    named = ", ".join(f"{text} ({percent(trace.share(ns))})" for text, ns in spent.most_common(LISTED))
    return Finding(
        rule="strided_tensors",
        title="large tensors are read or written with long strides",
        confidence=confidence_of(share, MUCH, MOST),
        evidence=[
            Proof(
                text=f"{percent(share)} of the step is in operators on tensors whose neighbours lie apart: {named}",
                place=trace.place(next(iter(kernels.values()))),
                values={"share": share},
            )
        ],
        share=share,
        advice="put the dimension that is sliced first, so that each slice is contiguous (f[9, y, x] in place of "
        "f[y, x, 9]), or copy once with .contiguous(); for images memory_format=torch.channels_last where the kernels "
        "want it",
        experiment=COMPARE_CHANGE,
        refuted_by="with contiguous tensors the step takes as long",
    )


def _lies_apart(trace: Trace, row: int) -> str:
    """The operator and the first such tensor; empty if there is none."""
    name = trace.events.name(row)
    if name not in OPERATORS:
        return ""
    args = trace.args(row)
    dims, strides, types = args.get("Input Dims"), args.get("Input Strides"), args.get("Input type")
    if not isinstance(dims, list) or not isinstance(strides, list) or not isinstance(types, list):
        return ""
    for shape, steps, kind in zip(dims, strides, types, strict=False):
        if kind in SIZES and _is_apart(shape, steps):
            return f"{short(name)} {list(shape)} with strides {list(steps)}"
    return ""


def _is_apart(shape: Any, strides: Any) -> bool:
    if not isinstance(shape, list) or not isinstance(strides, list) or len(shape) != len(strides) or not shape:
        return False
    if not all(type(one) is int for one in (*shape, *strides)) or prod(shape) < LARGE:
        return False
    known = [stride for size, stride in zip(shape, strides, strict=True) if size > 1]
    return bool(known) and min(known) >= APART  # 0 is an expanded one, which is read from a cache
