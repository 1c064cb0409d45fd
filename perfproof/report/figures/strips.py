"""Readings over time, one strip each under one axis of time, with the targets of the run as stretches."""

from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale, round_values

WIDTH, LEFT, RIGHT = 760.0, 74.0, 14.0
HEAD, STRIP, GAP, BOTTOM = 18.0, 44.0, 22.0, 34.0


@dataclass(frozen=True)
class Strip:
    label: str  # "CPUs in use"
    unit: str
    points: Sequence[tuple[float, float]]  # seconds since the start, value


@dataclass(frozen=True)
class Stretch:
    number: str  # of the target in the page
    start: float
    end: float


def strips(ident: str, title: str, readings: Sequence[Strip], stretches: Sequence[Stretch]) -> str:
    first = min(one.points[0][0] for one in readings)
    last = max(one.points[-1][0] for one in readings)
    x = Scale(first, max(last, first + 1e-9), LEFT, WIDTH - RIGHT)
    bottom = HEAD + (STRIP + GAP) * len(readings)
    parts = _stretches(x, stretches, bottom)
    for at, one in enumerate(readings):
        parts += _strip(one, x, HEAD + (STRIP + GAP) * at + GAP)
    for tick in round_values(first, last, 8):
        parts.append(svg.words(f"{tick:g} s", x.at(tick), bottom + 13, "tick", "middle"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(svg.words("seconds since the telemetry began", middle, bottom + 28, "tick", "middle"))
    return svg.picture(ident, title, _description(readings), (WIDTH, bottom + BOTTOM), parts)


def _stretches(x: Scale, stretches: Sequence[Stretch], bottom: float) -> list[str]:
    """Every second target has a ground of its own; its number stands above."""
    parts = []
    for at, one in enumerate(stretches):
        left, right = x.at(one.start), x.at(one.end)
        if at % 2 == 0:
            box = svg.tag("rect", x=left, y=HEAD, width=max(right - left, 0.5), height=bottom - HEAD, class_="band")
            parts.append(box)
        if right - left > 12:
            parts.append(svg.words(one.number, (left + right) / 2, HEAD - 5, "tick", "middle"))
    return parts


def _strip(one: Strip, x: Scale, y: float) -> list[str]:
    values = [value for _, value in one.points]
    low, high = min(values), max(values)
    if low >= 0 and low < high / 2:
        low = 0.0
    room = (high - low) * 0.05 or abs(high) * 0.05 or 1.0
    scale = Scale(low, high + room, y + STRIP, y)
    ticks = [low, high]
    return [
        svg.words(one.label, LEFT, y - 5),
        svg.lines([((LEFT, scale.at(tick)), (WIDTH - RIGHT, scale.at(tick))) for tick in ticks], "grid"),
        *(svg.words(_value(tick, one.unit), LEFT - 5, scale.at(tick) + 4, "tick", "end") for tick in ticks),
        svg.polyline([(x.at(when), scale.at(value)) for when, value in one.points], "strip"),
    ]


def _value(value: float, unit: str) -> str:
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= 10 * factor or (unit == "B" and abs(value) >= factor):
            return f"{value / factor:.3g} {prefix}{unit}".rstrip()
    return f"{value:.4g} {unit}".rstrip()


def _description(readings: Sequence[Strip]) -> str:
    said = []
    for one in readings:
        values = sorted(value for _, value in one.points)
        low, middle, high = (_value(values[at], one.unit) for at in (0, len(values) // 2, -1))
        said.append(f"{one.label}: from {low} to {high}, median {middle}")
    return "; ".join(said) + "."
