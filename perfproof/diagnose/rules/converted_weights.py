"""Weights in float32 are converted to 16 bits again and again: in every step, or for every token.

Autocast keeps what it has converted until its context ends, so a context per token converts all weights per token. By
the types and shapes that torch recorded: a weight is what a linear layer or a convolution takes as its second tensor.
If the GPU's times are missing, the time is what the memory's bandwidth allows at best.
"""

from collections import Counter
from collections.abc import Sequence
from math import prod

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import NO_DEVICE_TRACE, Evidence
from perfproof.diagnose.launched import device_share
from perfproof.diagnose.operators import roofs_of
from perfproof.diagnose.tensors import Shape, shapes_of
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent

MUCH, MOST = 0.15, 0.30  # of the step
PASSES = 4  # through the model: with fewer the same weights may not have been converted again
LAYERS = frozenset(f"aten::{name}" for name in ("linear", "conv1d", "conv2d", "conv3d", "convolution"))
NARROW = {"5": "float16", "15": "bfloat16"}  # torch's numbers of types
BYTES = 6  # per element: 4 are read, 2 written
SHOWN = 3


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.device_traces and not evidence.untimed:
        return Abstained(rule="converted_weights", missing=NO_DEVICE_TRACE)
    found = [_judge(trace, evidence) for trace in (*evidence.device_traces, *evidence.untimed)]
    return max((one for one in found if one), key=lambda one: one.share or 0.0, default=None)


def _judge(trace: Trace, evidence: Evidence) -> Finding | None:
    rows = _conversions(trace)
    counts = Counter(shapes_of(trace, row)[0] for row in rows)
    if min(counts.values(), default=0) < PASSES:
        return None
    share, how = _share(trace, rows, evidence)
    if share <= MUCH:
        return None
    confidence: Confidence = confidence_of(share, MUCH, MOST) if trace.devices else "medium"
    to = NARROW[_narrow_type(trace, rows[0])]
    largest = sorted(counts, key=lambda shape: -prod(shape) * counts[shape])[:SHOWN]
    listed = ", ".join(f"{list(shape)} {counts[shape]} times" for shape in largest)
    return Finding(
        rule="converted_weights",
        title=f"weights are converted to {to} in every step",
        confidence=confidence,
        evidence=[
            Proof(
                text=f"{percent(share)} of the step converts weights of layers from float32 to {to}{how}; in the whole "
                f"trace {listed}",
                place=trace.place(rows[0]),
                values={"share": share},
            )
        ],
        share=share,
        advice=f"for inference model.to(torch.{to}) once, without autocast; else one autocast context around the whole "
        "loop instead of one per step or token: it keeps converted weights that require gradients until it ends",
        experiment=COMPARE_CHANGE,
        refuted_by=f"with weights in {to} the step takes as long",
        basis="durations" if trace.devices else "facts",
    )


def _share(trace: Trace, rows: Sequence[int], evidence: Evidence) -> tuple[float, str]:
    """The share of the step that conversions take, and how it is known."""
    if trace.devices:
        return device_share(trace, rows), ""
    roofs = roofs_of(trace, evidence.ceilings)
    steady = set(trace.rows(Kind.OPERATOR))
    moved = sum(BYTES * prod(shapes_of(trace, row)[0]) for row in rows if row in steady)
    share = trace.share(1e9 * moved / roofs.bytes_per_second) if roofs else 0.0
    return share, f" at least, at the memory's bandwidth ({roofs.source if roofs else ''}; the GPU's times are missing)"


def _conversions(trace: Trace) -> list[int]:
    """Rows that convert a weight, in the whole trace: the steady steps of a device may lie behind those of the host."""
    events = trace.events
    rows = [row for row in events.where(Kind.OPERATOR) if events.name(row).startswith("aten::")]
    weights, inputs = set[Shape](), set[Shape]()
    for row in rows:
        shapes = shapes_of(trace, row) if events.name(row) in LAYERS else []
        if len(shapes) >= 2:
            given = shapes[0]
            inputs |= {given, (prod(given[:-1]), given[-1])}
            weights.add(shapes[1])
    weights -= inputs
    converts = [row for row in rows if _narrow_type(trace, row)]
    return [row for row in converts if set(shapes_of(trace, row)[:1]) & weights]


def _narrow_type(trace: Trace, row: int) -> str:
    """torch's number of the type that float32 becomes; empty for any other operator."""
    if trace.events.name(row) != "aten::_to_copy":
        return ""
    args = trace.args(row)
    types, values = args.get("Input type"), args.get("Concrete Inputs")
    if not isinstance(types, list) or not isinstance(values, list) or types[:1] != ["float"] or len(values) < 2:
        return ""
    return values[1] if values[1] in NARROW else ""
