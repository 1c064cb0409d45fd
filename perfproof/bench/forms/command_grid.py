"""A command over a grid of values: `{name}` in it stands for a value; every point is compared with the first one."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from perfproof.bench.forms.grid import MOST_POINTS
from perfproof.core.errors import UsageError

NAME = re.compile(r"[A-Za-z_]\w*")
PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")
SHORT = 48


@dataclass(frozen=True)
class CommandSweep:
    """What is swept: stored with the run's options, so that table, picture and --resume need nothing else."""

    target: str  # the command as it is shown
    axes: dict[str, list[str]]
    base: dict[str, str]  # the point that all others are compared with: the first value of each axis
    command: list[str]
    variables: dict[str, str] = field(default_factory=dict)
    cwd: str | None = None
    prepare: str | None = None
    metrics: tuple[str, ...] = ()
    judged: str = "wall"
    warmup: int = 1
    ignore_exit: bool = False
    files: dict[str, str] = field(default_factory=dict)  # files that the command names, and the SHA-256 of each

    @property
    def points(self) -> list[dict[str, str]]:
        """Every combination of values but the base; the last axis runs fastest."""
        grid = [dict(zip(self.axes, values, strict=True)) for values in product(*self.axes.values())]
        return [point for point in grid if point != self.base]

    def name_of(self, point: dict[str, str]) -> str:
        return f"{self.target}[{','.join(f'{axis}={value}' for axis, value in point.items())}]"


def plan_command(command: Sequence[str], variables: dict[str, str], items: Sequence[str]) -> CommandSweep:
    """The grid of `--set batch=1,2,4` over a command with `{batch}` in an argument or in a variable."""
    axes = parse_values(items)
    texts = [*command, *variables.values()]
    places = list(dict.fromkeys(name for text in texts for name in PLACE.findall(text)))
    if not axes:
        example = f"--set {places[0]}=1,2,4" if places else "--set batch=1,2,4, and write {batch} in the command"
        raise UsageError(f"nothing to sweep over: add {example}, before the `--`")
    for axis in axes:
        if axis not in places:
            found = f"it has {', '.join(f'{{{name}}}' for name in places)}" if places else "it has no {NAME}"
            raise UsageError(f"--set {axis}: {{{axis}}} is not in the command or in --env ({found})")
    if (count := prod(map(len, axes.values()))) > MOST_POINTS:
        raise UsageError(f"{count} points are more than {MOST_POINTS}; give fewer values with --set")
    if count < 2:
        raise UsageError("one point has nothing to be compared with: give a second value with --set")
    base = {axis: values[0] for axis, values in axes.items()}
    return CommandSweep(shown(command), axes, base, list(command), dict(variables))


def parse_values(items: Sequence[str]) -> dict[str, list[str]]:
    """Values stay as they were written: a command takes words. A value that is given twice is one point."""
    axes: dict[str, list[str]] = {}
    for item in items:
        axis, equals, text = item.partition("=")
        values = [value.strip() for value in text.split(",")]
        if not equals or not NAME.fullmatch(axis.strip()) or not all(values):
            raise UsageError(f"--set {item!r} is not NAME=VALUE,VALUE; write for example batch=1,2,4")
        axes.setdefault(axis.strip(), []).extend(values)
    return {axis: list(dict.fromkeys(values)) for axis, values in axes.items()}


def filled(text: str, point: dict[str, str]) -> str:
    """Only names of axes are replaced, so that braces of other programs stay as they are."""
    return PLACE.sub(lambda match: point.get(match[1], match[0]), text)


def shown(command: Sequence[str]) -> str:
    """One short line; braces need no quotes for a reader."""
    line = " ".join(word if PLACE.search(word) and not word.split()[1:] else shlex.quote(word) for word in command)
    line = " ".join(line.split())
    return line if len(line) <= SHORT else f"{line[: SHORT - 3]}..."
