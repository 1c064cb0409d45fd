"""Every part of a result beside the reference's, with what they may differ by."""

from collections.abc import Callable
from itertools import takewhile
from typing import Any

import numpy
import torch

from perfproof.core.foreign import is_sparse, sparse_entries, sparse_name
from perfproof.core.tolerance import LOWERED, SCALED
from perfproof.core.training import Settings
from perfproof.core.trees import PLAIN, Path, is_stateful, is_tensor, leaves, parts_of, whole
from perfproof.worker.verify.facing import Facing
from perfproof.worker.verify.numbers import (
    honest_rounding,
    is_dense,
    is_mostly_below,
    plain,
    rounding,
    scale,
    tolerance_for,
)
from perfproof.worker.verify.places import other_names, place, structure_problem
from perfproof.worker.verify.training_state import Step, at_their_scale, beside_the_step, follow_rounding, steps_of

_to, _cat, _unique, _searchsorted = torch._C.TensorBase.to, torch.cat, torch.unique, torch.searchsorted

MANY_NUMBERS, NUMBERS = 32, {float, int, bool}  # so many numbers of Python are compared together
MANY_KEYS = 64  # of a dict: it is a table then, and its keys are data, not names of figures
SETTING = 1e-5  # relative: a learning rate is computed from few numbers
NOTHING = 1e-8  # of the RMS: float32 has lost such a value if the large ones were ever added to it


def side_by_side(
    result: Any, reference: Any, tolerance: dict[str, Any], named: Callable[[Any, Path], str] = place
) -> tuple[list[Facing], str]:
    """Every part of a result beside the reference's; or none, and in words how the structures differ."""
    ours, theirs = list(whole(result)), list(whole(reference))
    if _paths(ours) == _paths(theirs):
        pairs = [(path, one, other) for (path, one), (_, other) in zip(ours, theirs, strict=True)]
    else:
        pairs = [((), result, reference)]
    facing: list[Facing] = []
    owners: list[tuple[Path, Any]] = []
    steps, lowered = steps_of(reference), tolerance.get(LOWERED, 0.0)
    for path, one, other in pairs:
        if type(one) in PLAIN and type(other) in PLAIN:
            facing.append(Facing(path, one, other, *tolerance_for(tolerance, one)))
            continue
        mine, right = parts_beside(path, one, other)
        if _paths(mine) != _paths(right):
            return [], _other_parts(result, reference, mine, right, named)
        found = [
            Facing(place, a, b, *tolerance_for(tolerance, a)) for (place, a), (_, b) in zip(mine, right, strict=True)
        ]
        if is_tensor(one) and one.is_quantized:
            found = [pair._replace(quantised=one) for pair in found]
        if isinstance(one, Settings):
            found = [pair._replace(rtol=SETTING if pair.rtol else 0.0, atol=0.0) for pair in found]
        if is_stateful(one) and is_stateful(other):
            owners.append((path, one))
            found = at_their_scale(found, steps, lowered)
        facing += found
    facing = _joined(follow_rounding(facing, owners, steps, lowered))
    if not tolerance.get(SCALED):
        return facing, ""
    return [_visible(_scaled(pair), steps, lowered) for pair in facing], ""


def _visible(pair: Facing, steps: dict[Path, Step], lowered: float) -> Facing:
    """A tensor that is changed in place is held against how far it moved, as training state is."""
    if pair.of_state or pair.path not in steps:
        return pair
    own = scale(pair.theirs)
    return beside_the_step(pair, own, honest_rounding(rounding(pair.ours), 1) * own, steps[pair.path], lowered)


def _scaled(pair: Facing) -> Facing:
    """`atol` times the RMS of the reference; training state has a scale of its own.

    If most values are nothing beside the RMS (the bits of a file read as float32), each has its own scale.
    """
    if pair.of_state or not pair.atol:
        return pair
    rms = scale(pair.theirs)
    own = is_mostly_below(pair.theirs, min(pair.atol, NOTHING) * rms)
    return pair._replace(atol=0.0 if own else pair.atol * rms)


def _joined(facing: list[Facing]) -> list[Facing]:
    """Many numbers of Python in a list, a table or a column of rows as one array: compared together, as a tensor's."""
    if len(facing) < MANY_NUMBERS:
        return facing
    columns: dict[Any, list[Facing]] = {}
    tables = _tables([pair.path for pair in facing if NUMBERS.issuperset((type(pair.ours), type(pair.theirs)))])
    for at, pair in enumerate(facing):
        kinds = type(pair.ours), type(pair.theirs)
        place = _column_of(pair.path, tables) if NUMBERS.issuperset(kinds) else at
        columns.setdefault((kinds, place), []).append(pair)
    return [pair for own in columns.values() for pair in (_column(own) if len(own) >= MANY_NUMBERS else own)]


def _tables(paths: list[Path]) -> set[Path]:
    """Places of containers with many keys."""
    names: dict[Path, set[str]] = {}
    for path in paths:
        for depth, name in enumerate(path):
            names.setdefault(path[:depth], set()).add(name)
    return {place for place, own in names.items() if len(own) >= MANY_KEYS}


def _column_of(path: Path, tables: set[Path]) -> Path:
    return tuple("*" if name.isdigit() or path[:depth] in tables else name for depth, name in enumerate(path))


def _column(own: list[Facing]) -> list[Facing]:
    ours, theirs = (numpy.array([pair[at] for pair in own]) for at in (1, 2))
    if ours.dtype.hasobject or theirs.dtype.hasobject:  # whole numbers of more than 64 bits
        return own
    same = takewhile(lambda names: names[0] == names[1], zip(own[0].path, own[-1].path, strict=True))
    path, paths = tuple(name for name, _ in same), tuple(pair.path for pair in own)
    return [own[0]._replace(path=path, ours=ours, theirs=theirs, of_python=True, paths=paths)]


def parts_beside(path: Path, one: Any, other: Any) -> tuple[list[tuple[Path, Any]], list[tuple[Path, Any]]]:
    """The leaves of two parts; of sparse ones the numbers at places that either of them stores."""
    if is_sparse(one) or is_sparse(other):
        entries = _entries(one), _entries(other)
        if None not in entries and entries[0][0] == entries[1][0]:
            return _on_common_places(path, *entries)
    mine, right = list(leaves(one, path)), list(leaves(other, path))
    if _paths(mine) != _paths(right) and is_stateful(one) and is_stateful(other):  # gradients of one may be sparse
        return _dense_state(path, one), _dense_state(path, other)
    return mine, right


def _dense_state(path: Path, owner: Any) -> list[tuple[Path, Any]]:
    """The leaves of a module or optimizer, a sparse tensor as a dense one."""
    state = ((name, item.to_dense() if is_sparse(item) else item) for name, item in parts_of(owner) or ())
    return [leaf for name, item in state for leaf in leaves(item, (*path, name))]


def _on_common_places(path: Path, *entries: tuple) -> tuple[list[tuple[Path, Any]], list[tuple[Path, Any]]]:
    """Sparse values over all places that either of them stores: what is not stored is zero."""
    shape, device = entries[0][0], entries[0][2].device
    keys = [_keys(shape, _to(places, device)) for _, places, _ in entries]
    common = _unique(_cat(keys))
    found = []
    for own, (_, _, values) in zip(keys, entries, strict=True):
        spread = torch.zeros((len(common), *values.shape[1:]), dtype=values.dtype, device=device)
        spread[_searchsorted(common, own)] = _to(values, device)
        found.append([((*path, "indices"), common), ((*path, sparse_name(shape)), spread)])
    return found[0], found[1]


def _entries(leaf: Any) -> Any:
    """Shape, places and numbers of a sparse leaf, or of a dense one that is held against it."""
    if not (is_sparse(leaf) or is_dense(leaf)):
        return None
    shape, places, values = sparse_entries(leaf if is_sparse(leaf) else plain(leaf).to_sparse())
    return shape, _to(plain(places), torch.int64), plain(values)


def _keys(shape: tuple[int, ...], places: Any) -> Any:
    """One number for each place."""
    keys = torch.zeros(places.shape[1], dtype=torch.int64, device=places.device)
    for length, row in zip(shape, places, strict=False):
        keys = keys * length + row
    return keys


def _paths(parts: list[tuple[Path, Any]]) -> list[Path]:
    return [path for path, _ in parts]


def _other_parts(
    result: Any,
    reference: Any,
    mine: list[tuple[Path, Any]],
    right: list[tuple[Path, Any]],
    named: Callable[[Any, Path], str],
) -> str:
    """In words: how the structures of two results differ."""
    path, problem = structure_problem(result, reference)
    if problem:
        return f"{named(reference, path)} {problem}".lstrip()
    missing = [named(reference, path) for path in _paths(right) if path not in {*_paths(mine)}]
    extra = [named(result, path) for path in _paths(mine) if path not in {*_paths(right)}]
    if not missing and not extra:
        return "has its parts in another order than expected"
    return other_names(missing, extra)
