"""A picture of the memory hierarchy: bandwidth by working set, the caches first, then memory."""

from io import StringIO

from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.units import binary_bytes
from perfproof.peak.table import quantity

GROUPS = ("cache", "shared", "l2", "memory")


def bars(found: Ceilings) -> list[Ceiling]:
    """What is drawn: bandwidths of caches and memory, each group by working set, without the single thread counts."""
    drawn = [
        one
        for one in found.ceilings
        if one.unit == "bytes/s" and one.name.partition("/")[0] in GROUPS and one.name.count("/") == 1
    ]
    return sorted(drawn, key=lambda one: (GROUPS.index(one.name.partition("/")[0]), working_set(one)))


def working_set(ceiling: Ceiling) -> int:
    sizes = ceiling.sizes
    return int(sizes.get("working_set_bytes") or sizes.get("buffer_bytes") or sizes.get("tile_bytes") or 0)


def svg(found: Ceilings) -> str:
    """An SVG with nothing to load from elsewhere; the thin lines show the lowest and highest repeat."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    drawn = bars(found)
    values = [one.value for one in drawn]
    errors = [[one.value - one.low for one in drawn], [one.high - one.value for one in drawn]]
    with rc_context({"svg.hashsalt": "perfproof"}):
        figure = Figure(figsize=(7, 1.2 + 0.32 * len(drawn)), layout="constrained")
        axes = figure.add_subplot()
        axes.barh([label(one) for one in drawn], values, xerr=errors, color="#4a7ab5", ecolor="#333333")
        axes.bar_label(axes.containers[-1], [f"  {quantity(one.value, one.unit)}" for one in drawn], fontsize=8)  # type: ignore[arg-type]
        axes.set_title(f"{found.kind}: bandwidth by working set")
        axes.xaxis.set_visible(False)  # each bar says its value
        axes.margins(x=0.15)
        axes.spines[["top", "right", "bottom"]].set_visible(False)
        axes.invert_yaxis()
        out = StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()


def label(ceiling: Ceiling) -> str:
    size, threads = working_set(ceiling), ceiling.context.get("threads")
    in_name = ceiling.name.startswith("cache/")
    parts = [binary_bytes(size) if size and not in_name else "", f"threads: {threads}" if threads else ""]
    said = ", ".join(part for part in parts if part)
    return f"{ceiling.name} ({said})" if said else ceiling.name
