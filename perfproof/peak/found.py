"""What a probe hands over: ceilings made from clock readings, or a name with the reason why there is none."""

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from perfproof.core.ceilings import Ceiling, Unit


class NotMeasured(Exception):
    """This machine cannot give the number, and the text says why."""


@dataclass(frozen=True)
class Missing:
    name: str
    why: str


Found = Ceiling | Missing


def rate(
    name: str,
    work: float,
    seconds: Sequence[float],
    unit: Unit,
    counted: str,
    sizes: dict[str, Any] | None = None,
    context: dict[str, Any] | None = None,
) -> Ceiling:
    """`work` (bytes or operations) of each repeat over the seconds it took."""
    return _ceiling(name, [work / one for one in seconds], unit, counted, sizes, context)


def duration(
    name: str,
    seconds: Sequence[float],
    counted: str,
    sizes: dict[str, Any] | None = None,
    context: dict[str, Any] | None = None,
) -> Ceiling:
    return _ceiling(name, list(seconds), "s", counted, sizes, context)


def attempt(name: str, measure: Callable[..., Ceiling], *arguments: Any) -> Iterator[Found]:
    """One of several numbers of a probe: its failure is its own, the others go on."""
    try:
        yield measure(*arguments)
    except Exception as error:
        yield Missing(name, reason(error))


def reason(error: BaseException) -> str:
    """An error as one line."""
    text = " ".join(str(error).split())
    if isinstance(error, NotMeasured):
        return text
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


def _ceiling(
    name: str,
    values: list[float],
    unit: Unit,
    counted: str,
    sizes: dict[str, Any] | None,
    context: dict[str, Any] | None,
) -> Ceiling:
    if not values or not all(math.isfinite(value) and value > 0 for value in values):
        raise NotMeasured("the clock gave no usable reading")
    return Ceiling(
        name=name,
        value=statistics.median(values),
        unit=unit,
        low=min(values),
        high=max(values),
        repeats=len(values),
        counted=counted,
        sizes=sizes or {},
        context=context or {},
    )
