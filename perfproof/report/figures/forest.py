"""The forest plot: the ratio of every launch, and below them the ratio of all with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.core import units
from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale

WIDTH, LEFT, RIGHT = 440.0, 78.0, 12.0
TOP, ROW, BOTTOM = 8.0, 17.0, 38.0
FAR = 6.0  # 1x is left off the axis when it would squeeze the launches into less than a sixth of it


@dataclass(frozen=True)
class Estimate:
    """A ratio; without an interval `low` and `high` are None."""

    label: str
    ratio: float
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        return self.low or self.ratio, self.high or self.ratio


def forest(
    ident: str,
    title: str,
    launches: Sequence[Estimate],
    whole: Estimate,
    delta: float | None,
    sides: tuple[str, str] = ("baseline", "variant"),
) -> str:
    """`delta` is the share below which a difference does not matter: drawn as a band around 1x."""
    scale = _scale([*launches, whole])
    bottom = TOP + ROW * (len(launches) + 1)
    parts = [*_ground(scale, bottom, delta, sides)]
    for at, launch in enumerate(launches):
        parts += _row(scale, launch, TOP + ROW * (at + 0.5))
    parts.append(_all_row(scale, whole, bottom - ROW * 0.5))
    return svg.picture(ident, title, _description(launches, whole), (WIDTH, bottom + BOTTOM), parts)


def shows_one(estimates: Sequence[Estimate]) -> bool:
    """Whether 1x is on the axis."""
    return _scale(estimates).holds(1.0)


def _scale(estimates: Sequence[Estimate]) -> Scale:
    ends = [end for one in estimates for end in one.ends]
    low, high = min(ends), max(ends)
    with_one = min(low, 1.0), max(high, 1.0)
    if (with_one[1] / with_one[0] - 1) <= FAR * max(high / low - 1, 0.01):
        low, high = with_one
    room = max((high / low) ** 0.06, 1.002)
    return Scale(low / room, high * room, LEFT, WIDTH - RIGHT, log=True)


def _ground(scale: Scale, bottom: float, delta: float | None, sides: tuple[str, str]) -> list[str]:
    parts = []
    if delta and scale.holds(1.0):
        left, right = scale.at(1 / (1 + delta)), scale.at(1 + delta)
        parts.append(svg.tag("rect", x=left, y=TOP, width=max(right - left, 0.5), height=bottom - TOP, class_="band"))
    for tick in scale.ticks():
        x = scale.at(tick)
        parts += [svg.line(x, TOP, x, bottom, "grid"), svg.words(f"{tick:.4g}x", x, bottom + 13, "tick", "middle")]
    if scale.holds(1.0):
        parts.append(svg.line(scale.at(1.0), TOP, scale.at(1.0), bottom + 3, "one"))
        says = "right of 1x is better"
    else:
        says = "1x lies to the left" if scale.low > 1 else "1x lies to the right"
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [*parts, svg.words(f"{sides[0]} over {sides[1]}: {says}", middle, bottom + 29, "tick", "middle")]


def _row(scale: Scale, one: Estimate, y: float) -> list[str]:
    parts = [svg.words(one.label, LEFT - 8, y + 4, anchor="end")]
    if one.low is not None and one.high is not None:
        parts.append(svg.line(scale.at(one.low), y, scale.at(one.high), y, "whisker"))
    return [*parts, svg.dots([(scale.at(one.ratio), y)], "unit")]


def _all_row(scale: Scale, whole: Estimate, y: float) -> str:
    label = svg.words("in all", LEFT - 8, y + 4, "strong", "end")
    if whole.low is None or whole.high is None:
        return label + svg.dots([(scale.at(whole.ratio), y)], "variant large")
    left, middle, right = (scale.at(value) for value in (whole.low, whole.ratio, whole.high))
    left, right = min(left, middle - 2.0), max(right, middle + 2.0)  # a diamond too narrow to be seen is none
    corners = ((left, y), (middle, y - 6), (right, y), (middle, y + 6))
    return label + svg.tag("polygon", points=" ".join(f"{x:.1f},{z:.1f}" for x, z in corners), class_="diamond")


def _description(launches: Sequence[Estimate], whole: Estimate) -> str:
    interval = "no interval" if whole.low is None else f"interval {whole.low:.4g} to {whole.high:.4g}"
    each = ", ".join(f"{one.label} {units.ratio(one.ratio)}" for one in launches)
    return f"In all {units.ratio(whole.ratio)}, {interval}. {each}."
