"""Most of a large product's answer is thrown away: it is computed for all positions, and only a few are taken.

By the shapes and arguments that torch recorded. Between the product and the place where few positions are taken lie
only views, conversions and functions of single elements or rows; nothing else reads the whole answer before the same
product comes again.
"""

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.launched import covered_share
from perfproof.diagnose.operators import ELEMENTWISE, MISSING, PRODUCTS
from perfproof.diagnose.tensors import Shape, nested_shapes, shapes_of
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, short
from perfproof.profile.idle_causes import Thread, thread_of

MUCH, MOST = 0.15, 0.30  # of the step, that could go
FEW = 1 / 8  # of the positions
LARGE = 2**20  # elements of the answer
TAKES = ("aten::select", "aten::slice", "aten::narrow")
VIEWS = frozenset(  # read nothing by themselves; linear and matmul call the product
    f"aten::{name}"
    for name in (
        *("view", "reshape", "transpose", "permute", "expand", "unsqueeze", "squeeze", "t", "_unsafe_view", "alias"),
        *("_reshape_alias", "as_strided", "detach", "linear", "matmul"),
    )
)
PASSES_ON = VIEWS | frozenset(  # and what converts, or works on each element or row by itself
    f"aten::{name}"
    for name in (
        *("contiguous", "clone", "to", "_to_copy", "float", "softmax", "log_softmax", "empty_like", "add_", "dropout"),
        *ELEMENTWISE,
    )
)
COPIES = frozenset({"aten::_to_copy", "aten::clone"})


class Discarded(NamedTuple):
    """A product, the operators that its whole answer goes through, and how much of it is taken."""

    product: int
    rows: list[int]
    answer: Shape
    kept: float


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.traces:
        return Abstained(rule="discarded_results", missing=MISSING)
    found = [finding for trace in evidence.traces if (finding := _judge(trace)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0, default=None)


def _judge(trace: Trace) -> Finding | None:
    found = list(_discarded(trace))
    if not found:
        return None
    spent = covered_share(trace, [row for one in found for row in one.rows])
    largest = max(found, key=lambda one: prod(one.answer))
    share = spent * (1 - max(one.kept for one in found))
    if share <= MUCH:
        return None
    shapes = " ".join(str(list(shape)) for shape in shapes_of(trace, largest.product))
    text = (
        f"{short(trace.events.name(largest.product))} {shapes} and what follows take {percent(spent)} of the step; of "
        f"the answer, {list(largest.answer)}, {percent(largest.kept)} is taken, and nothing else reads it"
    )
    return Finding(
        rule="discarded_results",
        title="most of a result is thrown away",
        confidence=confidence_of(share, MUCH, MOST),
        evidence=[Proof(text=text, place=trace.place(largest.product), values={"share": spent, "kept": largest.kept})],
        share=share,
        advice="take the positions first and compute only these: head(hidden[:, -1]) in place of head(hidden)[:, -1]; "
        "with models of transformers logits_to_keep=1",
        experiment=COMPARE_CHANGE,
        refuted_by="with the positions taken first the answers differ, or the step takes as long",
    )


def _discarded(trace: Trace) -> Iterator[Discarded]:
    by_thread: dict[Thread, list[int]] = {}
    for row in sorted(trace.events.where(Kind.OPERATOR), key=trace.events.start_ns.__getitem__):
        if trace.events.name(row).startswith("aten::"):
            by_thread.setdefault(thread_of(trace.events, row), []).append(row)
    for rows in by_thread.values():
        opened: dict[int, _Open] = {}  # by the number of elements
        for row in rows:
            name, shapes = trace.events.name(row), shapes_of(trace, row)
            answer = _answer(name, shapes)
            before = opened.pop(prod(answer), None)  # its own weight may have as many elements
            if before and (one := before.closed()):
                yield one
            for size in {prod(shape) for shape in nested_shapes(trace.args(row).get("Input Dims"))} & opened.keys():
                opened[size].reads(trace, row, name, shapes)
            if prod(answer) >= LARGE:
                opened[prod(answer)] = _Open(row, answer)


class _Open:
    """A product whose answer may still be read."""

    def __init__(self, product: int, answer: Shape) -> None:
        self._rows, self._answer, self._taken = [product], answer, dict[tuple[str, ...], float]()
        self._is_used, self._copies_until = False, 0

    def reads(self, trace: Trace, row: int, name: str, shapes: Sequence[Shape]) -> None:
        """An operator that reads as many elements as the answer has."""
        if name in COPIES and "cpu" not in trace.args(row).get("Concrete Inputs", []):
            self._copies_until = trace.events.end_ns[row]
        elif name in COPIES or (name == "aten::copy_" and trace.events.start_ns[row] >= self._copies_until):
            self._is_used = True  # it is kept somewhere, or read on the host
        if name in TAKES and shapes and prod(shapes[0]) == prod(self._answer):
            part = _part(trace, row, name, shapes[0])
            if part < 1:
                self._answer = shapes[0]
                self._taken[name, *trace.args(row).get("Concrete Inputs", [])] = part
        elif name in PASSES_ON and not self._taken:
            self._rows.append(row)
        elif name not in VIEWS:
            self._is_used = True

    def closed(self) -> Discarded | None:
        kept = sum(self._taken.values())
        if self._is_used or not 0 < kept <= FEW:
            return None
        return Discarded(self._rows[0], self._rows, self._answer, kept)


def _answer(name: str, shapes: Sequence[Shape]) -> Shape:
    """The shape of a product's answer; empty for other operators."""
    first = PRODUCTS.get(name)
    pair = [] if first is None else shapes[first : first + 2]
    return (*pair[0][:-1], pair[1][-1]) if len(pair) == 2 and len(pair[0]) == len(pair[1]) >= 2 else ()


def _part(trace: Trace, row: int, name: str, shape: Shape) -> float:
    """How much of a tensor is taken; 1 if the arguments do not tell."""
    values = trace.args(row).get("Concrete Inputs")
    try:
        numbers = [int(one) for one in values[1:]]  # type: ignore[index]
        length = shape[numbers[0]]
        if name == "aten::slice":
            begin, end, every = slice(*numbers[1:4]).indices(length)
            return len(range(begin, end, every)) / length
        return (1 if name == "aten::select" else numbers[2]) / length
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        return 1.0
