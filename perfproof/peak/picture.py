"""A picture of the memory hierarchy: bandwidth by working set, the caches first, then memory."""

from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.units import binary_bytes
from perfproof.peak.table import quantity
from perfproof.report.figures.scale import Scale
from perfproof.report.figures.svg import tag
from perfproof.report.figures.svg_file import EDGE, INK, stroke, svg_file, text_width
from perfproof.report.figures.svg_file import label as words

SIZE, ROW, TOP, MARGIN = 13.0, 31.0, 46.0, 16.0
LONGEST, VALUE = 420.0, 90.0  # pixels of the longest bar, and of the value behind it
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
    drawn = bars(found)
    title = f"{found.kind}: bandwidth by working set"
    names = max((text_width(label(one), SIZE) for one in drawn), default=0.0)
    left = MARGIN + names + 10
    width = max(left + LONGEST + VALUE, MARGIN + text_width(title, 16) + MARGIN)
    scale = Scale(0, max((one.high for one in drawn), default=1.0), left, left + LONGEST)
    parts = [words(title, (MARGIN, 24), 16, bold=True)]
    for row, one in enumerate(drawn):
        y, end = TOP + ROW * (row + 0.5), scale.at(one.value)
        parts.append(words(label(one), (left - 8, y), SIZE, anchor="end"))
        parts.append(tag("rect", x=left, y=y - 11, width=end - left, height=22.0, fill="#4a7ab5"))
        parts.append(stroke([(scale.at(one.low), y), (scale.at(one.high), y)], INK, 2.0))
        parts.append(words(quantity(one.value, one.unit), (scale.at(one.high) + 9, y), 12))
    bottom = TOP + ROW * len(drawn)
    parts.append(stroke([(left, TOP), (left, bottom)], EDGE, 1.1))
    said = "; ".join(f"{label(one)}: {quantity(one.value, one.unit)}" for one in drawn)
    return svg_file(title, said, (width, bottom + MARGIN), parts)


def label(ceiling: Ceiling) -> str:
    size, threads = working_set(ceiling), ceiling.context.get("threads")
    in_name = ceiling.name.startswith("cache/")
    parts = [binary_bytes(size) if size and not in_name else "", f"threads: {threads}" if threads else ""]
    said = ", ".join(part for part in parts if part)
    return f"{ceiling.name} ({said})" if said else ceiling.name
