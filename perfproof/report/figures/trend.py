"""A series over time: every point with its interval, the level of each stretch, and a mark where it changed.

Points stand at equal distances, in their order: days without a measurement take no room.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale

WIDTH, LEFT, RIGHT = 760.0, 64.0, 14.0
TOP, HEIGHT, BOTTOM = 30.0, 210.0, 44.0
MANY = 60  # points: beyond, they are drawn small
ROOM = 96.0  # pixels that a label of a mark or of the axis needs
LEAST_SPAN = 1.02  # an axis over less than 2 % would make mountains of nothing


@dataclass(frozen=True)
class TrendPoint:
    label: str  # when: "2026-11-15"
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Level:
    """The fitted line of a stretch of points, from one of them to another."""

    start: int
    end: int  # the last point in it
    first: float
    last: float


@dataclass(frozen=True)
class Mark:
    """A change before the point `at`."""

    at: int
    kind: str  # step, drift or watch
    text: str  # "-5.1 %"


def trend(
    ident: str,
    title: str,
    unit: str,
    points: Sequence[TrendPoint],
    levels: Sequence[Level] = (),
    marks: Sequence[Mark] = (),
) -> str:
    """`unit` stands behind the values of the axis: "x", or " ms" where the values are in it."""
    x = Scale(0, max(1, len(points) - 1), LEFT + 8, WIDTH - RIGHT - 8)
    y = _vertical(points)
    parts = [
        *_ground(y, unit),
        *_marks(x, marks),
        svg.lines([_whisker(x, y, at, one) for at, one in enumerate(points) if one.low and one.high], "whisker"),
        svg.dots(
            [(x.at(at), y.at(one.value)) for at, one in enumerate(points)],
            "variant unit" if len(points) <= MANY else "variant",
        ),
        svg.lines([((x.at(one.start), y.at(one.first)), (x.at(one.end), y.at(one.last))) for one in levels], "median"),
        *_labels(x, points),
    ]
    return svg.picture(ident, title, _description(points, marks, unit), (WIDTH, TOP + HEIGHT + BOTTOM), parts)


def _vertical(points: Sequence[TrendPoint]) -> Scale:
    """Over the values, and over intervals as far as they are not wider than the values lie apart."""
    values = [one.value for one in points] or [1.0]
    low, high = min(values), max(values)
    reach = max(high / low, LEAST_SPAN)
    low = max(min([low, *(one.low for one in points if one.low)]), low / reach)
    high = min(max([high, *(one.high for one in points if one.high)]), high * reach)
    room = max((high / low) ** 0.06, 1.002)
    return Scale(low / room, high * room, TOP + HEIGHT, TOP, log=True)


def _ground(y: Scale, unit: str) -> list[str]:
    parts = []
    for tick in y.ticks(6):
        at = y.at(tick)
        parts += [
            svg.line(LEFT, at, WIDTH - RIGHT, at, "grid"),
            svg.words(f"{tick:.4g}{unit}", LEFT - 6, at + 4, "tick", "end"),
        ]
    return parts


def _whisker(x: Scale, y: Scale, at: int, one: TrendPoint) -> tuple[svg.Place, svg.Place]:
    return (x.at(at), y.at(one.low or one.value)), (x.at(at), y.at(one.high or one.value))


def _marks(x: Scale, marks: Sequence[Mark]) -> list[str]:
    """A line between the two points; its text above, where the one before leaves room for it."""
    parts, free = [], LEFT
    for mark in marks:
        place = x.at(mark.at - 0.5) if mark.kind != "drift" else x.at(mark.at)
        parts.append(svg.line(place, TOP - 4, place, TOP + HEIGHT, "cut" if mark.kind == "step" else "edge"))
        if place - ROOM / 2 >= free - ROOM / 4:
            middle = min(max(place, LEFT + ROOM / 2), WIDTH - RIGHT - ROOM / 2)
            parts.append(svg.words(f"{mark.kind} {mark.text}", middle, TOP - 12, "tick", "middle"))
            free = middle + ROOM / 2
    return parts


def _labels(x: Scale, points: Sequence[TrendPoint]) -> list[str]:
    if not points:
        return []
    most = max(2, int((WIDTH - LEFT - RIGHT) / ROOM))
    every = -(-len(points) // most)
    chosen = [*range(0, len(points), every)]
    bottom = TOP + HEIGHT + 16
    parts = [svg.words(points[at].label, x.at(at), bottom, "tick", _anchor(at, len(points))) for at in chosen]
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [*parts, svg.words("runs in their order", middle, bottom + 18, "tick", "middle")]


def _anchor(at: int, count: int) -> str:
    return "end" if at == count - 1 and count > 1 else "middle"


def _description(points: Sequence[TrendPoint], marks: Sequence[Mark], unit: str) -> str:
    if not points:
        return "No points."
    ends = [f"{one.value:.4g}{unit}" for one in (points[0], points[-1])]
    said = [
        f"{len(points)} points from {points[0].label} to {points[-1].label}, from {ends[0]} to {ends[1]}.",
        *(f"{mark.kind.capitalize()} {mark.text} at {points[mark.at].label}." for mark in marks),
    ]
    return " ".join([*said, *(["No change."] if not marks else [])])
