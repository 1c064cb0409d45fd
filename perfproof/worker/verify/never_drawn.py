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

import numpy
import torch

from perfproof.core.trees import clone, is_array, is_stateful, is_tensor, leaves, map_leaves
from perfproof.worker.verify.case import Answer, Contract, attempt
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.equal_choices import with_right_places
from perfproof.worker.verify.extremes import picks_equals
from perfproof.worker.verify.numbers import (
    dtype_name,
    is_dense,
    is_floating,
    is_floating_or_complex,
    is_numeric,
    rounding,
    size,
    wide,
)
from perfproof.worker.verify.outputs import same_bits
from perfproof.worker.verify.relevance import perturbed
from perfproof.worker.verify.sway import apart_from
from perfproof.worker.verify.training_state import changed_by_reference

MOST_SECONDS = 3.0  # of CPU time
CLEARLY = 16.0  # tolerances
COARSE = 2.0**-12  # relative error of an answer: a smaller one is a matter of rounding, which other checks judge
LARGER = 1024
SMALL, STRONGER = 0.05, 1024  # settings below that are made so many times as large, others half as large
A_FEW, MOST_AXES, MOST_KEYS = 7, 3, 8  # items of a short argument; lengths that are cut, keys that are left out
FEW = 16  # distinct values of a mask or a flag
FEW_OF_A_ROW = (4, 8, 16, 32)  # ones of a mask
MOST_NAMED = 3
RAISE = dis.opmap["RAISE_VARARGS"]
NOT_FINITE = ("with a NaN", "with an infinity", "with a row of minus infinity")
NEGATIVE_ZERO = "with a negative zero"
SHORTER, WITHOUT = "with another length", "without items"
OTHER, REPEATED = "of another value", "with repeated values"
DIGIT, DIGITS, SEVERAL = "with another digit where every text has the same", "0123456789", 3
AGAIN = "a second call on what the first one has changed"

Row = numpy.ndarray
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
        usual = attempt(baseline, contract.copied(values))
        if not _is_judge(usual, what):
            continue
        moves = what.endswith(DIGIT) and not same_bits(usual, plain[first])
        for name, call in variants:
            ours = attempt(call, contract.copied(values))
            if not isinstance(ours, Exception) and not isinstance(usual, Exception):
                ours = with_right_places(ours, usual, contract, values, baseline)
            refuses = isinstance(ours, Exception) and what.endswith((SHORTER, WITHOUT))  # memory of one size is lawful
            stays = moves and same_bits(ours, plain[name])  # a second in a year is within the tolerance of a timestamp
            follows = not stays and _follows(ours, usual, what, contract, values, baseline)
            if what not in found[name] and not refuses and not follows:
                found[name].append(what)
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
        return not what.endswith((SHORTER, WITHOUT)) and _is_on_purpose(usual)
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
    shorter = _shorter(arguments, free) if cut else iter(())
    yield from islice(shorter, 1)
    for at in free:
        mine, name = arguments[at], contract.names[at]
        if is_stateful(mine):
            continue
        is_place = _is_place(mine, arguments, at)
        digits = _other_digits(mine, [one[at] for one in drawn])
        masks = _other_masks([one[at] for one in drawn])
        for what, other in chain(_emptied(mine), _other_texts(mine), digits, _repeated(mine), masks):
            yield f"`{name}` {what}", _with(arguments, at, other)
        for what, change in CHANGES.items():
            if (is_place and what in OF_WHOLE_NUMBERS) or (type(mine) in (list, tuple) and what in NOT_FINITE):
                continue
            if what == NEGATIVE_ZERO and contract.mutates:  # a step has no use for the sign of a zero
                continue
            other = _on_rows(mine, change)
            if not same_bits(mine, other):
                yield f"`{name}` {what}", _with(arguments, at, other)
        alike = type(mine) in (int, float, bool) and all(same_bits(mine, one[at]) for one in drawn)
        for tried in range(2 if alike else 0):
            yield f"`{name}` {OTHER}", _with(arguments, at, perturbed(mine, tried))
        if type(mine) is int and mine > 1 and not alike:
            yield f"`{name}` of 1", _with(arguments, at, 1)
    yield from shorter


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


def _on_rows(value: Any, change: Callable[[Row], Row]) -> Any:
    """Tensors, arrays and lists of numbers, changed; everything else as it is."""
    if type(value) in (list, tuple):
        kinds = {*map(type, value)}
        if kinds in ({int}, {float}) and len(value) > 1 and all(abs(one) < 2**62 for one in value):
            return type(value)(change(numpy.array(value)).tolist())
        return value if hasattr(value, "_fields") else type(value)(_on_rows(one, change) for one in value)
    if type(value) is dict:
        return {key: _on_rows(one, change) for key, one in value.items()}
    return map_leaves(value, partial(_on_leaf, change))


def _on_leaf(change: Callable[[Row], Row], leaf: Any) -> Any:
    if not is_dense(leaf) or size(leaf) < 2 or dtype_name(leaf).startswith(("bool", "complex")):
        return leaf
    if is_array(leaf):
        return change(leaf.copy()).astype(leaf.dtype)
    own = leaf.detach().cpu()
    fine = own.double() if own.is_floating_point() and rounding(own) > 2.0**-11 else own  # NumPy has no bfloat16
    return torch.from_numpy(change(fine.numpy().copy())).to(leaf.dtype).requires_grad_(leaf.requires_grad)


def _is_structure(x: Row) -> bool:
    """A mask, a sorted table, a symmetric matrix, normalised rows: other values are not to be expected there."""
    flat = x.reshape(-1)[: 1 << 16]
    if numpy.unique(flat).size <= min(FEW, flat.size // 2) or _is_sorted(flat):
        return True
    return _is_symmetric(x) or _is_normalised(x)


def _is_symmetric(x: Row) -> bool:
    return x.ndim > 1 and x.shape[-1] == x.shape[-2] > 1 and numpy.array_equal(x, x.swapaxes(-1, -2))


def _is_normalised(x: Row) -> bool:
    rows = (x.sum(-1), numpy.square(x).sum(-1)) if x.dtype.kind == "f" else ()
    return any(bool((abs(row - 1) < 1e-3).all()) for row in rows)


def _is_sorted(flat: Row) -> bool:
    return bool((flat[1:] >= flat[:-1]).all() or (flat[1:] <= flat[:-1]).all())


def _of_both_signs(x: Row) -> Row:
    one_sign = x.dtype.kind != "u" and ((x >= 0).all() or (x <= 0).all())
    if not one_sign or _is_structure(x):
        return x
    flat = x.reshape(-1)
    flat[::2] *= -1
    return flat.reshape(x.shape)


def _large(x: Row) -> Row:
    """All as large as a small type allows; of a large type one value, which alone makes no loop endless."""
    if x.dtype.kind not in "iu":
        return x
    most = numpy.iinfo(x.dtype).max
    if x.itemsize <= 2:
        return numpy.full_like(x, most)
    flat = x.reshape(-1)
    flat[len(flat) // 2] = min(max(abs(int(flat.max())), 1) * LARGER, most)
    return flat.reshape(x.shape)


def _holding(value: float, row: bool = False) -> Callable[[Row], Row]:
    def change(x: Row) -> Row:
        if x.dtype.kind != "f" or (x.ndim == 1 and (row or _is_sorted(x))):
            return x
        if row:
            x[-1] = value
        else:
            x.reshape(-1)[x.size // 2] = value
        return x

    return change


def _not_normalised(x: Row) -> Row:
    if not _is_normalised(x):
        return x
    return x * (numpy.linspace(0.5, 1.75, x[..., 0].size).reshape(x[..., :1].shape) if x.ndim > 1 else 1.5)


def _not_symmetric(x: Row) -> Row:
    return x + numpy.triu(x, 1) / 4 if x.dtype.kind == "f" and _is_symmetric(x) else x


def _between_whole_numbers(x: Row) -> Row:
    """Counts in floating point may be weights one day; zeros and ones are flags."""
    if x.dtype.kind != "f" or not numpy.isfinite(x).all() or (x != x.round()).any() or numpy.unique(x).size < 3:
        return x
    return x + numpy.linspace(0.125, 0.375, x.size).reshape(x.shape)


def _without_zeros(x: Row) -> Row:
    """Where most values are zero, a variant may count on it."""
    if x.dtype.kind != "f" or not 0.5 < float((x == 0).mean()) < 1 or numpy.unique(x).size <= FEW:
        return x
    usual = float(abs(x).sum() / max(1, (x != 0).sum()))
    return numpy.where(x == 0, usual * numpy.linspace(0.5, 1.5, x.size).reshape(x.shape), x).astype(x.dtype)


CHANGES: dict[str, Callable[[Row], Row]] = {
    "with values of both signs": _of_both_signs,
    "with a large whole number": _large,
    "without zeros": _without_zeros,
    "with rows that are not normalised": _not_normalised,
    "that is not symmetric": _not_symmetric,
    "with values between whole numbers": _between_whole_numbers,
    NEGATIVE_ZERO: _holding(-0.0),
    NOT_FINITE[0]: _holding(numpy.nan),
    NOT_FINITE[1]: _holding(numpy.inf),
    NOT_FINITE[2]: _holding(-numpy.inf, row=True),
}
OF_WHOLE_NUMBERS = ("with values of both signs", "with a large whole number")


def _is_place(value: Any, arguments: tuple, at: int) -> bool:
    """Do whole numbers choose places in another argument?"""
    largest = max((_largest(leaf) for _, leaf in leaves(value)), default=math.nan)
    others = (one for index, other in enumerate(arguments) if index != at for one in _sizes(other))
    return any(largest <= one for one in others)


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


def _shorter(arguments: tuple, free: list[int]) -> Iterator[tuple[str, tuple]]:
    """Axes of one length, cut in all arguments: to an odd one, to one that makes a rest a large part, to nothing."""
    lengths = sorted({length for at in free for length in _lengths(arguments[at]) if length > A_FEW}, reverse=True)
    for rest in (None, A_FEW, 0):
        for most in lengths[:MOST_AXES]:
            if rest == 0 and not any(is_dense(arguments[at]) and most in arguments[at].shape for at in free):
                continue  # of lists and texts `_emptied` makes empty ones
            keep = (most - most // 7 - 1) | 1 if rest is None else rest
            values = tuple(_cut(value, most, keep) if at in free else value for at, value in enumerate(arguments))
            yield f"arguments {SHORTER if keep else WITHOUT}", values


def _lengths(value: Any) -> tuple[int, ...]:
    if type(value) in (list, tuple, str):
        return (len(value),)
    return tuple(value.shape) if is_dense(value) else ()


def _cut(value: Any, most: int, keep: int) -> Any:
    lengths = _lengths(value)
    if most not in lengths:
        return value
    if type(value) in (list, tuple, str):
        return clone(value[:keep])
    return clone(value[tuple(slice(keep if length == most else None) for length in lengths)])


def _other_texts(value: Any) -> Iterator[tuple[str, Any]]:
    """Text with other letters and other spaces; of a list its middle item has them, and of records one lacks a key."""
    if type(value) is list and value and {*map(type, value)} <= {str, dict}:
        middle = len(value) // 2
        for what, other in _other_texts(value[middle]):
            yield what, [*value[:middle], other, *value[middle + 1 :]]
    elif type(value) is dict:
        yield from (("without a key", {one: value[one] for one in value if one != key}) for key in [*value][:MOST_KEYS])
    elif type(value) is str and value.isascii():
        letters = [at for at, letter in enumerate(value) if letter.isalpha()]
        if letters:
            at = letters[len(letters) // 2]
            yield "with letters beyond ASCII", f"{value[:at]}Éß{value[at + 1 :]}"
        if value.islower() or value.isupper():
            yield "with letters of the other case", value.swapcase()
        if value == value.strip():
            yield "with spaces around", f" {value} "
        if '"' not in value and len(fields := value.split(",")) > 2:
            fields[1] = f'"{fields[1]}"'
            yield "with a quoted field", ",".join(fields)
        if " " in value and "  " not in value:
            yield "with two spaces for one", value.replace(" ", "  ", 1)
        if " " in value and "\t" not in value:
            yield "with a tab for a space", value.replace(" ", "\t", 1)


def _other_digits(value: Any, drawn: list) -> Iterator[tuple[str, Any]]:
    """Numbers in texts that are the same in all of them, counted from the end: an offset of `+00:00`, a version."""
    texts = [text for one in drawn for text in (one if type(one) is list else [one])]
    if len({*texts} if {*map(type, texts)} == {str} else ()) < SEVERAL:
        return
    alike = [len({*letters}) == 1 and letters[0] in DIGITS for letters in zip(*map(reversed, texts), strict=False)]
    ends = [at for at, same in enumerate(alike) if same and not (at and alike[at - 1])]
    for at in ends[:MOST_KEYS]:
        text, middle = (value[len(value) // 2], len(value) // 2) if type(value) is list else (value, 0)
        place = len(text) - 1 - at
        other = f"{text[:place]}{DIGITS[int(text[place]) - 1]}{text[place + 1 :]}"
        yield DIGIT, [*value[:middle], other, *value[middle + 1 :]] if type(value) is list else other


def _repeated(value: Any) -> Iterator[tuple[str, Any]]:
    """Whole numbers or texts that every draw gives once: every second one is made equal to the one before it."""
    is_list = type(value) is list and {*map(type, value)} in ({int}, {str})
    is_row = is_dense(value) and value.ndim == 1 and str(value.dtype).removeprefix("torch.").startswith(("int", "uint"))
    if (is_list or is_row) and len(value) > 3 and len({*(value if is_list else value.tolist())}) == len(value):
        other, last = clone(value), len(value) // 2 * 2
        other[1:last:2] = clone(value[0:last:2])
        yield REPEATED, other


def _other_masks(drawn: list) -> Iterator[tuple[str, Any]]:
    """Where the ones of every row come first, or last, in every draw: the other way round, as if padded on that side.

    A mask that all draws share, a causal one for instance, is part of the task.
    """
    mine = drawn[0]
    if not (is_tensor(mine) or is_array(mine)) or not all(_is_dense_mask(one) for one in drawn):
        return
    steps = numpy.concatenate([numpy.diff(wide(one).cpu().numpy(), axis=-1).reshape(-1) for one in drawn])
    one_way = bool((steps >= 0).all() or (steps <= 0).all()) and bool(steps.any())
    if one_way and not all(same_bits(mine, one) for one in drawn):
        yield "with its ones at the other end of each row", mine.flip(-1) if is_tensor(mine) else mine[..., ::-1].copy()
    if not one_way and not _is_counted(drawn):
        yield from _sparser(mine)


def _is_counted(drawn: list) -> bool:
    """Has every row as many ones in every draw? Then they are choices, one of some for instance."""
    counts = {count for one in drawn for count in wide(one).cpu().numpy().sum(-1).reshape(-1).tolist()}
    return len(counts) == 1


def _sparser(mask: Any) -> Iterator[tuple[str, Any]]:
    """Few entries of each row that are true, or few that are not: a mask may leave out what the variant counts on."""
    values = wide(mask).cpu().numpy() != 0
    keys = numpy.random.default_rng(values.size).random(values.shape)
    for few in FEW_OF_A_ROW:
        yield "with few entries that are true", _like_mask(_few(values, keys, few), mask)
        yield "with few entries that are not true", _like_mask(~_few(~values, keys, few), mask)


def _few(values: Row, keys: Row, few: int) -> Row:
    """So many of the ones of each row: those with the smallest keys."""
    ranks = numpy.where(values, keys, 2.0).argsort(-1).argsort(-1)
    return values & (ranks < few)


def _like_mask(values: Row, mask: Any) -> Any:
    if is_array(mask):
        return values.astype(mask.dtype)
    return torch.from_numpy(values).to(mask.dtype).to(mask.device)


def _is_dense_mask(value: Any) -> bool:
    if not is_dense(value) or not len(value.shape) or value.shape[-1] < 2:
        return False
    return set(numpy.unique(wide(value).cpu().numpy()).tolist()) <= {0.0, 1.0}


def _emptied(value: Any) -> Iterator[tuple[str, Any]]:
    """Nothing, and of rows one that is empty and one that is shorter than the others."""
    if type(value) in (list, str) and value:
        yield "empty", type(value)()
    if type(value) is list and len(value) > 1 and {*map(type, value)} == {list} and value[-1]:
        yield "with an empty row", [*value[:-1], []]
        yield "with a shorter row", [*value[:-1], value[-1][:-1]]


def _is_finite(value: Any) -> bool:
    return all(_is_finite_leaf(leaf) for _, leaf in leaves(value) if is_numeric(leaf))


def _is_finite_leaf(leaf: Any) -> bool:
    if type(leaf) in (bool, int, float):
        return math.isfinite(leaf)
    return bool(wide(leaf).isfinite().all())
