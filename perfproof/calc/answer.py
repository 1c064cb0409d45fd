"""What a calculator takes and gives: flags with their bounds, named values with units, small tables, warnings.

A calculator is a file in calculators/: its docstring is its formula, its function `calculate` has a `Flag` on every
parameter and returns an `Answer`. It prints nothing and reads nothing.
"""

import math
from dataclasses import dataclass, field

from perfproof.core.errors import UsageError

Cell = float | int | str | bool | None


@dataclass(frozen=True)
class Flag:
    """How a parameter looks on a command line, and which values make sense for it."""

    help: str
    metavar: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    is_positional: bool = False  # written without its name

    def check(self, option: str, value: object) -> None:
        """Refuse a number that makes no sense; what is no number is the calculator's own affair."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return
        if not math.isfinite(value):
            raise UsageError(f"{option} {value}: write a finite number")
        if self.least is not None and value < self.least:
            raise UsageError(f"{option} {value:g}: must be at least {self.least:g}")
        if self.above is not None and value <= self.above:
            raise UsageError(f"{option} {value:g}: must be more than {self.above:g}")
        if self.most is not None and value > self.most:
            raise UsageError(f"{option} {value:g}: must be at most {self.most:g}")


@dataclass(frozen=True)
class Value:
    """One result. The unit is that of `value`: B, s, $, W, tok/s, ...; None is unknown, and `note` says why."""

    name: str
    value: Cell
    unit: str = ""
    note: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under columns; a column is its name and its unit."""

    name: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Answer:
    headline: str
    values: tuple[Value, ...] = ()
    tables: tuple[Table, ...] = ()
    warnings: tuple[str, ...] = ()
    lines: tuple[str, ...] = field(default=())  # text to use as it stands, such as an engine's options
    is_no: bool = False  # the question was "does it fit?" or the like, and the answer is no: exit code 1

    def get(self, name: str) -> Cell:
        """The value of that name; KeyError where the calculator gave none."""
        for one in self.values:
            if one.name == name:
                return one.value
        raise KeyError(name)
