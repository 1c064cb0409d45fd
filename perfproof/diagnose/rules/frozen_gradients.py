"""Without a GPU: a backward pass computes gradients of weights that no optimizer updates.

A trace has the shape of every gradient that a weight gets (AccumulateGrad), and the shapes that the optimizer works on.
A weight whose shape no optimizer touches is frozen, or was forgotten. Once the last weight that is updated has its
gradient, the rest of the pass computes nothing that is used.
"""

from collections.abc import Iterator

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import cpu_traces, host
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.tensors import Shape, nested_shapes
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent
from perfproof.profile.intervals import total, union
from perfproof.profile.steps import OPTIMIZER

TAKES, TAKES_MUCH = 0.10, 0.30  # of the step
GRADIENT = "torch::autograd::AccumulateGrad"
UPDATES = frozenset(f"aten::{name}" for name in ("add_", "sub_", "copy_", "addcdiv_", "lerp_", "_foreach_add_"))
SHOWN = 3


def find(evidence: Evidence) -> Finding | Abstained | None:
    return cpu_traces.strongest(evidence, "frozen_gradients", _judge)


def _judge(trace: Trace) -> Finding | None:
    updated, rows = _updated(trace), list[int]()
    frozen: dict[int, Shape] = {}
    for passed in _backward_passes(trace):
        shapes = {row: shape for row in passed if (shape := _gradient(trace, row)) is not None}
        used = [row for row, shape in shapes.items() if shape in updated]
        if not used:
            continue  # a model that another optimizer updates, at another time
        after = passed[passed.index(used[-1]) + 1 :]
        unused = {row: shapes[row] for row in after if row in shapes}
        rows += after if unused else []
        frozen |= unused
    share = trace.share(total(trace.covered(rows)))
    if share <= TAKES:
        return None
    listed = ", ".join(str(list(shape)) for shape in list(dict.fromkeys(frozen.values()))[:SHOWN])
    text = f"{percent(share)} of the step computes gradients after the last one that an optimizer uses; among the "
    return Finding(
        rule="frozen_gradients",
        title="gradients of weights that no optimizer updates",
        confidence=confidence_of(share, TAKES, TAKES_MUCH),
        evidence=[Proof(text=f"{text}weights that get one are those of shape {listed}", values={"share": share})],
        share=share,
        advice="requires_grad_(False) for weights that stay as they are, or run their part under torch.no_grad()",
        experiment=COMPARE_CHANGE,
        refuted_by="something else reads these gradients, or an optimizer that the trace does not mark updates them",
    )


def _updated(trace: Trace) -> set[Shape]:
    """Shapes that an optimizer's step works on, and those that are changed in place outside of backward passes."""
    events = trace.events
    steps = union(
        (events.start_ns[row], events.end_ns[row])
        for row in events.where(Kind.RANGE)
        if OPTIMIZER.fullmatch(events.name(row))
    )
    if not steps:
        return set()
    operators = events.where(Kind.OPERATOR)
    inside = [row for row in operators if any(start <= events.start_ns[row] < end for start, end in steps)]
    in_place = [row for row in host.outermost_rows(events, None) if events.name(row) in UPDATES]
    return {shape for row in {*inside, *in_place} for shape in nested_shapes(trace.args(row).get("Input Dims"))}


def _backward_passes(trace: Trace) -> Iterator[list[int]]:
    """Rows of each pass by their start; an operator that is not of a backward pass ends it."""
    events, passed = trace.events, []
    outermost = set(host.outermost_rows(events, None))
    ended = 0
    for row in trace.rows(Kind.OPERATOR):
        if events.name(row).startswith(cpu_traces.BACKWARD) or events.start_ns[row] < ended:
            passed.append(row)
            ended = max(ended, events.end_ns[row]) if row in outermost else ended
        elif passed:
            yield passed
            passed = []
    yield passed


def _gradient(trace: Trace, row: int) -> Shape | None:
    """The shape of the gradient that a weight gets in this row."""
    if trace.events.name(row) != GRADIENT:
        return None
    return next(nested_shapes(trace.args(row).get("Input Dims")), None)
