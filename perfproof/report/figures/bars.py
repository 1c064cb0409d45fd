"""Bars: a side's share of what the machine can do, and small ones beside the numbers of a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.core import units
from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale

WIDTH, LEFT, RIGHT = 440.0, 10.0, 12.0
ROW, TOP, BOTTOM = 38.0, 4.0, 32.0
CELL = (72.0, 5.0)
INTERVAL = (120.0, 14.0)
TICK_ROOM = 28.0  # pixels that the label of a value of that axis needs


@dataclass(frozen=True)
class Share:
    label: str  # "baseline: 62 % of memory/copy"
    style: str  # base or variant
    value: float  # 1.0 is the ceiling


def speed_of_light(ident: str, title: str, shares: Sequence[Share]) -> str:
    """How much of the ceiling each side reaches; a bar that passes 100 % shows that it does."""
    most = max(1.0, *(share.value for share in shares))
    scale = Scale(0, most, LEFT, WIDTH - RIGHT)
    bottom = TOP + ROW * len(shares)
    parts = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = scale.at(tick)
        anchor = "start" if tick == 0 else "end" if tick == 1.0 == most else "middle"
        parts.append(svg.line(x, TOP, x, bottom, "one" if tick == 1 else "grid"))
        parts.append(svg.words(f"{tick:.0%}".replace("%", " %"), x, bottom + 13, "tick", anchor))
    for at, share in enumerate(shares):
        y = TOP + ROW * at
        length = scale.at(share.value) - LEFT
        parts.append(svg.words(share.label, LEFT, y + 13))
        parts.append(svg.tag("rect", x=LEFT, y=y + 19, width=length, height=13, class_=f"bar {share.style}"))
    says = "share of the measured ceiling of this machine"
    parts.append(svg.words(says, (LEFT + WIDTH - RIGHT) / 2, bottom + 27, "tick", "middle"))
    description = "; ".join(f"{share.label} ({units.percent(share.value)})" for share in shares)
    return svg.picture(ident, title, description, (WIDTH, bottom + BOTTOM), parts)


def cell_bar(share: float, style: str) -> str:
    """A bar under a number, `share` of the cell's width."""
    width = max(1.0, CELL[0] * min(1.0, max(0.0, share)))
    return svg.decoration([svg.tag("rect", width=width, height=CELL[1], class_=f"bar {style}")], "cell")


def interval_mark(scale: Scale, ratio: float, low: float | None, high: float | None, style: str) -> str:
    """A ratio with its interval on an axis that all rows of the table share; the thin line is 1x."""
    middle = INTERVAL[1] / 2
    parts = [svg.line(scale.at(1.0), 0, scale.at(1.0), INTERVAL[1], "one")]
    if low is not None and high is not None:
        parts.append(svg.line(scale.at(low), middle, scale.at(high), middle, f"reach {style}"))
    return svg.decoration([*parts, svg.dots([(scale.at(ratio), middle)], f"unit {style}")], "interval")


def axis_ticks(scale: Scale) -> str:
    """The values of that axis, for the head of the table: the ends of it, and 1x where there is room."""
    ticks = [tick for tick in scale.ticks(4) if tick != 1.0]
    places = [(1.0, scale.at(1.0))]
    for tick in ticks:
        if all(abs(scale.at(tick) - taken) >= TICK_ROOM for _, taken in places):
            places.append((tick, scale.at(tick)))
    parts = []
    for tick, x in places:
        middle = min(max(x, TICK_ROOM / 2), INTERVAL[0] - TICK_ROOM / 2)
        parts.append(svg.words(f"{tick:.3g}x", middle, 10, "tick", "middle"))
        parts.append(svg.line(x, 12, x, INTERVAL[1], "one" if tick == 1.0 else "edge"))
    return svg.decoration(parts, "interval")
