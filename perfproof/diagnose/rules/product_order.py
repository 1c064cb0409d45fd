"""Two matrix products follow each other that would take far fewer operations in the other order: (A B) C = A (B C).

By the shapes that torch recorded. Whatever lies between the two and reads the first one's answer, a softmax or a mask,
forbids it; a view does not.
"""

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.launched import covered_share
from perfproof.diagnose.operators import MISSING
from perfproof.diagnose.tensors import Shape, shapes_of
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, short

MUCH, MOST = 0.20, 0.40  # of the step
FEWER = 0.5  # of the operations
PRODUCTS = ("aten::mm", "aten::bmm")
PASSES_ON = frozenset(  # views, and what calls the product itself
    f"aten::{name}"
    for name in (
        *("view", "reshape", "transpose", "permute", "expand", "unsqueeze", "squeeze", "t", "_unsafe_view"),
        *("_reshape_alias", "as_strided", "slice", "select", "detach", "matmul", "einsum", "linear", "contiguous"),
    )
)
NEAR = 40  # operators between the two


class Chain(NamedTuple):
    """The rows of both products, and the operations in the two orders."""

    first: int
    second: int
    now: int
    other: int


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.traces:
        return Abstained(rule="product_order", missing=MISSING)
    found = [finding for trace in evidence.traces if (finding := _judge(trace)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0, default=None)


def _judge(trace: Trace) -> Finding | None:
    chains = [one for one in _chains(trace) if one.other < FEWER * one.now]
    rows = [row for one in chains for row in (one.first, one.second)]
    spent = covered_share(trace, rows) if rows else 0.0
    if spent <= MUCH:
        return None
    now, other = sum(one.now for one in chains), sum(one.other for one in chains)
    share = spent * (1 - other / now)
    longest = max(chains, key=lambda one: one.now)
    shapes = [list(shape) for row in (longest.first, longest.second) for shape in shapes_of(trace, row)]
    name = short(trace.events.name(longest.first))
    text = (
        f"{len(chains) / len(trace.steps):.1f} times per step {name} {shapes[0]} {shapes[1]} is followed by a product "
        f"of its answer with {shapes[3]}: the pairs take {percent(spent)} of the step; in the other order they have "
        f"{now / other:.1f} times fewer operations"
    )
    return Finding(
        rule="product_order",
        title="matrix products in the dearer order",
        confidence=confidence_of(share, MUCH, MOST),
        evidence=[Proof(text=text, place=trace.place(longest.first), values={"share": spent, "fewer": now / other})],
        share=share,
        advice="write A @ (B @ C) in place of (A @ B) @ C, or torch.linalg.multi_dot",
        experiment=COMPARE_CHANGE,
        refuted_by="something that is not linear lies between the two products",
    )


def _chains(trace: Trace) -> Iterator[Chain]:
    """Products whose answer the next product of such a shape takes as its left side; nothing else reads it."""
    rows = [row for row in trace.rows(Kind.OPERATOR) if trace.events.name(row).startswith("aten::")]
    for place, row in enumerate(rows):
        if trace.events.name(row) not in PRODUCTS:
            continue
        pair = _pair(trace, row)
        if pair is None:
            continue
        answer = (*pair[0][:-1], pair[1][-1])
        second = _next_reader(trace, rows[place + 1 : place + 1 + NEAR], row, answer)
        if second is not None:
            right = shapes_of(trace, second)[1]
            batch, (m, k), n, p = prod(answer[:-2]), pair[0][-2:], answer[-1], right[-1]
            yield Chain(row, second, batch * (m * k * n + m * n * p), batch * (k * n * p + m * k * p))


def _next_reader(trace: Trace, rows: list[int], first: int, answer: Shape) -> int | None:
    """The product that reads it, if nothing else does before."""
    for row in rows:
        name, shapes = trace.events.name(row), shapes_of(trace, row)
        if trace.events.start_ns[row] < trace.events.end_ns[first] or name in PASSES_ON:
            continue  # called inside of the product, or no work
        if name in PRODUCTS and shapes and shapes[0] == answer and _pair(trace, row) is not None:
            return row
        if any(prod(shape) == prod(answer) for shape in shapes):
            return None
    return None


def _pair(trace: Trace, row: int) -> tuple[Shape, Shape] | None:
    match shapes_of(trace, row):
        case [left, right] if len(left) == len(right) >= 2 and left[-1] == right[-2]:
            return left, right
    return None
