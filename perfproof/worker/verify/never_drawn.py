"""Values that `inputs` never draws, but a caller may have: is a variant wrong where the baseline has an answer?

A variant is not stopped for it, because the pair may rule such values out; the result names them. Each argument is
changed alone: other signs, NaN and infinity, large whole numbers, repeated ones, no zeros, other text, a key that is
missing, nothing at all.
Rows that every draw normalises, symmetric matrices and whole numbers in floating point lose what a variant may count
on. Lengths are changed together. Numbers that every draw gives alike are exchanged, in modules too, whose biases begin
at zero, and in the settings of an optimizer. State that calls change gets a second call. The baseline is the oracle: a
value that it has no finite answer to says nothing, one that it raises for on purpose must not get an answer. Masks with
ones that always come first get them last, and of others only few entries stay. A sorted table and places in another
argument stay as they are.
"""

import dis
import math
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from typing import Any

import torch

from perfproof.core.trees import clone, is_stateful, is_tensor, leaves
from perfproof.worker.verify.case import Answer, Contract, attempt
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.equal_choices import with_right_places
from perfproof.worker.verify.extremes import picks_equals
from perfproof.worker.verify.numbers import (
    is_dense,
    is_floating,
    is_floating_or_complex,
    is_numeric,
    wide,
)
from perfproof.worker.verify.other_forms import (
    DIGIT,
    RARE,
    REPEATED,
    SHORTER,
    WITHOUT,
    emptied,
    other_digits,
    other_masks,
    other_texts,
    repeated,
    shorter_arguments,
)
from perfproof.worker.verify.other_numbers import (
    CHANGES,
    NEGATIVE_ZERO,
    NOT_FINITE,
    OF_WHOLE_NUMBERS,
    all_as_large,
    in_records,
    on_rows,
)
from perfproof.worker.verify.outputs import same_bits
from perfproof.worker.verify.relevance import perturbed
from perfproof.worker.verify.sway import apart_from
from perfproof.worker.verify.training_state import changed_by_reference

MOST_SECONDS = 3.0  # of CPU time
CLEARLY = 16.0  # tolerances
COARSE = 2.0**-12  # relative error of an answer: a smaller one is a matter of rounding, which other checks judge
SMALL, STRONGER = 0.05, 1024  # settings below that are made so many times as large, others half as large
MOST_NAMED = 3
RAISE = dis.opmap["RAISE_VARARGS"]
OTHER = "of another value"
HALF_DONE = "where it raises too, but leaves its arguments half changed"
AGAIN = "a second call on what the first one has changed"

Call = Callable[[tuple], Answer]


def check(
    contract: Contract, ready: Mapping[str, Call], anew: Mapping[str, Call], drawn: list[tuple], cut: bool = True
) -> list[str]:
    """What to say of each variant, a line each; with `cut`, shorter arguments are tried too.

    Sides are `ready` for the constants of the first of the `drawn` sets; those that are loaded `anew` by every call
    are ready for any. The baseline is the first of both.
    """
    started = time.process_time()
    found: dict[str, list[str]] = {name: [] for name in list(ready)[1:]}
    twice: dict[str, Call] = {name: partial(_twice, call) for name, call in ready.items()}
    tries: Iterator[tuple[str, tuple, Mapping[str, Call]]] = chain(
        ((what, values, ready) for what, values in changed_values(contract, drawn, cut)),
        ((what, values, anew) for what, values in changed_modules(contract, drawn)),
        ((what, values, anew) for what, values in changed_settings(contract, drawn[0])),
        [(AGAIN, drawn[0], twice)] if contract.mutates else [],
    )
    plain = {name: attempt(call, contract.copied(drawn[0])) for name, call in ready.items()}
    for what, values, sides in tries:
        if time.process_time() - started > MOST_SECONDS:
            break
        (first, baseline), *variants = sides.items()
        own = contract.copied(values)
        usual = attempt(baseline, own)
        if not _is_judge(usual, what):
            continue
        moves = what.endswith(DIGIT) and not same_bits(usual, plain[first])
        is_whole = isinstance(usual, Exception) and bool(contract.mutates) and same_bits(own, values)
        for name, call in variants:
            own = contract.copied(values)
            ours = attempt(call, own)
            half = is_whole and isinstance(ours, Exception) and not same_bits(own, values)
            if not isinstance(ours, Exception) and not isinstance(usual, Exception):
                ours = with_right_places(ours, usual, contract, values, baseline)
            refuses = isinstance(ours, Exception) and what.endswith((SHORTER, WITHOUT))  # memory of one size is lawful
            stays = moves and same_bits(ours, plain[name])  # a second in a year is within the tolerance of a timestamp
            follows = not stays and _follows(ours, usual, what, contract, values, baseline)
            said = f"{what}, {HALF_DONE}" if half else "" if refuses or follows else what
            if said and said not in found[name]:
                found[name].append(said)
    return [f"{name} does not follow the baseline for {_listed(some)}" for name, some in found.items() if some]


def _listed(found: list[str]) -> str:
    more = f"; and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return f"{'; '.join(found[:MOST_NAMED])}{more}"


def _twice(call: Call, own: tuple) -> Answer:
    call(own)
    return call(own)


def _is_judge(usual: Any, what: str) -> bool:
    """Does the baseline say what is right? A check of its own does; an exception that happens to it does not."""
    if isinstance(usual, Exception):
        return not what.endswith((SHORTER, WITHOUT, RARE)) and _is_on_purpose(usual)  # no text has a 20th month
    return _is_finite(usual) and (not what.endswith(NOT_FINITE) or _is_real(usual))


def _is_on_purpose(error: Exception) -> bool:
    """Does the exception come from a `raise` or an `assert`?"""
    at = error.__traceback__
    while at and at.tb_next:
        at = at.tb_next
    return at is not None and at.tb_frame.f_code.co_code[at.tb_lasti] == RAISE


def _follows(ours: Any, usual: Any, what: str, contract: Contract, arguments: tuple, baseline: Call) -> bool:
    if isinstance(ours, Exception) or isinstance(usual, Exception):
        return isinstance(ours, Exception) and isinstance(usual, Exception)
    if what == AGAIN:
        right = usual[0], changed_by_reference(usual[1], dict(zip(contract.names, arguments, strict=True)))
        apart = apart_from(ours, right, contract, arguments, baseline)
        return not apart.problem or apart.rms_relative <= max(COARSE, 4 * contract.spacing)
    if is_as_right(ours, usual, contract, arguments, 1.0 if SHORTER in what else CLEARLY):
        return True
    return REPEATED in what and _choose_equals(ours, usual, arguments)


def _choose_equals(ours: Answer, usual: Answer, arguments: tuple) -> bool:
    """Are the results places in an argument, with equal values there?"""
    sources = tuple(wide(leaf) for _, leaf in leaves(arguments) if is_dense(leaf))
    pairs = [(one, two) for (_, one), (_, two) in zip(leaves(ours), leaves(usual), strict=False) if is_dense(one)]
    return any(one.shape == two.shape and picks_equals(one, two, sources) for one, two in pairs)


def is_as_right(ours: Any, usual: Answer, contract: Contract, arguments: tuple, times: float = CLEARLY) -> bool:
    """Within rounding of the baseline's answer, or so many tolerances; whole numbers and texts must be equal.

    Values that are drawn need no more than the tolerance, at any length.
    """
    if isinstance(ours, Exception):
        return False
    apart = difference(ours, usual, contract.tolerance, arguments)
    if not (apart.problem and _is_real(usual)):
        return not apart.problem
    return apart.of_tolerance <= times or (apart.rms_relative <= max(COARSE, 4 * contract.spacing) and _is_finite(ours))


def _is_real(answer: Answer) -> bool:
    """Not of whole numbers and texts alone: a NaN has no place in an order."""
    return any(is_floating_or_complex(leaf) or type(leaf) in (float, complex) for _, leaf in leaves(answer))


def changed_values(contract: Contract, drawn: list[tuple], cut: bool) -> Iterator[tuple[str, tuple]]:
    """Arguments with one of them changed, or with all of their first axes cut, in words and as values."""
    arguments = drawn[0]
    free = [at for at, name in enumerate(contract.names) if contract.is_free(name) and name not in contract.domain]
    shorter = shorter_arguments(arguments, free) if cut else iter(())
    yield from islice(shorter, 1)
    for at in free:
        mine, name = arguments[at], contract.names[at]
        if is_stateful(mine):
            continue
        is_place = _is_place(mine, arguments, at)
        digits = other_digits(mine, [one[at] for one in drawn])
        masks = other_masks([one[at] for one in drawn])
        beside = [
            one for one in free if type(mine) is type(arguments[one]) is list and len(arguments[one]) == len(mine)
        ]
        empty = emptied(mine) if len(beside) < 2 else iter(())  # lists that belong together are emptied together
        for what, other in chain(empty, other_texts(mine), digits, repeated(mine), masks):
            yield f"`{name}` {what}", _with(arguments, at, other)
        if len(beside) > 1 and at == beside[0] and mine:
            names = ", ".join(f"`{contract.names[one]}`" for one in beside)
            yield f"{names} empty", tuple([] if one in beside else value for one, value in enumerate(arguments))
        for what, change in CHANGES.items():
            if (is_place and what in OF_WHOLE_NUMBERS) or (_is_of_python(mine) and what in NOT_FINITE):
                continue
            if what == NEGATIVE_ZERO and contract.mutates:  # a step has no use for the sign of a zero
                continue
            for other in in_records(mine, change, what in NOT_FINITE):
                if not same_bits(mine, other):
                    yield f"`{name}` {what}", _with(arguments, at, other)
        alike = type(mine) in (int, float, bool) and all(same_bits(mine, one[at]) for one in drawn)
        for tried in range(2 if alike else 0):
            yield f"`{name}` {OTHER}", _with(arguments, at, perturbed(mine, tried))
        if type(mine) is int and mine > 1 and not alike:
            yield f"`{name}` of 1", _with(arguments, at, 1)
    large = {at: on_rows(arguments[at], all_as_large) for at in free if not _is_place(arguments[at], arguments, at)}
    moved = [at for at, other in large.items() if not same_bits(arguments[at], other)]
    if len(moved) > 1:
        names = " and ".join(f"`{contract.names[at]}`" for at in moved)
        yield f"{names} with no small values", tuple(large.get(at, value) for at, value in enumerate(arguments))
    yield from shorter


def _is_of_python(value: Any) -> bool:
    """A list of numbers of Python, or of such lists."""
    return type(value) in (list, tuple) and all(
        type(one) in (int, float, str) or _is_of_python(one) or type(one) is dict for one in value
    )


def changed_modules(contract: Contract, drawn: list[tuple]) -> Iterator[tuple[str, tuple]]:
    """Parameters that every draw gives alike, as biases of zero and scales of one are, have other values."""
    for at, (name, mine) in enumerate(zip(contract.names, drawn[0], strict=True)):
        if not isinstance(mine, torch.nn.Module) or name in contract.lent or len({id(one[at]) for one in drawn}) == 1:
            continue
        others = [dict(one[at].named_parameters()) for one in drawn[1:]]
        alike = [
            part
            for part, value in mine.named_parameters()
            if value.is_floating_point()
            and value.numel()
            and all(same_bits(value, one[part]) for one in others if part in one)
        ]
        if alike:
            values = clone(drawn[0])
            parts = dict(values[at].named_parameters())
            with torch.no_grad():
                for part in alike:
                    parts[part].add_(torch.linspace(0.25, 0.75, parts[part].numel()).reshape(parts[part].shape))
            yield f"`{name}` with other values of {', '.join(alike[:MOST_NAMED])}, which every draw gives alike", values


def changed_settings(contract: Contract, drawn: tuple) -> Iterator[tuple[str, tuple]]:
    """An optimizer with another number for one of its settings: a weight decay is next to nothing in one step."""
    for at, (name, mine) in enumerate(zip(contract.names, drawn, strict=True)):
        groups = mine.param_groups if isinstance(mine, torch.optim.Optimizer) and name not in contract.lent else []
        for setting in [one for one, value in (groups[0] if groups else {}).items() if type(value) is float and value]:
            values = clone(drawn)
            for group in values[at].param_groups:
                group[setting] *= STRONGER if group[setting] < SMALL else 0.5
            yield f"`{name}` with another {setting}", values


def _with(arguments: tuple, at: int, value: Any) -> tuple:
    return (*arguments[:at], value, *arguments[at + 1 :])


def _is_place(value: Any, arguments: tuple, at: int) -> bool:
    """Do whole numbers choose places in another argument? Only -1, for none, is below zero."""
    if min((_smallest(leaf) for _, leaf in leaves(value)), default=0.0) < -1:
        return False
    largest = max((_largest(leaf) for _, leaf in leaves(value)), default=math.nan)
    others = (one for index, other in enumerate(arguments) if index != at for one in _sizes(other))
    return any(largest <= one for one in others)


def _smallest(leaf: Any) -> float:
    if type(leaf) is int:
        return leaf
    is_whole = is_dense(leaf) and not is_floating(leaf) and 0 not in leaf.shape
    return float(leaf.min()) if is_whole and not (is_tensor(leaf) and leaf.is_complex()) else 0.0


def _largest(leaf: Any) -> float:
    """Of whole numbers; anything else is larger than every place."""
    if type(leaf) is int:
        return leaf
    is_whole = is_dense(leaf) and not is_floating(leaf) and 0 not in leaf.shape
    return float(leaf.max()) if is_whole and not (is_tensor(leaf) and leaf.is_complex()) else math.inf


def _sizes(value: Any) -> Iterator[int]:
    if isinstance(value, (list, tuple, dict, str)):
        yield len(value)
    for _, leaf in leaves(value):
        yield from getattr(leaf, "shape", ())
        if type(leaf) is int:
            yield leaf


def _is_finite(value: Any) -> bool:
    return all(_is_finite_leaf(leaf) for _, leaf in leaves(value) if is_numeric(leaf))


def _is_finite_leaf(leaf: Any) -> bool:
    if type(leaf) in (bool, int, float):
        return math.isfinite(leaf)
    return bool(wide(leaf).isfinite().all())
