"""A roofline as a picture: roofs, kernels, and beside them what binds the tensor cores.

One point a kernel: its area is its share of time, its colour the roof that limits it, its shape where its numbers come
from. Points carry numbers, the list beside the picture says what they are: names in the plot would overlap. Colours are
those of Okabe and Ito, which colour-blind people can tell apart.
"""

import io
import math
import re
import warnings
from pathlib import Path
from typing import Any

from perfproof.calc.roofline import ridge
from perfproof.core.roofline import MEMORY_LEVELS, Kernel, Roof, Roofline
from perfproof.report import roofline_dual, roofline_list
from perfproof.report.roofline_marks import (
    COLOURS,
    GREY,
    INK,
    area_of,
    colour_of,
    marker_of,
    place_numbers,
    rate,
)

SIZE = (13.33, 7.5)  # inches: a slide
NAMED = 12  # kernels with a number and a line in the list
CLOSE = 1.06  # compute roofs nearer than this are drawn as one
NAME_HEIGHT = 25  # points that the name of a compute roof takes
SETTINGS: Any = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "perfproof",
    "text.parse_math": False,  # a dollar in a kernel's name is a dollar
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 10,
    "axes.edgecolor": "#888888",
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def draw(document: Roofline, paths: list[Path], named: int = NAMED) -> None:
    """Write the picture; the suffix of each path says how (.svg, .png)."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # a kernel's name may be in any script
        figure = Figure(figsize=SIZE, facecolor="white")
        FigureCanvasAgg(figure)
        _fill(figure, document, named)
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            _save(figure, path)


def _fill(figure: Any, document: Roofline, named: int) -> None:
    entries = roofline_list.entries_of(document, named)
    marks = {kernel: text for entry in entries for kernel, text in entry.marks.items()}
    dual = [kernel for kernel in document.kernels if kernel.binding]
    left, right = (0.06, 0.615) if not dual else (0.06, 0.405)
    draw_roofline(figure.add_axes((left, 0.11, right - left, 0.74)), document, marks)
    if dual:
        roofline_dual.draw(figure.add_axes((0.545, 0.34, 0.195, 0.51)), dual, marks)
        roofline_dual.explain(figure, (0.545, 0.235), dual)
    roofline_list.draw(figure, document, entries, x=0.725 if not dual else 0.764)
    figure.text(left, 0.945, _title(document), fontsize=16, fontweight="bold", va="center")
    figure.text(left, 0.9, _subtitle(document), fontsize=10, color=GREY, va="center")


def draw_roofline(axes: Any, document: Roofline, marks: dict[int, str]) -> None:
    """The log-log picture: FLOP/s against FLOP a byte."""
    points = [kernel for kernel in document.kernels if position(kernel) is not None]
    compute = compute_roofs(document, points)
    memory = [roof for roof in document.roofs if roof.kind == "memory"]
    memory = [roof for roof in memory if roof.name == "DRAM" or any(roof.name in one.bytes for one in points)]
    _set_scales(axes, points, memory, compute)
    _draw_roofs(axes, memory, compute, points)
    _draw_arrows(axes, points)
    for kernel in reversed(points):
        is_named = id(kernel) in marks or kernel.variant == "baseline"
        _draw_point(axes, kernel, is_named, document.tolerance)
    places = [(marks[id(one)], *(position(one) or (1, 1)), area_of(one)) for one in points if id(one) in marks]
    place_numbers(axes, places)


def position(kernel: Kernel) -> tuple[float, float] | None:
    """(FLOP a byte of its outermost level, FLOP/s); None for a kernel that has no place on logarithmic axes."""
    level = next((level for level in MEMORY_LEVELS if level in kernel.intensity), None)
    if level is None or not kernel.achieved or kernel.intensity[level] <= 0:
        return None
    return kernel.intensity[level], kernel.achieved


def compute_roofs(document: Roofline, points: list[Kernel]) -> list[Roof]:
    """Those of the dtypes in use, at least one; roofs that nearly coincide share a line and a name."""
    every = [roof for roof in document.roofs if roof.kind == "compute"]
    used = {
        dtype
        for kernel in points
        for dtype, operations in kernel.work.items()
        if operations > 0.01 * (kernel.flops or 0)
    }
    chosen = [roof for roof in every if roof.name in used]
    if not chosen or "" in used:
        chosen = every[:1] + [roof for roof in chosen if roof is not every[0]]
    lines: list[Roof] = []
    for roof in sorted(chosen, key=lambda one: -one.value):
        if lines and lines[-1].value / roof.value < CLOSE:
            lines[-1] = lines[-1].model_copy(update={"name": f"{lines[-1].name}, {roof.name}"})
        else:
            lines.append(roof)
    return lines


def _set_scales(axes: Any, points: list[Kernel], memory: list[Roof], compute: list[Roof]) -> None:
    where = [place for kernel in points if (place := position(kernel))]
    xs, ys = [x for x, _ in where], [y for _, y in where]
    xs += [x for kernel in points for x in kernel.intensity.values() if x > 0]
    if memory and compute:
        xs += [ridge(compute[0].value, roof.value) for roof in memory]
    ys += [roof.value for roof in compute]
    if not xs or not ys:
        xs, ys = [0.1, 100.0], [1e9, 1e12]
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(min(xs) / 3, max(xs) * 3)
    axes.set_ylim(min(ys) / 4, max(ys) * 2)
    axes.set_xlabel("arithmetic intensity, FLOP per byte of DRAM")
    axes.set_ylabel("performance, FLOP/s")
    axes.yaxis.set_major_formatter(lambda value, _: rate(value, ""))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(True, which="major", color="#e6e6e6", linewidth=0.8)
    axes.tick_params(which="minor", length=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)


def _draw_roofs(axes: Any, memory: list[Roof], compute: list[Roof], points: list[Kernel]) -> None:
    low, high = axes.get_xlim()
    top = compute[0].value if compute else axes.get_ylim()[1]
    for place, roof in enumerate(memory):
        end = min(high, top / roof.value)
        colour = COLOURS.get(roof.name, GREY)
        axes.plot([low, end], [low * roof.value, end * roof.value], color=colour, linewidth=2.2 - 0.5 * place, zorder=2)
        _name_slope(axes, roof, colour, low, end, points)
    widest = max((roof.value for roof in memory), default=None)
    for roof in compute:
        start = max(low, roof.value / widest) if widest else low
        axes.plot([start, high], [roof.value] * 2, color=COLOURS["compute"], linewidth=2.0, zorder=2)
    _name_levels(axes, compute)


def _name_levels(axes: Any, compute: list[Roof]) -> None:
    """Beside the right end of each compute roof, from the top down; names that would touch are moved apart."""
    high, lowest = axes.get_xlim()[1], float("inf")
    for roof in compute:
        at = axes.transData.transform((high, roof.value))[1]
        shown = min(at, lowest - NAME_HEIGHT * axes.figure.dpi / 72)
        lowest = shown
        text = f"{roof.name}{_basis(roof)}\n{rate(roof.value, 'FLOP/s')}"
        axes.annotate(
            text, (high, roof.value), xytext=(5, (shown - at) * 72 / axes.figure.dpi), textcoords="offset points",
            ha="left", va="center", fontsize=9, color=COLOURS["compute"], annotation_clip=False, linespacing=1.1,
        )  # fmt: skip


def _name_slope(axes: Any, roof: Roof, colour: str, low: float, end: float, points: list[Kernel]) -> None:
    """The name lies along the line, where it is farthest from every point."""
    bottom = max(low, axes.get_ylim()[0] / roof.value)
    if end <= bottom:
        return
    (x0, y0), (x1, y1) = axes.transData.transform([(bottom, bottom * roof.value), (end, end * roof.value)])
    taken = axes.transData.transform([place for kernel in points if (place := position(kernel))] or [(1e-99, 1e-99)])

    def room(share: float) -> float:
        """Pixels between the name, which takes about a quarter of the line, and the nearest point."""
        along = [(x0 + part * (x1 - x0), y0 + part * (y1 - y0)) for part in (share, share + 0.13, share + 0.26)]
        return min(60.0, *(math.hypot(x - px, y - py) for x, y in along for px, py in taken))

    share = max((0.05, 0.2, 0.35, 0.5, 0.65), key=room)
    x = bottom * (end / bottom) ** share
    angle = math.atan2(y1 - y0, x1 - x0)
    axes.annotate(
        f"{roof.name}  {rate(roof.value, 'B/s')}{_basis(roof)}", (x, x * roof.value),
        xytext=(-5 * math.sin(angle), 5 * math.cos(angle)), textcoords="offset points",
        rotation=math.degrees(angle), rotation_mode="anchor", fontsize=9, color=colour, va="baseline",
    )  # fmt: skip


def _draw_arrows(axes: Any, points: list[Kernel]) -> None:
    """From each baseline to its variants."""
    starts = {kernel.group: position(kernel) for kernel in points if kernel.group and kernel.variant == "baseline"}
    for kernel in points:
        start, end = starts.get(kernel.group), position(kernel)
        if start is None or end is None or kernel.variant == "baseline":
            continue
        style = {"arrowstyle": "-|>", "color": "#777777", "linewidth": 1.1, "shrinkA": 6, "shrinkB": 6}
        axes.annotate("", end, xytext=start, arrowprops=style, zorder=3)


def _draw_point(axes: Any, kernel: Kernel, is_named: bool, tolerance: float) -> None:
    place = position(kernel)
    if place is None:
        return
    x, y = place
    colour = colour_of(kernel)
    hollow = kernel.variant == "baseline"
    if is_named:
        _draw_levels(axes, kernel, x, y)
    if kernel.achieved_low and kernel.achieved_high and kernel.achieved_high > kernel.achieved_low:
        axes.plot([x, x], [kernel.achieved_low, kernel.achieved_high], color=colour, linewidth=1.2, zorder=4)
    axes.scatter(
        [x], [y], s=area_of(kernel), marker=marker_of(kernel), zorder=5 if hollow else 6, linewidths=1.4,
        facecolor="white" if hollow else colour, edgecolor=colour if hollow else "white",
        alpha=0.95 if is_named else 0.45,
    )  # fmt: skip
    if kernel.of_roof is not None and kernel.of_roof > 1 + tolerance:
        size = area_of(kernel) + 160
        axes.scatter([x], [y], s=size, marker="o", facecolor="none", edgecolor="#000000", linewidths=1.6, zorder=7)
        axes.annotate("impossible", (x, y), xytext=(0, 13), textcoords="offset points", ha="center", fontsize=8)


def _draw_levels(axes: Any, kernel: Kernel, x: float, y: float) -> None:
    """The same kernel by the bytes of its inner levels, on a thin line."""
    inner = [(level, kernel.intensity[level]) for level in MEMORY_LEVELS[1:] if kernel.intensity.get(level)]
    for level, other in inner:
        axes.plot([other, x], [y, y], color="#bbbbbb", linewidth=0.8, zorder=3)
        axes.scatter([other], [y], s=16, marker="|", color=COLOURS[level], linewidths=1.8, zorder=4)


def _basis(roof: Roof) -> str:
    return {"measured": "", "sheet": " (data sheet)", "derived": " (derived)"}[roof.basis]


def _title(document: Roofline) -> str:
    return f"Roofline: {document.machine}" if document.machine else "Roofline"


def _subtitle(document: Roofline) -> str:
    bases = sorted({roof.basis for roof in document.roofs if roof.kind != "feed"})
    roofs = " and ".join({"measured": "measured", "sheet": "data-sheet", "derived": "derived"}[one] for one in bases)
    sources = " and ".join(sorted({kernel.source for kernel in document.kernels}))
    clocks = [kernel.clock_hz / 1e9 for kernel in document.kernels if kernel.clock_hz]
    span = " to ".join(dict.fromkeys(f"{one:.2f}" for one in (min(clocks), max(clocks)))) if clocks else ""
    clock = f"; SM clock {span} GHz" if clocks else ""
    return f"{roofs} roofs; points from {sources}: {', '.join(document.inputs)}{clock}"


def _save(figure: Any, path: Path) -> None:
    if path.suffix == ".svg":
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
        path.write_text(without_references(text.getvalue()), encoding="utf-8")
    else:
        figure.savefig(path, dpi=150)


def without_references(svg: str) -> str:
    """Without the document type and the empty metadata: nothing in the file is fetched by anybody."""
    svg = re.sub(r"<!DOCTYPE[^>]*>\n?", "", svg)
    return re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
