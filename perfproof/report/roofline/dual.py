"""The dual roofline as a picture: the tensor cores against what feeds them, both as shares of their own peak."""

import math
import textwrap
from collections import Counter

from perfproof.calc.dual_roofline import BOUND, COMPUTE, FEEDS, LEAD, UNDETERMINED
from perfproof.core.roofline import Kernel
from perfproof.report.figures.scale import Scale
from perfproof.report.figures.svg import Place
from perfproof.report.figures.svg_file import Axes, frame, label, marker, paragraph, stroke
from perfproof.report.roofline.marks import COLOURS, MARKERS, numbers, radius_of

LEFT, RIGHT, TOP, BOTTOM = 705.0, 947.0, 108.0, 475.0
LOWEST = 0.01
FEED_COLOUR, COMPUTE_COLOUR = COLOURS["TMEM"], COLOURS["compute"]


def draw(kernels: list[Kernel], marks: dict[int, str]) -> list[str]:
    """x is the intensity relative to the ridge, y the share of the tensor peak: left of 1 the feed is lower."""
    points = [(kernel, place) for kernel in kernels if (place := position(kernel))]
    xs, ys = [x for _, (x, _) in points], [y for _, (_, y) in points]
    low, high = min([0.1, *(x / 2 for x in xs)]), max([10.0, *(x * 2 for x in xs)])
    axes = Axes(
        Scale(low, high, LEFT, RIGHT, log=True),
        Scale(min([0.05, *(y / 2 for y in ys)]), 1.6, BOTTOM, TOP, log=True),
    )
    feed = feed_name(kernels)
    parts = [label(f"Tensor cores vs {feed}", (LEFT, TOP - 16))]
    names = ("tensor work per operand, relative to the ridge", "share of the tensor peak")
    parts += frame(axes, names, lambda value: f"{value:g}", lambda value: f"{100 * value:g} %", size=11.0, gap=52.0)
    parts += _roofs(axes, feed)
    for kernel, (x, y) in reversed(points):
        opacity = 0.95 if id(kernel) in marks else 0.45
        shape = MARKERS[kernel.source]
        parts.append(marker(shape, axes.at(x, y), radius_of(kernel), colour_of(kernel), "#ffffff", opacity=opacity))
    named = [(marks[id(one)], (*axes.at(x, y), radius_of(one))) for one, (x, y) in points if id(one) in marks]
    return [*parts, *numbers(named), *_explained(kernels)]


def position(kernel: Kernel) -> Place | None:
    """(u_compute / u_feed, u_compute); None if one of them is zero: such a kernel has no tensor work to place."""
    compute = kernel.shares.get(COMPUTE, 0.0)
    feed = next((kernel.shares[name] for name in FEEDS.values() if name in kernel.shares), 0.0)
    return (compute / feed, compute) if compute > LOWEST / 10 and feed > LOWEST / 10 else None


def feed_name(kernels: list[Kernel]) -> str:
    names = dict.fromkeys(name for kernel in kernels for name in FEEDS.values() if name in kernel.shares)
    return " and ".join(names)


def colour_of(kernel: Kernel) -> str:
    """The colour of the resource that binds."""
    return COMPUTE_COLOUR if kernel.binding == COMPUTE else COLOURS.get(kernel.binding, COLOURS[UNDETERMINED])


def _roofs(axes: Axes, feed: str) -> list[str]:
    low, high, bottom = axes.x.low, axes.x.high, axes.y.low
    parts = []
    for share, width, dashes in ((1.0, 2.9, None), (BOUND, 1.3, "5 4")):
        start = max(low, bottom / share)
        parts.append(stroke([axes.at(start, share * start), axes.at(1, share)], FEED_COLOUR, width, dashes))
        parts.append(stroke([axes.at(1, share), axes.at(high, share)], COMPUTE_COLOUR, width, dashes))
    parts.append(label(COMPUTE, (axes.x.end - 2, axes.y.at(1) - 9), 11.5, COMPUTE_COLOUR, "end"))
    (x, y), (x1, y1) = axes.at(max(low, bottom) ** 0.9, max(low, bottom) ** 0.9), axes.at(1, 1)
    angle = math.atan2(y1 - y, x1 - x)
    beside = (x + 11 * math.sin(angle), y - 11 * math.cos(angle))
    return [*parts, label(feed, beside, 11.5, FEED_COLOUR, angle=math.degrees(angle))]


def _explained(kernels: list[Kernel]) -> list[str]:
    """The verdicts in words, by time."""
    lines = []
    for resource, count in Counter(kernel.binding for kernel in kernels).most_common():
        share = sum(kernel.share_of_time or 0.0 for kernel in kernels if kernel.binding == resource)
        lines.append(f"{resource}: {count} kernel{'s' if count > 1 else ''}, {100 * share:.0f} % of time")
    rule = (
        f"A resource binds at {100 * BOUND:.0f} % of its peak or more (dashed) "
        f"if it leads the next by {100 * LEAD:.0f} points."
    )
    return paragraph(["Binding resource", *lines, "", *textwrap.wrap(rule, 40)], (LEFT, 558.0), 17.0, 11.5)
