"""Every argument must matter: one that can be exchanged without a trace may go unread, or hold the answer."""

from collections.abc import Callable
from typing import Any

import numpy
import torch

from perfproof.core.trees import (
    count_leaves,
    holds_buffers,
    is_array,
    is_plain,
    is_stateful,
    is_tensor,
    leaves,
    map_leaves,
    whole,
)
from perfproof.worker.verify.case import MOVED, Answer, Case, attempt
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.numbers import in_type_of, is_dense, is_floating, wide
from perfproof.worker.verify.outputs import same_bits

NAME = "every argument matters"
PASSED = "each one, exchanged alone, changes the answer by more than twice the tolerance"
DRAWS, TRIES, TRIES_IF_ALIKE = 8, 4, 2  # a word drawn out of two is the same in many a draw
PIECE = 1 << 20  # values
APART = 2.0  # tolerances: one answer cannot be right for two that are further apart


def check(case: Case) -> tuple[str, list[str]]:
    """Exchange each argument alone: the first problem, and what cannot be shown but is no problem."""
    problems: list[str] = []
    notes: list[str] = []
    for at, varies in unread(case, lambda *exchanged: _shows(case, problems, *exchanged)).items():
        unproved = f"nothing proves that `{case.contract.names[at]}` is read"
        if varies:
            remedy = "tighten the tolerance, draw values that change the answer, or remove the argument"
            if case.contract.constant and case.contract.names[at] not in case.contract.constant:
                kept = " and ".join(f"`{name}`" for name in case.contract.constant)
                remedy += f" (and do not make it from {kept}, which every call gets from the first draw)"
            problems.append(f"{unproved}: the value of another draw leaves the answer within the tolerance; {remedy}")
        elif not _is_written(case, at):  # a fresh optimizer is the same in every draw, and its moments are compared
            notes.append(f"{unproved}: every call gets the same value, and {_tried(case, at)}")
    return next(iter(problems), ""), notes


def _tried(case: Case, at: int) -> str:
    """What was tried in place of a value that every draw gives; of a text nobody knows what else it may be."""
    is_lent = case.contract.names[at] in case.contract.lent  # too large for another one: it was changed in place
    if not is_lent and all(perturbed(case.arguments[at], tried) is None for tried in range(TRIES_IF_ALIKE)):
        return "this check has no other one to try: let `inputs` draw different ones"
    return "the others that were tried do not change the answer"


def unread(case: Case, shows: Callable[[int, Any, bool], bool]) -> dict[int, bool]:
    """Places of the arguments for which nothing shows that they are read; True if draws differ in it.

    `shows(place, value, drawn)` says whether another value there changes the answer.
    """
    varies, found = dict.fromkeys(range(len(case.arguments)), False), {}
    tries = dict.fromkeys(varies, 0)
    for tried in range(DRAWS):
        other = case.draw() if varies else ()
        for at in list(varies):
            mine = case.arguments[at]
            if mine is other[at] and case.contract.names[at] in case.contract.lent:  # no room for another one
                if case.anywhere(_shows_in_place(case, at, tried)):
                    del varies[at]
                continue
            drawn = case.anywhere(not same_bits(mine, other[at]))
            fits = drawn and not case.anywhere(_shapes(mine) != _shapes(other[at]))
            value = other[at] if fits else perturbed(mine, tried)
            value = other[at] if value is None and drawn else value
            varies[at] |= drawn
            tries[at] += value is not None
            shown = value is not None and case.anywhere(shows(at, value, fits))
            if not shown and drawn and value is not other[at]:  # of other lengths: moved inside, a sum stays the same
                shown = case.anywhere(shows(at, other[at], True))
            if shown:
                del varies[at]
            elif tries[at] == (TRIES if varies[at] else TRIES_IF_ALIKE):
                found[at] = varies.pop(at)
    return found | varies


def _shows(case: Case, problems: list[str], at: int, value: Any, drawn: bool) -> bool:
    contract, name = case.contract, case.contract.names[at]
    mixed = (*case.arguments[:at], value, *case.arguments[at + 1 :])
    new = attempt(case.answer, mixed)
    if case.anywhere(isinstance(new, Exception)):  # it is read, unless only the reference raises
        baseline = next(iter(case.sides.values()))
        found = new if name in contract.constant else attempt(baseline, contract.copied(mixed))
        return isinstance(found, Exception) or bool(difference(found, case.expected, contract.tolerance).problem)
    if case.anywhere(changes(new, case)):
        if not drawn and contract.is_free(name):
            problems.extend(_not_followed(case, name, mixed, new))
        return True
    written = _is_written(case, at)
    if written and drawn and not case.anywhere(not same_bits(new, case.expected)):
        problems.extend(_not_followed(case, name, mixed, case.expected))
    return written


def _is_written(case: Case, at: int) -> bool:
    """Would a side that leaves this argument as it was be wrong?"""
    name = case.contract.names[at]
    if name not in case.contract.mutates:
        return False
    if any(moved.partition(".")[0] == str(at) for moved in case.expected[1].get(MOVED, ())):  # a scheduler's numbers
        return True
    unchanged = case.expected[0], {**case.expected[1], name: case.arguments[at]}
    return case.anywhere(difference(unchanged, case.expected, case.contract.tolerance).problem)


def _shows_in_place(case: Case, at: int, tried: int) -> bool:
    """One tensor of the argument, the largest first, is changed in place and put back."""
    tensors = [leaf for _, leaf in leaves(case.arguments[at]) if is_tensor(leaf) and is_dense(leaf)]
    tensors = [tensor for tensor in tensors if tensor.numel() and tensor.is_contiguous()]
    tensors.sort(key=lambda tensor: -tensor.numel())
    if tried >= len(tensors):
        return False
    _turn_over(tensors[tried])
    try:
        new = attempt(case.answer, case.arguments)
    finally:
        _turn_over(tensors[tried])
    return isinstance(new, Exception) or changes(new, case)


def _turn_over(tensor: torch.Tensor) -> None:
    """The values of every piece in reverse; once more, and they are as before. It needs no memory but for a piece."""
    for piece in tensor.detach().reshape(-1).split(PIECE):
        piece.copy_(piece.flip(0))


def changes(new: Answer, case: Case) -> bool:
    """Is another answer of the reference so far from the expected one that no result passes for both?"""
    if any(is_stateful(leaf) for _, leaf in whole(case.expected)):  # a step is compared with the step, not the weights
        return difference(new, case.expected, case.contract.tolerance).of_tolerance > APART
    answers, expected = list(leaves(new)), list(leaves(case.expected))
    if [path for path, _ in answers] != [path for path, _ in expected]:  # other keys are another answer
        return True
    models = (model for _, model in leaves(case.example))
    rounded = [in_type_of(leaf, model) for (_, leaf), model in zip(answers, models, strict=False)]
    return difference(rounded, [leaf for _, leaf in expected], case.contract.tolerance).of_tolerance > APART


def _not_followed(case: Case, name: str, mixed: tuple, right: Answer) -> list[str]:
    """A mask that never masks, a buffer that comes with the answer in it: variants must follow as the baseline does."""
    if not holds_buffers(mixed[case.contract.names.index(name)]):
        return []
    wrong = []
    for side, call in case.sides.items():
        found = attempt(call, case.contract.copied(mixed))
        if isinstance(found, Exception) or difference(*_finite(found, right), case.contract.tolerance).problem:
            wrong.append(side)
    remedy = f"read `{name}`, or name it in `constant` if it never changes"
    return [] if "baseline" in wrong else [f"{side} is wrong for another value of `{name}`: {remedy}" for side in wrong]


def perturbed(value: Any, tried: int) -> Any:
    """Another value of the same kind and range, or None: text and modules have none."""
    other = value if is_stateful(value) else map_leaves(value, lambda leaf: _perturbed(leaf, tried))
    return None if same_bits(value, other) else other


def _perturbed(leaf: Any, tried: int) -> Any:
    if is_dense(leaf):
        return _moved(leaf, tried)
    if isinstance(leaf, bool):
        return not leaf
    if isinstance(leaf, int):
        return leaf - 1 if tried and leaf > 1 else leaf + 1  # a step of zero would never end a loop
    if isinstance(leaf, float):  # a limit may hold back nothing more if it is larger
        return 0.5 * leaf - (leaf == 0) if tried else 1.5 * leaf + (leaf == 0)
    return leaf


def _moved(leaf: Any, tried: int) -> Any:
    """Truth values inverted, whole numbers in other places (so that they stay in range), others scaled as well.

    At first every second truth value of a row is: a mask that leaves nothing of a row says nothing of it.
    """
    if is_array(leaf):
        return _moved(torch.as_tensor(numpy.ascontiguousarray(leaf)), tried).numpy()
    if leaf.dtype == torch.bool:
        if tried or not leaf.ndim:
            return ~leaf
        return leaf ^ (torch.arange(leaf.shape[-1], device=leaf.device) % 2 == 0)
    flat = leaf.detach().reshape(-1)
    if leaf.is_floating_point() or leaf.is_complex():
        flat = 1.5 * flat.to(torch.complex128 if leaf.is_complex() else torch.float64)
    return (flat.flip(0) if tried else flat.roll(1)).to(leaf.dtype).reshape(leaf.shape)


def _shapes(value: Any) -> list[tuple[int, ...]]:
    if is_plain(value):
        return [()] * count_leaves(value)
    return [tuple(getattr(leaf, "shape", ())) for _, leaf in leaves(value)]


def _finite(found: Answer, right: Answer) -> tuple[Any, Any]:
    """Both, where the right answer is finite: a row in which all is masked is 0 / 0, and a kernel may give zeros."""
    ours, theirs = list(leaves(found)), list(leaves(right))
    if [path for path, _ in ours] != [path for path, _ in theirs]:
        return found, right
    pairs = [(one, other) for (_, one), (_, other) in zip(ours, theirs, strict=True)]
    kept = [_finite_leaf(one, other) if is_floating(other) else (one, other) for one, other in pairs]
    return [one for one, _ in kept], [other for _, other in kept]


def _finite_leaf(ours: Any, right: Any) -> tuple[Any, Any]:
    if not (is_dense(ours) and is_dense(right)) or ours.shape != right.shape:
        return ours, right
    finite = wide(right).isfinite().to(right.device if is_tensor(right) else "cpu")
    if bool(finite.all()) or not bool(finite.any()):
        return ours, right
    places = finite if is_tensor(right) else finite.numpy()
    return (ours[finite.to(ours.device)] if is_tensor(ours) else ours[places]), right[places]
