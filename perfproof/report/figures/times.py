"""The figures of all sides on one axis that begins at zero: bars, and the samples' spread where they are known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale, round_values

WIDTH, LEFT, RIGHT = 440.0, 10.0, 16.0
ROW, TOP, BOTTOM = 38.0, 4.0, 32.0


@dataclass(frozen=True)
class Side:
    """`low` to `high` holds nearly all samples; None without samples."""

    name: str
    style: str  # base or variant
    value: float
    low: float | None = None
    high: float | None = None


def times(ident: str, title: str, sides: Sequence[Side], axis: str, shown: Callable[[float], str]) -> str:
    """`shown` writes a value with its unit; `axis` says below what the values are."""
    most = max(max(side.value, side.high or 0.0) for side in sides)
    scale = Scale(0, most * 1.04 or 1.0, LEFT, WIDTH - RIGHT)
    bottom = TOP + ROW * len(sides)
    parts = []
    for tick in round_values(0.0, scale.high, 5):
        x = scale.at(tick)
        parts.append(svg.line(x, TOP, x, bottom, "one" if tick == 0 else "grid"))
        parts.append(svg.words(_tick(tick, shown), x, bottom + 13, "tick", "start" if tick == 0 else "middle"))
    for at, side in enumerate(sides):
        parts += _bar(side, scale, TOP + ROW * at, shown)
    parts.append(svg.words(axis, (LEFT + WIDTH - RIGHT) / 2, bottom + 27, "tick", "middle"))
    return svg.picture(ident, title, _description(sides, shown), (WIDTH, bottom + BOTTOM), parts)


def _bar(side: Side, scale: Scale, y: float, shown: Callable[[float], str]) -> list[str]:
    length = max(scale.at(side.value) - LEFT, 1.0)
    parts = [
        svg.words(f"{side.name}: {shown(side.value)}", LEFT, y + 13),
        svg.tag("rect", x=LEFT, y=y + 19, width=length, height=13, class_=f"bar {side.style}"),
    ]
    if side.low is not None and side.high is not None:
        low, high, middle = scale.at(side.low), scale.at(side.high), y + 25.5
        ends = [((low, middle), (high, middle)), *(((x, middle - 4), (x, middle + 4)) for x in (low, high))]
        parts.append(svg.lines(ends, "spread"))
    return parts


def _tick(value: float, shown: Callable[[float], str]) -> str:
    return "0" if value == 0 else shown(value)


def _description(sides: Sequence[Side], shown: Callable[[float], str]) -> str:
    said = []
    for side in sides:
        reach = f", samples from {shown(side.low)} to {shown(side.high)}" if side.low and side.high else ""
        said.append(f"{side.name} {shown(side.value)}{reach}")
    return "; ".join(said) + "."
