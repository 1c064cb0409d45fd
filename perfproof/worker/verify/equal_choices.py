"""Places of values that are equal: an unstable sort, or a top-k, may take any of them.

Whether it matters which one is taken, the baseline shows on values with many ties. If its places of equal values are
in order (they go up, or down, or are the first or last ones), order may be what it promises, as a stable sort does, and
every place must be the reference's. If they are in no order, no program can count on them, and any other place of an
equal value is right.
"""

from collections.abc import Callable
from typing import Any

import torch

from perfproof.core.trees import Path, is_array, items_of, leaves, map_leaves
from perfproof.worker.verify.case import Answer, Contract, attempt
from perfproof.worker.verify.numbers import dtype_name, is_dense, is_floating, is_floating_or_complex, plain, size, wide

TELLING = 0.5  # share of places drawn at random that may have equal values: with more, a wrong place does not show
LEVELS, PROBES = 16, 4  # distinct values of a probe; a few picks may be in order by chance, but not in all probes
NUMBERS = (bool, int, float, type(None))


def with_right_places(
    answer: Answer, right: Answer, contract: Contract, arguments: tuple, baseline: Callable[[tuple], Answer]
) -> Answer:
    """The answer with the right one's places wherever its own ones have equal values in the only array that is given.

    The same object as before if that changes nothing.
    """
    ours, theirs = list(leaves(answer[0])), dict(leaves(right[0]))
    given = _only_array(arguments)
    if given is None or contract.mutates or not contract.alone or {path for path, _ in ours} != set(theirs):
        return answer
    excused = {}
    for path, one in ours:
        if _are_places(one) and _are_places(theirs[path]):
            axis = _axis_of_equals(plain(one).long(), plain(theirs[path]).long(), _values(arguments[given]))
            if axis is not None and not _keeps_order(baseline, arguments, given, path, axis):
                excused[id(one)] = theirs[path]
    return (map_leaves(answer[0], lambda leaf: excused.get(id(leaf), leaf)), answer[1]) if excused else answer


def _only_array(arguments: tuple) -> int | None:
    """Its place. If there were several, places could have equal values in one (a bucket of each score) alone."""
    others = [at for at, one in enumerate(arguments) if type(one) not in NUMBERS]
    one = arguments[others[0]] if len(others) == 1 else None
    if one is None or items_of(one) is not None or not is_dense(one) or not size(one):
        return None
    return None if dtype_name(one).startswith(("bool", "complex")) else others[0]


def _values(leaf: Any) -> torch.Tensor:
    return wide(leaf) if is_floating(leaf) else plain(leaf).long()


def _are_places(leaf: Any) -> bool:
    return is_dense(leaf) and size(leaf) > 0 and not is_floating_or_complex(leaf) and dtype_name(leaf) != "bool"


def _axis_of_equals(ours: torch.Tensor, theirs: torch.Tensor, values: torch.Tensor) -> int | None:
    """The axis along which both have places of equal values, and none of them more often than the reference has it."""
    if ours.shape != theirs.shape or torch.equal(ours, theirs.to(ours.device)):
        return None
    for axis in range(values.ndim):
        picks = [_along(one, values, axis) for one in (ours, theirs)]
        if not all(_fits(one, values, axis) for one in picks):
            continue
        mine, right = (values.take_along_dim(one, axis) for one in picks)
        again = [_rank(one, axis).ne(0).sum(axis) for one in picks]
        anywhere = torch.randint(values.shape[axis], picks[0].shape, device=values.device)
        by_chance = float(values.take_along_dim(anywhere, axis).eq(right).double().mean())
        if torch.equal(mine, right) and torch.equal(*again) and by_chance < TELLING:
            return axis
    return None


def _along(places: torch.Tensor, values: torch.Tensor, axis: int) -> torch.Tensor:
    """An argmax has one place for each row, and no axis for it."""
    return (places.unsqueeze(axis) if places.ndim == values.ndim - 1 else places).to(values.device)


def _fits(places: torch.Tensor, values: torch.Tensor, axis: int) -> bool:
    sizes = [[*one.shape[:axis], *one.shape[axis + 1 :]] for one in (places, values)]
    is_inside = bool(((places >= 0) & (places < values.shape[axis])).all())
    return places.ndim == values.ndim and sizes[0] == sizes[1] and is_inside


def _keeps_order(baseline: Callable[[tuple], Answer], arguments: tuple, given: int, path: Path, axis: int) -> bool:
    """Is the baseline's choice in order on every one of some arrays with many ties? True if it has no answer to one."""
    for probe in range(PROBES):
        tied = _tied(arguments[given], probe * arguments[given].shape[axis] // PROBES, axis)
        answer = attempt(baseline, (*arguments[:given], tied, *arguments[given + 1 :]))
        places = None if isinstance(answer, Exception) else dict(leaves(answer[0])).get(path)
        if places is None or not _are_places(places):
            return True
        values = _values(tied)
        own = _along(plain(places).long(), values, axis)
        if not _fits(own, values, axis):
            return True
        if not _is_in_order(own, values, axis):
            return False
    return True


def _tied(leaf: Any, by: int, axis: int) -> Any:
    """A copy with few distinct values, all of them drawn ones, moved round along the axis."""
    own = plain(leaf)
    values, ordered = _values(leaf), _values(leaf).reshape(-1).sort().values
    levels = ordered[:: max(1, len(ordered) // LEVELS)].unique()
    tied = levels[(torch.bucketize(values, levels, right=True) - 1).clamp(min=0)].roll(by, axis).to(own.dtype)
    return tied.numpy().astype(leaf.dtype) if is_array(leaf) else tied


def _is_in_order(places: torch.Tensor, values: torch.Tensor, axis: int) -> bool:
    """Do places of equal values go up everywhere, or down, or are they the first or the last ones?"""
    taken = values.take_along_dim(places, axis)
    rank, first = _rank(taken, axis), _rank(values, axis).take_along_dim(places, axis)
    last = _rank(values.flip(axis), axis).flip(axis).take_along_dim(places, axis)
    order = taken.argsort(dim=axis, stable=True)
    follows = rank.take_along_dim(order, axis).narrow(axis, 1, order.shape[axis] - 1) > 0
    steps = places.take_along_dim(order, axis).diff(dim=axis)[follows]
    goes_one_way = len(steps) > 0 and bool((steps > 0).all() or (steps < 0).all())
    return goes_one_way or torch.equal(rank, first) or torch.equal(rank, last)


def _rank(values: torch.Tensor, axis: int) -> torch.Tensor:
    """For each value: how many equal ones stand before it along the axis."""
    ordered, order = values.movedim(axis, -1).sort(dim=-1, stable=True)
    at = torch.arange(ordered.shape[-1], device=values.device).expand(ordered.shape)
    begins = torch.ones_like(ordered, dtype=torch.bool)
    begins[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    start = torch.where(begins, at, 0).cummax(-1).values
    return torch.empty_like(at).scatter_(-1, order, at - start).movedim(-1, axis)
