"""One verified size of a pair, as the checks that need more answers than one see it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from perfproof.core.tolerance import LOWERED, for_format
from perfproof.core.training import Settings
from perfproof.core.trees import clone, settings

Answer = tuple[Any, dict[str, Any]]  # the result, and the arguments that were changed by name
FORMATS = {  # what variants may compute in: spacing next to 1, largest number
    "fp32": (2.0**-23, 3e38),
    "tf32": (2.0**-10, 3e38),
    "bf16": (2.0**-7, 3e38),
    "fp16": (2.0**-10, 65504.0),
    "fp8": (2.0**-3, 448.0),
    "fp8_e5m2": (2.0**-2, 57344.0),
    "fp4": (2.0**-2, 6.0),
    "int8": (2.0**-6, 127.0),
    "int4": (2.0**-2, 7.0),
}
MOVED = "settings of training"  # among the changed arguments: numbers that steer training, and that a call changed


@dataclass
class Contract:
    """What verification needs to know of a pair."""

    names: tuple[str, ...]
    constant: tuple[str, ...]
    mutates: tuple[str, ...]
    tolerance: dict[str, Any]
    lowers_precision: str  # one of FORMATS, or nothing
    device: str
    domain: dict[str, Any] = field(default_factory=dict)
    layout: str = ""
    distribution: bool = False  # results are samples: their distribution is compared
    alone: bool = True  # not on several ranks, which must make the same calls
    lent: frozenset[str] = frozenset()  # constants that are too large to be copied: all calls get the same ones

    def __post_init__(self) -> None:
        if self.lowers_precision:
            self.tolerance = {**for_format(self.tolerance, self.spacing), LOWERED: self.spacing}

    def copied(self, arguments: tuple) -> tuple:
        """Copies that a call may have for its own, but for what is lent."""
        if not self.lent:
            return clone(arguments)
        given = dict(zip(self.names, arguments, strict=True))
        others = [name for name in self.names if name not in self.lent]
        own = dict(zip(others, clone(tuple(given[name] for name in others)), strict=True))
        return tuple((given | own).values())

    @property
    def spacing(self) -> float:
        """Of the format that variants may compute in."""
        return FORMATS[self.lowers_precision][0] if self.lowers_precision else 0.0

    def is_free(self, name: str) -> bool:
        """May the argument have values that `inputs` does not draw?"""
        return name not in self.constant and self.domain.get(name) != "drawn"


@dataclass
class Case:
    contract: Contract
    arguments: tuple
    expected: Answer  # of the reference for these arguments
    example: Answer  # of the baseline, in its types
    answer: Callable[..., Answer]  # the reference on copies of other arguments, and on another device if one is named
    sides: dict[str, Callable[[tuple], Answer]]  # each on the arguments it is given; the baseline is the first
    draw: Callable[[], tuple]  # other arguments, constants too
    agree: Callable[[float], float] = float  # the largest value of all ranks: they must make the same calls

    def anywhere(self, found: object) -> bool:
        """Is it so on any rank?"""
        return bool(self.agree(bool(found)))


def changed_arguments(arguments: tuple, contract: Contract, before: Settings | None = None) -> dict[str, Any]:
    """The arguments that are changed, and with the `settings` from before the call those numbers that it changed."""
    pairs = zip(contract.names, arguments, strict=True)
    changed = {name: value for name, value in pairs if name in contract.mutates}
    moved = settings(arguments).changed_since(before) if changed and before else None
    return {**changed, MOVED: moved} if moved else changed


def attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """The answer, or the exception that was raised instead."""
    try:
        return function(*arguments)
    except Exception as error:
        return error
