"""The reference stands alone: if it calls a side, or a side calls it, an answer is compared with itself."""

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

REMEDY = "compute the answer in a way of its own, or move what both need into a helper"


class NotIndependent(RuntimeError):
    """One line: who calls what, and what to do."""


def stand_alone(module: ModuleType, names: Iterable[str], who: str) -> None:
    """In the instance of a pair that `who` is loaded from, replace the functions `names` by ones that raise."""
    for name in names:
        if callable(getattr(module, name, None)):
            setattr(module, name, _refusing(f"{who} calls `{name}`: the reference stands alone; {REMEDY}"))


def _refusing(problem: str) -> Callable:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotIndependent(problem)

    return refuse
