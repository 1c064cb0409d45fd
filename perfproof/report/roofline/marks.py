"""How a roofline's points look: colours, shapes, sizes, and where their numbers stand."""

import math
from collections.abc import Sequence

from perfproof.core.roofline import MEMORY_LEVELS, Kernel
from perfproof.report.figures import svg
from perfproof.report.figures.svg_file import label, text_width

COLOURS = {  # Okabe and Ito: colour-blind people can tell them apart
    "DRAM": "#0072B2",
    "L2": "#56B4E9",
    "shared memory": "#009E73",
    "compute": "#D55E00",
    "TMEM": "#CC79A7",
    "shared-memory feed": "#CC79A7",
    "undetermined": "#888888",
}
MARKERS = {"counters": "o", "model": "D", "metadata": "s", "counters+metadata": "p"}
SMALLEST, LARGEST = 70.0, 1600.0  # square pixels around a mark
TYPICAL = 230.0  # if there is no share
OFFSETS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
NUMBER_SIZE = 12.0

Spot = tuple[float, float, float]  # x, y, and the radius that is taken


def colour_of(kernel: Kernel) -> str:
    """The colour of the roof that limits it."""
    if not kernel.limited_by:
        return COLOURS["undetermined"]
    return COLOURS[kernel.limited_by if kernel.limited_by in MEMORY_LEVELS else "compute"]


def area_of(kernel: Kernel) -> float:
    """In proportion to the share of time, but never too small to be seen."""
    if kernel.share_of_time is None:
        return TYPICAL
    return max(SMALLEST, min(LARGEST, LARGEST * kernel.share_of_time))


def radius_of(kernel: Kernel) -> float:
    return math.sqrt(area_of(kernel)) / 2


def numbers(named: Sequence[tuple[str, Spot]]) -> list[str]:
    """A number beside each point, on a white ground that lets the lines through."""
    parts = []
    for (number, _), (x, y, _) in zip(named, number_spots(named), strict=True):
        width = text_width(number, NUMBER_SIZE) + 4
        parts.append(
            svg.tag("rect", x=x - width / 2, y=y - 8, width=width, height=16.0, rx=2, fill="#ffffff", opacity=0.75)
        )
        parts.append(label(number, (x, y), NUMBER_SIZE, anchor="middle", bold=True))
    return parts


def number_spots(named: Sequence[tuple[str, Spot]]) -> list[Spot]:
    """Where each number stands: where it covers no point and no other number."""
    taken = [spot for _, spot in named]
    found = []
    for number, (px, py, radius) in named:
        half = max(8.0, text_width(number, NUMBER_SIZE) / 2 + 2)
        spots = [
            (px + dx * (radius + half + step), py + dy * (radius + half + step), half)
            for step in (1.0, 13.0, 27.0)
            for dx, dy in OFFSETS
        ]
        best = min(spots, key=lambda spot: _crowding(spot, taken))
        taken.append(best)
        found.append(best)
    return found


def _crowding(spot: Spot, taken: Sequence[Spot]) -> float:
    """How far a number at this spot reaches into what is there."""
    return sum(max(0.0, spot[2] + r - math.hypot(spot[0] - x, spot[1] - y)) for x, y, r in taken)
