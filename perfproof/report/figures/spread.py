"""How the samples of every process are spread: one box a process, one panel a side.

All in per cent of the side's median, so that a side ten times as fast has boxes as large, and on the same axis in every
panel, so that they can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale, round_values

WIDTH, LEFT, RIGHT = 440.0, 52.0, 8.0
PANEL, HEAD, BOTTOM = 72.0, 26.0, 34.0
WIDEST = 16.0
LEAST_REACH = 0.01  # an axis of less than 1 % to each side would make mountains of nothing
TALLEST = 5.0  # quartiles: a whisker beyond is cut at the edge, so that one bad process leaves the others readable


Limits = tuple[float, float]  # of an axis in shares of the median: -0.05, 0.2


@dataclass(frozen=True)
class Box:
    """Samples of one process: shares away from the side's median (0.02 is 2 % slower)."""

    label: str
    low: float  # 5 of 100 are below
    lower: float  # a quarter is below
    middle: float
    upper: float
    high: float  # 5 of 100 are above
    count: int


@dataclass(frozen=True)
class Panel:
    """The processes of a side."""

    head: str  # "baseline, median 48.7 µs"
    style: str  # base or variant
    boxes: Sequence[Box | None]  # None keeps the place of a process without samples


def spread(ident: str, title: str, panels: Sequence[Panel], axis: str) -> str:
    """`axis` says what the labels below count: processes or launches."""
    limits = _limits(panels)
    parts: list[str] = []
    for at, panel in enumerate(panels):
        parts += _panel(panel, limits, at * (HEAD + PANEL), last=at == len(panels) - 1)
    bottom = len(panels) * (HEAD + PANEL)
    parts.append(svg.words(axis, (LEFT + WIDTH - RIGHT) / 2, bottom + 28, "tick", "middle"))
    return svg.picture(ident, title, _description(panels), (WIDTH, bottom + BOTTOM), parts)


def _limits(panels: Sequence[Panel]) -> Limits:
    boxes = [box for panel in panels for box in panel.boxes if box]
    below = _reach([-box.low for box in boxes], [-box.lower for box in boxes])
    above = _reach([box.high for box in boxes], [box.upper for box in boxes])
    return -max(below, above / 4), max(above, below / 4)  # 0 keeps its distance from the edge


def _reach(whiskers: Sequence[float], quartiles: Sequence[float]) -> float:
    ordered = sorted(abs(end) for end in quartiles)
    usual = ordered[len(ordered) * 9 // 10] if ordered else 0.0
    return max(min(max(whiskers, default=0.0) * 1.05, usual * TALLEST), LEAST_REACH)


def _panel(panel: Panel, limits: Limits, y: float, last: bool) -> list[str]:
    scale = Scale(*limits, y + HEAD + PANEL - 4, y + HEAD)
    step = (WIDTH - RIGHT - LEFT) / max(1, len(panel.boxes))
    placed = [(LEFT + step * (at + 0.5), box) for at, box in enumerate(panel.boxes) if box]
    every = -(-len(panel.boxes) // 20)  # labels that fit
    below = placed[::every] if last else []
    return [
        *ground(panel.head, scale, y),
        *_boxes(placed, scale, min(WIDEST, step * 0.7) / 2, panel.style),
        *(svg.words(box.label, x, y + HEAD + PANEL + 11, "tick", "middle") for x, box in below),
    ]


def ground(head: str, scale: Scale, y: float) -> list[str]:
    """The head of a panel and its lines of equal shares."""
    found = round_values(scale.low, scale.high, 4)
    found = found if len(found) > 1 else round_values(scale.low, scale.high, 6)  # one line alone shows no scale
    ticks = [(tick, scale.at(tick)) for tick in found]
    return [
        svg.words(head, LEFT, y + 17),
        svg.lines([((LEFT, at), (WIDTH - RIGHT, at)) for _, at in ticks], "grid"),
        *(svg.words(percent(tick), LEFT - 5, at + 4, "tick", "end") for tick, at in ticks),
    ]


def _boxes(placed: Sequence[tuple[float, Box]], scale: Scale, half: float, style: str) -> list[str]:
    whiskers = [((x, scale.at(box.low)), (x, scale.at(box.high))) for x, box in placed]
    middles = [((x - half, scale.at(box.middle)), (x + half, scale.at(box.middle))) for x, box in placed]
    bodies = [((x - half, scale.at(box.upper)), (x + half, scale.at(box.lower))) for x, box in placed]
    beyond = [(x, end) for x, box in placed for end in (box.low, box.high) if not scale.holds(end)]
    return [
        svg.lines(whiskers, f"whisker {style}"),
        svg.boxes(bodies, f"box {style}"),
        svg.lines(middles, f"median {style}"),
        svg.lines([((x - 3, scale.at(end)), (x + 3, scale.at(end))) for x, end in beyond], "cut"),
    ]


def percent(value: float) -> str:
    """With a sign, and as many decimals as its size needs."""
    decimals = 0 if abs(value) >= 0.1 else 1 if abs(value) >= 0.01 else 2
    return "0 %" if abs(value) < 1e-12 else f"{100 * value:+,.{decimals}f} %"


def _description(panels: Sequence[Panel]) -> str:
    said = []
    for panel in panels:
        boxes = [box for box in panel.boxes if box]
        middles = [box.middle for box in boxes]
        if middles:
            said.append(
                f"{panel.head}: {len(middles)} boxes of {sum(box.count for box in boxes)} samples, their medians "
                f"from {percent(min(middles))} to {percent(max(middles))}"
            )
    return ". ".join(said) + "."
