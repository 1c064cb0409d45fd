"""A series over time: every point with its interval, the level of each stretch, and a mark where it changed.

Points stand at their moments if all of them are known, else at equal distances in their order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape

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
    when: float | None = None  # seconds since 1970
    address: str = ""  # the page that the point leads to
    words: str = ""  # said of a point that leads somewhere


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
    x = _Across(points)
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
        *_links(x, y, points),
    ]
    role = "group" if any(one.address for one in points) else "img"
    size = (WIDTH, TOP + HEIGHT + BOTTOM)
    return svg.picture(ident, title, _description(points, marks, unit), size, parts, role)


class _Across:
    """Where a point is from left to right; half places lie in the middle between two points."""

    def __init__(self, points: Sequence[TrendPoint]) -> None:
        moments = [one.when for one in points if one.when is not None]
        self.by_time = len(moments) == len(points) > 1 and moments == sorted(moments) and moments[0] < moments[-1]
        self.moments = moments if self.by_time else [float(at) for at in range(len(points))]
        first, last = (self.moments[0], self.moments[-1]) if len(points) > 1 else (0.0, 1.0)
        self.scale = Scale(first, last, LEFT + 8, WIDTH - RIGHT - 8)

    def at(self, place: float) -> float:
        below = min(max(0, int(place)), len(self.moments) - 1)
        above = min(below + 1, len(self.moments) - 1)
        share = max(0.0, place - below)
        return self.scale.at(self.moments[below] + share * (self.moments[above] - self.moments[below]))


def _links(x: "_Across", y: Scale, points: Sequence[TrendPoint]) -> list[str]:
    """A round area over every point that leads to its page. Tab passes over them: a table has the same links."""
    radius = 8.0 if len(points) <= MANY else 4.0
    return [
        svg.tag(
            "a",
            svg.tag(
                "circle",
                svg.tag("title", escape(svg.clean(one.words))),
                cx=x.at(at),
                cy=y.at(one.value),
                r=radius,
                class_="hit",
            ),
            href=one.address,
            tabindex="-1",
            aria_label=svg.clean(one.words),
        )
        for at, one in enumerate(points)
        if one.address
    ]


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


def _whisker(x: _Across, y: Scale, at: int, one: TrendPoint) -> tuple[svg.Place, svg.Place]:
    return (x.at(at), y.at(one.low or one.value)), (x.at(at), y.at(one.high or one.value))


def _marks(x: _Across, marks: Sequence[Mark]) -> list[str]:
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


def _labels(x: _Across, points: Sequence[TrendPoint]) -> list[str]:
    if not points:
        return []
    most = max(2, int((WIDTH - LEFT - RIGHT) / ROOM))
    bottom = TOP + HEIGHT + 16
    middle = (LEFT + WIDTH - RIGHT) / 2
    if x.by_time:
        return [*_days(x, most, bottom), svg.words("time of the run", middle, bottom + 18, "tick", "middle")]
    every = -(-len(points) // most)
    chosen = [*range(0, len(points), every)]
    parts = [svg.words(points[at].label, x.at(at), bottom, "tick", _anchor(at, len(points))) for at in chosen]
    return [*parts, svg.words("runs in their order", middle, bottom + 18, "tick", "middle")]


def _days(x: _Across, most: int, bottom: float) -> list[str]:
    """Days at equal distances of time; within one day its hours, within minutes its seconds. No text twice."""
    first, last = x.moments[0], x.moments[-1]
    form = "%Y-%m-%d" if last - first > 2 * most * 3600 * 12 else "%m-%d %H:%M"
    if last - first < 60 * most:
        form = "%H:%M:%S"
    number = max(2, min(most, int(last - first) + 1))  # texts a second apart at least
    parts, before = [], ""
    for at in range(number):
        moment = first + (last - first) * at / (number - 1)
        text = f"{datetime.fromtimestamp(moment, UTC):{form}}"
        if text != before:
            anchor = "end" if at == number - 1 else "middle"
            parts.append(svg.words(text, x.scale.at(moment), bottom, "tick", anchor))
        before = text
    return parts


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
