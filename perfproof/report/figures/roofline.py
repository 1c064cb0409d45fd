"""A roofline: what memory and arithmetic allow, and where the two sides of every target lie below it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.core.units import amount
from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale

WIDTH, LEFT, RIGHT = 760.0, 74.0, 16.0
TOP, HEIGHT, BOTTOM = 12.0, 260.0, 40.0


@dataclass(frozen=True)
class Roof:
    """Bytes per second of a memory roof, operations per second of a compute roof."""

    name: str
    kind: str  # memory or compute
    rate: float


@dataclass(frozen=True)
class Place:
    number: str  # written beside the point
    name: str
    style: str  # base or variant
    intensity: float  # operations per byte
    rate: float  # operations per second


def roofline(ident: str, title: str, roofs: Sequence[Roof], places: Sequence[Place]) -> str:
    """Both axes are logarithmic; points of one target have one number."""
    x = _scale([one.intensity for one in places], LEFT, WIDTH - RIGHT)
    heights = [one.rate for one in places]
    heights += [min(_allowed(roofs, one.intensity), 1e18) for one in places]
    y = _scale(heights, TOP + HEIGHT, TOP)
    parts = [*_ground(x, y), *(part for roof in roofs for part in _roof(roof, x, y))]
    for style in ("base", "variant"):
        own = [one for one in places if one.style == style]
        parts.append(svg.dots([(x.at(one.intensity), y.at(one.rate)) for one in own], f"unit {style}"))
        parts += [svg.words(one.number, x.at(one.intensity) + 6, y.at(one.rate) + 4, "tick") for one in own]
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(svg.words("operations per byte", middle, TOP + HEIGHT + 32, "tick", "middle"))
    return svg.picture(ident, title, _description(roofs, places), (WIDTH, TOP + HEIGHT + BOTTOM), parts)


def _allowed(roofs: Sequence[Roof], intensity: float) -> float:
    rates = [roof.rate * intensity if roof.kind == "memory" else roof.rate for roof in roofs]
    return min(rates, default=0.0)


def _scale(values: Sequence[float], start: float, end: float) -> Scale:
    low, high = min(values), max(values)
    room = max((high / low) ** 0.15, 2.0)
    return Scale(low / room, high * room, start, end, log=True)


def _ground(x: Scale, y: Scale) -> list[str]:
    parts = []
    for tick in x.ticks(7):
        at = x.at(tick)
        parts.append(svg.line(at, TOP, at, TOP + HEIGHT, "grid"))
        parts.append(svg.words(f"{tick:.4g}", at, TOP + HEIGHT + 15, "tick", "middle"))
    for tick in y.ticks(6):
        at = y.at(tick)
        parts.append(svg.line(LEFT, at, WIDTH - RIGHT, at, "grid"))
        parts.append(svg.words(rate_text(tick), LEFT - 6, at + 4, "tick", "end"))
    return parts


def _roof(roof: Roof, x: Scale, y: Scale) -> list[str]:
    """The part of a roof that lies on the picture."""
    if roof.kind == "compute":
        if not y.holds(roof.rate):
            return []
        at = y.at(roof.rate)
        label = svg.words(f"{roof.name}, {rate_text(roof.rate)}", WIDTH - RIGHT - 4, at - 5, "tick", "end")
        return [svg.line(LEFT, at, WIDTH - RIGHT, at, "roof"), label]
    first, last = max(x.low, y.low / roof.rate), min(x.high, y.high / roof.rate)
    if not first < last:
        return []
    ends = [(x.at(value), y.at(value * roof.rate)) for value in (first, last)]
    place = math.sqrt(first * last)
    label = svg.words(
        f"{roof.name}, {roof.rate / 1e9:.3g} GB/s", x.at(place) - 6, y.at(place * roof.rate) - 6, "tick", "end"
    )
    return [svg.lines([(ends[0], ends[1])], "roof"), label]


def rate_text(value: float) -> str:
    return amount(value, "FLOP/s", digits=4)


def _description(roofs: Sequence[Roof], places: Sequence[Place]) -> str:
    said = [
        f"{one.number} {one.name}: {one.intensity:.3g} operations per byte, {rate_text(one.rate)}" for one in places
    ]
    return f"Roofs: {', '.join(roof.name for roof in roofs)}. " + "; ".join(said) + "."
