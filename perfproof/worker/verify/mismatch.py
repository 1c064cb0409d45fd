"""A wrong answer in words: how many elements differ, where the worst one is, what was got and what was expected."""

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
        text = " ".join(repr(value).split())
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."


def count_of(count: int, total: int) -> str:
    return f"{count:,} of {total:,} elements"


def place_in(shape: tuple[int, ...], place: int) -> str:
    if not shape:
        return ""
    return f" at [{', '.join(str(int(index)) for index in numpy.unravel_index(place, tuple(shape)))}]"
