"""A sweep: along one axis a line per variant with its intervals, along more a table of ratios by colour."""

from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.core import units
from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale

WIDTH, LEFT, RIGHT = 760.0, 64.0, 14.0
TOP, HEIGHT, BOTTOM, KEY = 14.0, 210.0, 42.0, 18.0
CELL_HEIGHT, NAME = 54.0, 150.0
ROOM = 70.0  # pixels that the label of a value needs


@dataclass(frozen=True)
class SweepPoint:
    at: int  # which value of the axis
    ratio: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Cell:
    text: str
    word: str
    tone: str  # good, bad, unsure, null or none
    interval: str = ""


def lines(ident: str, title: str, axis: str, values: Sequence[str], variants: dict[str, Sequence[SweepPoint]]) -> str:
    """Values stand at equal distances, as the axis lists them; ratios are on a logarithmic axis with 1x on it."""
    points = [one for own in variants.values() for one in own]
    ends = [1.0, *(end for one in points for end in (one.low, one.ratio, one.high) if end and end > 0)]
    room = max((max(ends) / min(ends)) ** 0.06, 1.01)
    y = Scale(min(ends) / room, max(ends) * room, TOP + HEIGHT, TOP, log=True)
    x = Scale(0, max(1, len(values) - 1), LEFT + 30, WIDTH - RIGHT - 30)
    parts = [part for tick in y.ticks(6) for part in _level(y, tick, f"{tick:.4g}x")]
    parts.append(svg.line(LEFT, y.at(1.0), WIDTH - RIGHT, y.at(1.0), "one"))
    for number, (name, own) in enumerate(variants.items()):
        parts += _variant(x, y, own, f"line{number % 4}")
        if len(variants) > 1:
            parts += _key(name, number, f"line{number % 4}")
    bottom = TOP + HEIGHT
    parts += _values(x, values)
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(svg.words(f"{axis}; baseline over variant, above 1x is better", middle, bottom + 32, "tick", "middle"))
    height = bottom + BOTTOM + (KEY if len(variants) > 1 else 0)
    return svg.picture(ident, title, _description(axis, values, variants), (WIDTH, height), parts)


def amounts(
    ident: str, title: str, axes: tuple[str, str], values: Sequence[str], points: Sequence[tuple[int, float]]
) -> str:
    """What each value of the axis takes, in seconds (bytes of memory) on a logarithmic axis."""
    axis, what = axes
    words = units.binary_bytes if what == "memory" else units.seconds
    room = max((max(value for _, value in points) / min(value for _, value in points)) ** 0.06, 1.05)
    ends = min(value for _, value in points) / room, max(value for _, value in points) * room
    y = Scale(*ends, TOP + HEIGHT, TOP, log=True)
    x = Scale(0, max(1, len(values) - 1), LEFT + 30, WIDTH - RIGHT - 30)
    parts = [part for tick in y.ticks(6) for part in _level(y, tick, words(tick))]
    parts += _variant(x, y, [SweepPoint(at, value) for at, value in points], "line0")
    parts += [svg.words(words(value), x.at(at), y.at(value) - 9, "tick", "middle") for at, value in points]
    bottom, middle = TOP + HEIGHT, (LEFT + WIDTH - RIGHT) / 2
    parts += _values(x, values)
    parts.append(svg.words(f"{axis}; {what} of one run", middle, bottom + 32, "tick", "middle"))
    said = ", ".join(f"{axis} {values[at]}: {words(value)}" for at, value in points)
    return svg.picture(ident, title, f"{what}: {said}.", (WIDTH, bottom + BOTTOM), parts)


def _values(x: Scale, values: Sequence[str]) -> list[str]:
    """The values of the axis, thinned out where there is no room for all."""
    every = -(-len(values) // max(2, int((WIDTH - LEFT - RIGHT) / ROOM)))
    shown = list(enumerate(values))[::every]
    return [svg.words(value[:12], x.at(at), TOP + HEIGHT + 15, "tick", "middle") for at, value in shown]


def grid(
    ident: str, title: str, axes: tuple[str, str], down: Sequence[str], across: Sequence[str], cells: list[list[Cell]]
) -> str:
    width = (WIDTH - NAME - RIGHT) / max(1, len(across))
    parts = [svg.words(f"{axes[0]} down, {axes[1]} across", NAME - 8, TOP + 10, "tick", "end")]
    for column, name in enumerate(across):
        parts.append(svg.words(name[:20], NAME + width * (column + 0.5), TOP + 10, "tick", "middle"))
    for row, name in enumerate(down):
        y = TOP + 20 + CELL_HEIGHT * row
        parts.append(svg.words(name[:24], NAME - 8, y + CELL_HEIGHT / 2 + 4, "tick", "end"))
        for column, cell in enumerate(cells[row]):
            x = NAME + width * column
            box = svg.tag("rect", x=x, y=y, width=width - 3, height=CELL_HEIGHT - 3, class_=f"cell-{cell.tone}")
            middle = x + width / 2 - 1.5
            parts += [box, svg.words(cell.text, middle, y + 16, "strong", "middle")]
            for line, word in enumerate(word for word in (cell.interval, cell.word) if word):
                parts.append(svg.words(word, middle, y + 31 + 14 * line, "tick", "middle"))
    said = [
        f"{one}, {other}: {_said(cells[row][column])}"
        for row, one in enumerate(down)
        for column, other in enumerate(across)
    ]
    return svg.picture(ident, title, "; ".join(said) + ".", (WIDTH, TOP + 20 + CELL_HEIGHT * len(down) + 6), parts)


def _said(cell: Cell) -> str:
    return " ".join(part for part in (cell.text, cell.interval, cell.word) if part)


def _level(y: Scale, tick: float, words: str) -> list[str]:
    at = y.at(tick)
    return [
        svg.line(LEFT, at, WIDTH - RIGHT, at, "grid"),
        svg.words(words, LEFT - 6, at + 4, "tick", "end"),
    ]


def _variant(x: Scale, y: Scale, own: Sequence[SweepPoint], style: str) -> list[str]:
    bounded = [(one.at, one.low, one.high) for one in own if one.low and one.high]
    whiskers = [((x.at(at), y.at(low)), (x.at(at), y.at(high))) for at, low, high in bounded]
    places = [(x.at(one.at), y.at(one.ratio)) for one in own]
    return [
        svg.lines(whiskers, f"reach {style}"),
        svg.polyline(places, f"trend {style}"),
        svg.dots(places, f"unit {style}"),
    ]


def _key(name: str, number: int, style: str) -> list[str]:
    x, y = LEFT + 20 + 170.0 * number, TOP + HEIGHT + BOTTOM + 8
    return [svg.dots([(x, y - 4)], f"unit {style}"), svg.words(name[:24], x + 9, y)]


def _description(axis: str, values: Sequence[str], variants: dict[str, Sequence[SweepPoint]]) -> str:
    said = []
    for name, own in variants.items():
        points = ", ".join(f"{axis} {values[one.at]}: {units.ratio(one.ratio)}" for one in own)
        said.append(f"{name}: {points}")
    return "; ".join(said) + "."
