"""Arguments of forms that `inputs` never draws: shorter, empty, other text and digits, repeated values, other masks."""

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy
import torch

from perfproof.core.trees import clone, is_array, is_tensor
from perfproof.worker.verify.numbers import is_dense, wide
from perfproof.worker.verify.outputs import same_bits
from perfproof.worker.verify.records import field, field_names, with_field

A_FEW, MOST_AXES = 7, 3  # items of a short argument; lengths that are cut
MOST_KEYS, MOST_TEXTS = 8, 4  # keys that are left out, and fields with other texts
FEW_OF_A_ROW = (4, 8, 16, 32)  # ones of a mask
SHORTER, WITHOUT = "with another length", "without items"
REPEATED = "with repeated values"
DIGIT, RARE = "with another digit where every text has the same", "with a digit that no text has there"
PROSE, MOSTLY = frozenset(" \n'-,.;?!"), 0.95
DIGITS, SEVERAL, FEW_DIGITS = frozenset("0123456789"), 3, 3

DECIMAL = re.compile(r"(?<=[:,\[ ])\d+\.\d+(?=\s*[,\]}])")  # a value of JSON, not a part of a text
FIRST_LETTER = re.compile(r'(: ?")([A-Za-z])')  # of a value that is a text

Row = numpy.ndarray


def shorter_arguments(arguments: tuple, free: list[int]) -> Iterator[tuple[str, tuple]]:
    """Axes of one length, cut in all arguments: to an odd one, to one that makes a rest a large part, to nothing."""
    lengths = sorted({length for at in free for length in _lengths(arguments[at]) if length > A_FEW}, reverse=True)
    for rest in (None, A_FEW, 0):
        for most in lengths[:MOST_AXES]:
            if rest == 0 and not any(is_dense(arguments[at]) and most in arguments[at].shape for at in free):
                continue  # of lists and texts `emptied` makes empty ones
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


def other_texts(value: Any) -> Iterator[tuple[str, Any]]:
    """Text with other letters and other spaces; of a list its middle item has them, of a record a field.

    Of several records one lacks a key.
    """
    if type(value) is list and value and (field_names(value[0]) or {*map(type, value)} <= {str, dict}):
        middle = len(value) // 2
        for what, other in other_texts(value[middle]):
            yield what, [*value[:middle], other, *value[middle + 1 :]]
    elif names := field_names(value):
        if type(value) is dict:
            yield from (
                ("without a key", {one: value[one] for one in value if one != key}) for key in names[:MOST_KEYS]
            )
        texts = [name for name in names if type(field(value, name)) is str][:MOST_TEXTS]
        for name in texts:
            for what, other in other_texts(field(value, name)):
                yield f"{what} in `{name}`", with_field(value, name, other)
    elif type(value) is bytes and value.isascii():
        yield from ((what, other.encode()) for what, other in other_texts(value.decode()))
    elif type(value) is bytes and len(value) > A_FEW:
        yield from _damaged(value)
    elif type(value) is str and value.isascii():
        yield from _other_json(value)
        letters = [at for at, letter in enumerate(value) if letter.isalpha()]
        if letters:
            at = letters[len(letters) // 2]
            yield "with letters beyond ASCII", f"{value[:at]}Éß{value[at + 1 :]}"
        if value.islower() or value.isupper() or _is_prose(value):
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


def _is_prose(text: str) -> bool:
    """Words of both cases. A log or a table has a form of its own, in which `nOV` is no month."""
    return any(map(str.isalpha, text)) and sum(one.isalpha() or one in PROSE for one in text) >= MOSTLY * len(text)


def _damaged(value: bytes) -> Iterator[tuple[str, bytes]]:
    """Where a checksum or a length tells the baseline that something is wrong, it must tell the variant too."""
    for what, at in (("with another last byte", -1), ("with another byte near its end", -A_FEW)):
        yield what, value[:at] + bytes([value[at] ^ 1]) + (value[at + 1 :] if at != -1 else b"")
    yield "cut short", value[: -len(value) // 4]


def _other_json(text: str) -> Iterator[tuple[str, str]]:
    """The same JSON as another program writes it. Of several lines the middle one is."""
    lines = text.splitlines()
    middle = len(lines) // 2
    for before, one, after in ((lines[:middle], lines[middle], lines[middle + 1 :]), ([], text, [])) if lines else ():
        if one.strip()[:1] not in ("{", "["):
            continue
        try:
            value = json.loads(one)
        except ValueError:
            continue
        written = {
            "with other spaces in its JSON": json.dumps(
                value, separators=(",", ":") if ": " in one else (" , ", " : ")
            ),
            "with the keys of its JSON in another order": json.dumps(_reversed(value)),
            "with exponents in the numbers of its JSON": DECIMAL.sub(lambda found: f"{float(found[0]):.17e}", one),
            "with negative numbers in its JSON": DECIMAL.sub(r"-\g<0>", one),
            "with escapes in the texts of its JSON": FIRST_LETTER.sub(lambda at: f"{at[1]}\\u{ord(at[2]):04x}", one),
        }
        yield from ((what, "\n".join([*before, other, *after])) for what, other in written.items() if other != one)
        return


def _reversed(value: Any) -> Any:
    return dict(reversed(value.items())) if type(value) is dict else value


def other_digits(value: Any, drawn: list) -> Iterator[tuple[str, Any]]:
    """Numbers in texts that are the same in all of them, counted from the end: an offset of `+00:00`, a version."""
    texts = [text for one in drawn for text in (one if type(one) is list else [one])]
    if len({*texts} if {*map(type, texts)} == {str} else ()) < SEVERAL:
        return
    kinds = [{*letters} for letters in zip(*map(reversed, texts), strict=False)]
    alike = [len(kind) == 1 and kind < DIGITS for kind in kinds]
    ends = [(at, DIGIT) for at, same in enumerate(alike) if same and not (at and alike[at - 1])]
    few = [(at, RARE) for at, kind in enumerate(kinds) if 1 < len(kind) <= FEW_DIGITS and kind < DIGITS]
    for at, what in [*ends[:MOST_KEYS], *few[-MOST_KEYS:]]:
        text, middle = (value[len(value) // 2], len(value) // 2) if type(value) is list else (value, 0)
        place = len(text) - 1 - at
        digit = str((int(text[place]) - 1) % 10) if what == DIGIT else max(DIGITS - kinds[at])
        other = f"{text[:place]}{digit}{text[place + 1 :]}"
        yield what, [*value[:middle], other, *value[middle + 1 :]] if type(value) is list else other


def repeated(value: Any) -> Iterator[tuple[str, Any]]:
    """Whole numbers or texts that every draw gives once: every second one is made equal to the one before it."""
    is_list = type(value) is list and {*map(type, value)} in ({int}, {str})
    is_row = is_dense(value) and value.ndim == 1 and str(value.dtype).removeprefix("torch.").startswith(("int", "uint"))
    if (is_list or is_row) and len(value) > 3 and len({*(value if is_list else value.tolist())}) == len(value):
        other, last = clone(value), len(value) // 2 * 2
        other[1:last:2] = clone(value[0:last:2])
        yield REPEATED, other


def other_masks(drawn: list) -> Iterator[tuple[str, Any]]:
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


def emptied(value: Any) -> Iterator[tuple[str, Any]]:
    """Nothing, and of rows one that is empty and one that is shorter than the others."""
    if type(value) in (list, str) and value:
        yield "empty", type(value)()
    if type(value) is list and len(value) > 1 and {*map(type, value)} == {list} and value[-1]:
        yield "with an empty row", [*value[:-1], []]
        yield "with a shorter row", [*value[:-1], value[-1][:-1]]
