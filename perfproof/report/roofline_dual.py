"""The dual roofline as a picture: the tensor cores against what feeds them, both as shares of their own peak."""

import math
import textwrap
from collections import Counter
from typing import Any

from perfproof.calc.dual_roofline import BOUND, COMPUTE, FEEDS, LEAD, UNDETERMINED
from perfproof.core.roofline import Kernel
from perfproof.report.roofline_marks import COLOURS, GREY, area_of, marker_of, place_numbers

LOWEST = 0.01
FEED_COLOUR, COMPUTE_COLOUR = COLOURS["TMEM"], COLOURS["compute"]


def draw(axes: Any, kernels: list[Kernel], marks: dict[int, str]) -> None:
    """x is the intensity relative to the ridge, y the share of the tensor peak: left of 1 the feed is lower."""
    points = [(kernel, place) for kernel in kernels if (place := position(kernel))]
    axes.set_xscale("log")
    axes.set_yscale("log")
    xs = [x for _, (x, _) in points]
    low, high = min([0.1, *(x / 2 for x in xs)]), max([10.0, *(x * 2 for x in xs)])
    axes.set_xlim(low, high)
    axes.set_ylim(min([0.05, *(y / 2 for _, (_, y) in points)]), 1.6)
    _draw_roofs(axes, low, high, feed_name(kernels))
    for kernel, (x, y) in reversed(points):
        axes.scatter(
            [x], [y], s=area_of(kernel), marker=marker_of(kernel), facecolor=colour_of(kernel), edgecolor="white",
            linewidths=1.2, zorder=5, alpha=0.95 if id(kernel) in marks else 0.45,
        )  # fmt: skip
    named = [(marks[id(one)], x, y, area_of(one)) for one, (x, y) in points if id(one) in marks]
    place_numbers(axes, named)
    axes.set_title(f"Tensor cores vs {feed_name(kernels)}", fontsize=10, loc="left", pad=8)
    axes.set_xlabel("tensor work per operand, relative to the ridge", fontsize=9)
    axes.set_ylabel("share of the tensor peak", fontsize=9, labelpad=2)
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.tick_params(labelsize=8)
    axes.tick_params(which="minor", length=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(True, which="major", color="#eeeeee", linewidth=0.8)
    axes.set_axisbelow(True)


def position(kernel: Kernel) -> tuple[float, float] | None:
    """(u_compute / u_feed, u_compute); None where one of them is zero: such a kernel has no tensor work to place."""
    compute = kernel.shares.get(COMPUTE, 0.0)
    feed = next((kernel.shares[name] for name in FEEDS.values() if name in kernel.shares), 0.0)
    return (compute / feed, compute) if compute > LOWEST / 10 and feed > LOWEST / 10 else None


def feed_name(kernels: list[Kernel]) -> str:
    names = dict.fromkeys(name for kernel in kernels for name in FEEDS.values() if name in kernel.shares)
    return " and ".join(names)


def colour_of(kernel: Kernel) -> str:
    """Of the resource that binds."""
    return COMPUTE_COLOUR if kernel.binding == COMPUTE else COLOURS.get(kernel.binding, COLOURS[UNDETERMINED])


def explain(figure: Any, at: tuple[float, float], kernels: list[Kernel]) -> None:
    """The verdicts in words, by time."""
    x, y = at
    lines = []
    counts = Counter(kernel.binding for kernel in kernels)
    for resource, count in counts.most_common():
        share = sum(kernel.share_of_time or 0.0 for kernel in kernels if kernel.binding == resource)
        lines.append(f"{resource}: {count} kernel{'s' if count > 1 else ''}, {100 * share:.0f} % of time")
    least = f"{100 * BOUND:.0f} %"
    rule = f"A resource binds at {least} of its peak or more (dashed) if it leads the next by {100 * LEAD:.0f} points."
    text = ["Binding resource", *lines, "", *textwrap.wrap(rule, 44)]
    figure.text(x, y, "\n".join(text), fontsize=8.5, color=GREY, va="top", linespacing=1.45)


def _draw_roofs(axes: Any, low: float, high: float, feed: str) -> None:
    axes.plot([low, 1], [low, 1], color=FEED_COLOUR, linewidth=2.2, zorder=2)
    axes.plot([1, high], [1, 1], color=COMPUTE_COLOUR, linewidth=2.2, zorder=2)
    axes.plot([low, 1], [BOUND * low, BOUND], color=FEED_COLOUR, linewidth=1, linestyle=(0, (4, 3)), zorder=2)
    axes.plot([1, high], [BOUND, BOUND], color=COMPUTE_COLOUR, linewidth=1, linestyle=(0, (4, 3)), zorder=2)
    axes.annotate(
        COMPUTE, (high, 1), xytext=(-2, 3), textcoords="offset points", ha="right", fontsize=8.5, color=COMPUTE_COLOUR
    )
    start = max(low, axes.get_ylim()[0]) ** 0.9
    (x0, y0), (x1, y1) = axes.transData.transform([(start, start), (1, 1)])
    angle = math.atan2(y1 - y0, x1 - x0)
    axes.annotate(
        feed, (start, start), xytext=(-5 * math.sin(angle), 5 * math.cos(angle)), textcoords="offset points",
        rotation=math.degrees(angle), rotation_mode="anchor", fontsize=8.5, color=FEED_COLOUR, va="baseline",
    )  # fmt: skip
