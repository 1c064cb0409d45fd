"""A wrong answer in words: how many elements differ, where the worst one is, what was got and what was expected."""

import re
from typing import Any

import numpy
import torch

MOST_SHOWN = 60  # characters of a value in a message
_reshape = torch._C.TensorBase.reshape  # before a pair can reach it


def told(ours: Any, theirs: Any, place: int, where: str, beyond: int, times: str) -> str:
    """How many elements are wrong, where the worst one is, and what stands there."""
    if ours.numel() == 1:
        return f"is wrong: {got_and_expected(ours, theirs, place)}, {times}"
    worst = f"the worst{where}: {got_and_expected(ours, theirs, place)}"
    return f"differs in {count_of(beyond, ours.numel())}; {worst}, {times}"


def times_tolerance(share: float, rtol: float, atol: float) -> str:
    if rtol == atol == 0:
        return "which must be equal"
    times = "just above" if 1 <= share < 1.005 else f"{share:.3g} times"
    return f"{times} the tolerance (rtol {rtol:.3g}, atol {atol:.3g})"


def got_and_expected(ours: Any, theirs: Any, place: int) -> str:
    got, wanted = (_reshape(values, (-1,))[place].item() for values in (ours, theirs))
    text = [f"{value:.6g}" if isinstance(value, (float, complex)) else str(value) for value in (got, wanted)]
    if text[0] == text[1]:  # more digits tell them apart
        text = [repr(value) for value in (got, wanted)]
    return f"got {text[0]}, expected {text[1]}"


def shown(value: Any) -> str:
    """A value on one line and short; the types of a pair may print themselves by code of their own."""
    try:
        text = re.sub(r"\s*\n\s*", " ", repr(value))  # spaces inside a text may be what differs
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."


def both_shown(ours: Any, theirs: Any) -> str:
    """Two values that differ; of long texts the part around the first difference."""
    if type(ours) is type(theirs) is str and shown(ours) == shown(theirs):
        alike = next((at for at, (one, two) in enumerate(zip(ours, theirs, strict=False)) if one != two), None)
        start = max(0, (min(len(ours), len(theirs)) if alike is None else alike) - MOST_SHOWN // 3)
        parts = [shown(text[start : start + MOST_SHOWN // 2]) for text in (ours, theirs)]
        return f"got ...{parts[0]}, expected ...{parts[1]}, from character {start} on"
    return f"got {shown(ours)}, expected {shown(theirs)}"


def count_of(count: int, total: int) -> str:
    return f"{count:,} of {total:,} elements"


def place_in(shape: tuple[int, ...], place: int) -> str:
    if not shape:
        return ""
    return f" at [{', '.join(str(int(index)) for index in numpy.unravel_index(place, tuple(shape)))}]"
