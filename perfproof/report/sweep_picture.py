"""A sweep as a picture: along one axis a line with an interval at each point, along more a heat map of the ratios."""

from io import StringIO
from math import log2
from typing import Any

from perfproof.core.documents import Run
from perfproof.report.roofline_picture import without_references
from perfproof.report.rows import ratio_text
from perfproof.report.sweep_table import combinations, points_of

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # Okabe and Ito: colour-blind people can tell them apart
SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "perfproof", "text.parse_math": False, "font.size": 10}


def svg(run: Run) -> str:
    """The picture, with nothing to load from elsewhere."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    axes_of_sweep = {axis: values for axis, values in run.options["sweep"]["axes"].items() if len(values) > 1}
    with rc_context(SETTINGS):
        figure = Figure(figsize=(8, 5), layout="constrained", facecolor="white")
        axes = figure.add_subplot()
        if len(axes_of_sweep) <= 1:
            _draw_line(axes, run, next(iter(axes_of_sweep or run.options["sweep"]["axes"])))
        else:
            _draw_heat_map(figure, axes, run, list(axes_of_sweep))
        axes.set_title(f"{run.options['sweep']['target']} on {run.machine.get('kind', 'unknown machine')}", loc="left")
        out = StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return without_references(out.getvalue())


def _draw_line(axes: Any, run: Run, axis: str) -> None:
    """One line a variant; values stand at equal distances, as the axis lists them."""
    values = run.options["sweep"]["axes"][axis]
    points = points_of(run)
    variants = list(dict.fromkeys(name for target in run.targets for name in target.ratios))
    for variant, colour in zip(variants, COLOURS * len(variants), strict=False):
        judged = [
            (values.index(point[axis]), target.ratios[variant])
            for point, target in zip(points, run.targets, strict=True)
            if variant in target.ratios and target.ratios[variant].ratio is not None
        ]
        places = [place for place, _ in judged]
        axes.plot(places, [one.ratio for _, one in judged], marker="o", color=colour, label=variant)
        bounded = [(place, one.low, one.high) for place, one in judged if one.low is not None and one.high is not None]
        if bounded:  # a bar for each: a band alone would leave out a point between two without an interval
            axes.fill_between(*zip(*bounded, strict=True), color=colour, alpha=0.2, linewidth=0)
            bars = axes.vlines(*zip(*bounded, strict=True), color=colour, linewidth=2)
            bars.set_gid(f"intervals-{variant}")
    axes.axhline(1.0, color="#888888", linewidth=0.8, linestyle="--")
    axes.set_xticks(range(len(values)), [str(value) for value in values])
    axes.set(xlabel=axis, ylabel="baseline / variant (above 1: faster), with its interval")
    if len(variants) > 1:
        axes.legend(frameon=False)


def _draw_heat_map(figure: Any, axes: Any, run: Run, names: list[str]) -> None:
    """The first half of the axes goes down, the rest across; a point without a ratio stays white, with its word."""
    half = (len(names) + 1) // 2
    table = run.options["sweep"]["axes"]
    down, across = (
        [_words(point) for point in combinations({name: table[name] for name in part})]
        for part in (names[:half], names[half:])
    )
    colours: list[list[float]] = [[float("nan")] * len(across) for _ in down]
    for point, target in zip(points_of(run), run.targets, strict=True):
        row, column = (
            place.index(_words({name: point[name] for name in part}))
            for place, part in ((down, names[:half]), (across, names[half:]))
        )
        first = next(iter(target.ratios.values()), None)
        text: str = target.status
        if first is not None and first.ratio:
            colours[row][column] = log2(first.ratio)
            text = f"{ratio_text(first)}\n{first.verdict}"
        axes.text(column, row, text, ha="center", va="center", fontsize=9)
    widest = max((abs(one) for row in colours for one in row if one == one), default=0.0) or 1.0
    image = axes.imshow(colours, cmap="RdBu", vmin=-widest, vmax=widest, aspect="auto", alpha=0.6)
    axes.set_xticks(range(len(across)), across)
    axes.set_yticks(range(len(down)), down)
    axes.set(xlabel=", ".join(names[half:]), ylabel=", ".join(names[:half]))
    bar = figure.colorbar(image, ax=axes, label="baseline / variant")
    bar.ax.yaxis.set_major_formatter(lambda value, _: f"{2**value:.2f}x")


def _words(point: dict[str, Any]) -> str:
    return ", ".join(str(value) for value in point.values())
