"""On a GPU: operators take many times as long as their bytes and operations need.

The need is a model from the shapes that torch recorded: every byte once at the memory's bandwidth, or every operation
at the peak, whichever takes longer. Two reasons are known: additions that meet in few places, where one waits for the
other, and matrices of 16 bits whose rows begin at odd addresses, which the fast kernels cannot load. The others are
told without a reason, and never above medium.
"""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.operators import (
    MISSING,
    PRODUCTS,
    SIZES,
    Roofs,
    kernels_of_operators,
    roofs_of,
    used_on_device,
)
from perfproof.diagnose.tensors import Shape, shapes_of
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, short, time
from perfproof.profile.intervals import total

MUCH, MOST = 0.15, 0.35  # of the step, that could go
SLOWER, MUCH_SLOWER = 4.0, 10.0  # than the need: with a known reason; without one
REACHED = 1.4  # times the need, as fast kernels take
SHORTEST_NS = 50_000  # of a call: a shorter one pays for its start
ADDS = frozenset(f"aten::{name}{end}" for name in ("index_add", "scatter_add", "scatter_reduce") for end in ("", "_"))
MANY = 1000  # values per place
ALIGNED = 8  # elements of 16 bits, which fast kernels load at once
HALVES = ("c10::Half", "c10::BFloat16")
EXPLAINED_BY = (
    *("strided_tensors", "costly_kernels", "wrong_precision", "dense_embedding"),
    *("converted_weights", "discarded_results"),
)
SHOWN = 3


class Reason(NamedTuple):
    title: str
    advice: str
    refuted_by: str


CONTENDED = Reason(
    "many values are added into few places",
    "spread the additions over more places and add these up: index + places * (arange(n) % 1024) into 1024 copies, "
    "then a sum; or a masked sum per place, a product with one-hot rows, torch.bincount(index, weights=values)",
    "with 1024 copies of the places the step takes as long",
)
UNALIGNED = Reason(
    "16-bit matrix products of sizes that are no multiples of 8",
    "pad sizes (features, hidden, vocabulary) to multiples of 8, better of 64, with zeros: only then kernels can load "
    "16 bytes at once",
    "with padded sizes the products take as long",
)
UNKNOWN = Reason(
    "operators take many times as long as their bytes and operations need",
    "see which kernel it is and why: its strides, its type, its sizes, how many blocks it has (`perfproof profile "
    "--metrics deep`)",
    "the operator does more than its shapes tell",
)


class Slow(NamedTuple):
    """An operator at one shape, over the steady steps."""

    reason: Reason
    text: str
    time_ns: int
    need_ns: float
    kernels: Sequence[int]

    @property
    def lost(self) -> float:
        """Of its time."""
        return max(0.0, 1 - REACHED * self.need_ns / self.time_ns)


def find(evidence: Evidence) -> Finding | Abstained | None:
    looked = [(trace, roofs) for trace in evidence.device_traces if (roofs := roofs_of(trace, evidence.ceilings))]
    if not any(kernels_of_operators(trace) for trace, _ in looked):
        return Abstained(rule="slow_operators", missing=MISSING)
    found = [finding for trace, roofs in looked for finding in _judge(trace, roofs)]
    return max(found, key=lambda one: (one.title != UNKNOWN.title, one.share or 0.0), default=None)


def _judge(trace: Trace, roofs: Roofs) -> list[Finding]:
    slow = [*_contended(trace, roofs), *_modelled(trace, roofs)]
    found = [_finding(trace, reason, [one for one in slow if one.reason is reason]) for reason in _REASONS]
    return [one for one in found if one is not None]


_REASONS = (CONTENDED, UNALIGNED, UNKNOWN)


def _modelled(trace: Trace, roofs: Roofs) -> list[Slow]:
    """Products, elementwise operators and reductions, of which the shapes tell all of the work."""
    found = []
    for one in used_on_device(trace):
        peak = roofs.flops.get(one.work.dtype)
        if one.time_ns < SHORTEST_NS * one.calls or (one.name in PRODUCTS and not peak):
            continue
        operations = one.work.flops / peak if one.name in PRODUCTS and peak else 0.0
        need = 1e9 * max(operations, one.work.bytes / roofs.bytes_per_second)
        odd = _odd_sizes(one.name, trace.args(one.operator))
        if one.time_ns < (SLOWER if odd else MUCH_SLOWER) * need:
            continue
        text = f"{one.name} {short(one.dims)} {one.work.dtype}"
        text += f", with rows of {', '.join(map(str, odd))} elements" if odd else ""
        found.append(Slow(UNALIGNED if odd else UNKNOWN, text, one.time_ns, need, one.rows))
    return found


def _odd_sizes(name: str, args: dict[str, Any]) -> list[int]:
    """Lengths of the rows of matrices of 16 bits, as they lie in memory, that are no multiples of 8."""
    dims, types, strides = args.get("Input Dims"), args.get("Input type"), args.get("Input Strides")
    if name not in PRODUCTS or not (isinstance(dims, list) and isinstance(types, list) and isinstance(strides, list)):
        return []
    first = PRODUCTS[name]
    pair = [(*dims[place][-2:], *strides[place][-2:]) for place in range(first, first + 2) if types[place] in HALVES]
    if len(pair) < 2:
        return []
    rows = [max(one[2:]) for one in pair] + [pair[1][1]]  # the answer's rows too
    return sorted({length for length in rows if length % ALIGNED})


def _contended(trace: Trace, roofs: Roofs) -> list[Slow]:
    """Additions at places that an index names, with far more values than places."""
    by_shapes: dict[tuple[str, tuple[Shape, ...]], list[int]] = {}
    moved: dict[tuple[str, tuple[Shape, ...]], float] = {}
    for row, kernels in kernels_of_operators(trace).items():
        name, shapes = trace.events.name(row), tuple(shapes_of(trace, row))
        if name in ADDS and len(shapes) >= 3 and prod(shapes[-1]) > MANY * prod(shapes[0]):
            by_shapes.setdefault((name, shapes), []).extend(kernels)
            types = [one for one in trace.args(row).get("Input type", []) if one in SIZES]
            each = [SIZES[kind] for kind in types] if len(types) == len(shapes) else [SIZES["float"]] * len(shapes)
            read = sum(prod(shape) * size for shape, size in zip(shapes, each, strict=True))
            moved[name, shapes] = moved.get((name, shapes), 0.0) + read
    found = []
    for (name, shapes), kernels in by_shapes.items():
        spent = sum(trace.events.end_ns[row] - trace.events.start_ns[row] for row in kernels)
        need = 1e9 * moved[name, shapes] / roofs.bytes_per_second
        if spent > SLOWER * need:
            text = f"{name} adds {prod(shapes[-1])} values into {prod(shapes[0])} places"
            found.append(Slow(CONTENDED, text, spent, need, kernels))
    return found


def _finding(trace: Trace, reason: Reason, slow: Sequence[Slow]) -> Finding | None:
    spent = sum(one.time_ns for one in slow)
    visible = total(trace.alone([row for one in slow for row in one.kernels])) / max(1, spent)
    share = visible * trace.share(sum(one.lost * one.time_ns for one in slow))
    if share <= MUCH:
        return None
    slow = sorted(slow, key=lambda one: -one.time_ns)
    confidence: Confidence = confidence_of(share, MUCH, MOST)
    return Finding(
        rule="slow_operators",
        title=reason.title,
        confidence="medium" if reason is UNKNOWN else confidence,
        evidence=[
            Proof(
                text=f"{one.text}: {time(one.time_ns / len(trace.steps))} per step, {one.time_ns / one.need_ns:.0f} "
                f"times what its bytes and operations need; {percent(trace.share(one.time_ns))} of the step",
                place=trace.place(one.kernels[0]),
                values={"times": one.time_ns / one.need_ns},
            )
            for one in slow[:SHOWN]
        ],
        share=share,
        advice=reason.advice,
        experiment=COMPARE_CHANGE,
        refuted_by=reason.refuted_by,
        parts=dict.fromkeys(EXPLAINED_BY, share) if reason is UNKNOWN else {},
    )
