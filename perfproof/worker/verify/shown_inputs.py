"""What a side was called with when its answer was wrong, short enough for a message."""

import math
import re
import reprlib
from collections.abc import Sequence
from typing import Any

import numpy

from perfproof.core.trees import is_array, is_tensor

MOST_SHOWN = 200  # characters of all arguments
FEW = 4  # values of an array, items of a list
PLACE = re.compile(r"\[(\d+)")
VALUES = re.compile(r"\b(?:got|expected) ")


def inputs_shown(names: Sequence[str], arguments: Sequence[Any], answer: Any, problem: str) -> str:
    """` for `titles[3]` = ' How to'`: the item that belongs to the wrong one, or the beginning of each argument."""
    if not names:
        return ""
    item = _item(answer, problem)
    room = max(24, MOST_SHOWN // len(names) - 8)
    each = [_one(name, value, answer, item, room) for name, value in zip(names, arguments, strict=True)]
    text = ", ".join(each)
    return f" for {text if len(text) <= MOST_SHOWN + FEW else f'{text[:MOST_SHOWN]}...'}"


def _one(name: str, value: Any, answer: Any, item: int | None, room: int) -> str:
    if item is not None and type(value) in (list, tuple) and len(value) == len(answer):
        return f"`{name}[{item}]` = {_short(value[item], room)}"
    beside = ""
    if item is not None and (is_array(value) or is_tensor(value)) and tuple(value.shape) == (len(answer),):
        beside = f", [{item}] = {_short(value[item].item(), room)}"
    return f"`{name}` = {_short(value, room)}{beside}"


def _item(answer: Any, problem: str) -> int | None:
    """Which item of the result the problem names, before it says what was got."""
    place = PLACE.search(VALUES.split(problem)[0])
    if place is None or not hasattr(answer, "__len__") or isinstance(answer, (str, dict)):
        return None
    try:
        return int(place.group(1)) if int(place.group(1)) < len(answer) else None
    except TypeError:  # an array without axes
        return None


def _short(value: Any, room: int) -> str:
    try:
        text = " ".join(_Short(room).repr(value).split("\n"))
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= room else f"{text[: room - 3]}..."


class _Short(reprlib.Repr):
    """Arrays by their shape, type and first values; long lists and texts by their beginning."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.maxstring = self.maxother = self.maxlong = room
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = FEW
        self.maxlevel = 3

    def repr1(self, x: Any, level: int) -> str:
        if is_tensor(x) or is_array(x):
            return _array(x)
        if type(x) is float:
            return f"{x:.6g}" if x == x and abs(x) != float("inf") else str(x)
        text = super().repr1(x, level)
        if type(x) in (list, tuple) and len(x) > FEW:
            return f"{text} ({len(x):,} items)"
        return text


def _array(x: Any) -> str:
    kind = str(x.dtype).removeprefix("torch.")
    flat = x.detach().reshape(-1)[:FEW].cpu().tolist() if is_tensor(x) else numpy.asarray(x).reshape(-1)[:FEW].tolist()
    first = ", ".join(f"{one:.6g}" if isinstance(one, float) else repr(one) for one in flat)
    more = ", ..." if math.prod(x.shape) > FEW else ""
    return f"{kind}{list(x.shape)} [{first}{more}]"
