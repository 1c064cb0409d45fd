"""A roofline as a picture: roofs, kernels, and beside them what binds the tensor cores.

One point per kernel: its area is its share of time, its colour the roof that limits it, its shape where its numbers
come from. Points carry numbers, the list beside the picture says what they are: names in the plot would overlap.
"""

import math
from pathlib import Path

from perfproof.calc.roofline import ridge
from perfproof.core.atomic import write_atomic
from perfproof.core.roofline import MEMORY_LEVELS, Kernel, Roof, Roofline
from perfproof.core.units import amount
from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale
from perfproof.report.figures.svg import Place
from perfproof.report.figures.svg_file import GREY, Axes, arrow, frame, label, marker, stroke, svg_file, text_width
from perfproof.report.roofline import dual as roofline_dual
from perfproof.report.roofline import list as roofline_list
from perfproof.report.roofline.marks import COLOURS, MARKERS, colour_of, numbers, radius_of

SIZE = (1280.0, 720.0)  # a slide
LEFT, TOP, BOTTOM = 77.0, 108.0, 641.0
NAMED = 12  # kernels with a number and a line in the list
CLOSE = 1.06  # compute roofs nearer than this are drawn as one
NAME_SIZE = 12.0
NAME_HEIGHT = 33.0  # of a compute roof's name: two lines


def draw(document: Roofline, paths: list[Path], named: int = NAMED) -> None:
    """Write the picture; the suffix of each path says how: .svg, or .png by way of a browser."""
    from perfproof.report.browser import take_picture

    drawn = picture(document, named)
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, take_picture(drawn, SIZE) if path.suffix == ".png" else drawn)


def picture(document: Roofline, named: int = NAMED) -> str:
    """The text of the SVG file."""
    entries = roofline_list.entries_of(document, named)
    marks = {kernel: text for entry in entries for kernel, text in entry.marks.items()}
    dual = [kernel for kernel in document.kernels if kernel.binding]
    parts = [
        label(_title(document), (LEFT, 38), 21, bold=True),
        label(_subtitle(document), (LEFT, 71), 13, GREY),
        *draw_roofline(document, marks, right=518.0 if dual else 787.0),
        *(roofline_dual.draw(dual, marks) if dual else ()),
        *roofline_list.draw(document, entries, x=978.0 if dual else 928.0),
    ]
    said = "; ".join(f"{entry.number} {entry.title}: {entry.roof} of its roof, {entry.detail}" for entry in entries)
    return svg_file(_title(document), said, SIZE, parts)


def draw_roofline(document: Roofline, marks: dict[int, str], right: float) -> list[str]:
    """The log-log picture: FLOP/s against FLOP per byte."""
    points = [kernel for kernel in document.kernels if position(kernel) is not None]
    compute = compute_roofs(document, points)
    memory = [roof for roof in document.roofs if roof.kind == "memory"]
    memory = [roof for roof in memory if roof.name == "DRAM" or any(roof.name in one.bytes for one in points)]
    axes = _axes(points, memory, compute, right)
    names = ("arithmetic intensity, FLOP per byte of DRAM", "performance, FLOP/s")
    parts = frame(axes, names, lambda value: f"{value:g}", lambda value: amount(value, ""))
    parts += [*_roofs(axes, memory, compute, points), *_arrows(axes, points)]
    baselines_last = sorted(points, key=lambda one: one.variant == "baseline")
    for kernel in reversed(baselines_last):
        parts += _point(axes, kernel, id(kernel) in marks or kernel.variant == "baseline")
    above = [one for one in points if one.of_roof is not None and one.of_roof > 1 + document.tolerance]
    named = [
        (marks[id(one)], (*_at(axes, one), radius_of(one) + 5 * (one in above))) for one in points if id(one) in marks
    ]
    return [*parts, *_rings(axes, above), *numbers(named)]


def position(kernel: Kernel) -> tuple[float, float] | None:
    """(FLOP per byte of its outermost level, FLOP/s); None for a kernel that has no place on logarithmic axes."""
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


def _axes(points: list[Kernel], memory: list[Roof], compute: list[Roof], right: float) -> Axes:
    where = [place for kernel in points if (place := position(kernel))]
    xs, ys = [x for x, _ in where], [y for _, y in where]
    xs += [x for kernel in points for x in kernel.intensity.values() if x > 0]
    if memory and compute:
        xs += [ridge(compute[0].value, roof.value) for roof in memory]
    ys += [roof.value for roof in compute]
    if not xs or not ys:
        xs, ys = [0.1, 100.0], [1e9, 1e12]
    return Axes(
        Scale(min(xs) / 3, max(xs) * 3, LEFT, right, log=True), Scale(min(ys) / 4, max(ys) * 2, BOTTOM, TOP, log=True)
    )


def _at(axes: Axes, kernel: Kernel) -> Place:
    return axes.at(*(position(kernel) or (1.0, 1.0)))


def _roofs(axes: Axes, memory: list[Roof], compute: list[Roof], points: list[Kernel]) -> list[str]:
    low, high, bottom = axes.x.low, axes.x.high, axes.y.low
    top = compute[0].value if compute else axes.y.high
    taken = [_at(axes, kernel) for kernel in points]
    parts, slopes = [], []
    for number, roof in enumerate(memory):
        start, end = max(low, bottom / roof.value), min(high, top / roof.value)
        if start < end:
            ends = axes.at(start, start * roof.value), axes.at(end, end * roof.value)
            colour = COLOURS.get(roof.name, GREY)
            parts.append(stroke(ends, colour, 2.9 - 0.6 * number))
            slopes.append((roof, colour, ends))
    for roof, colour, ends in slopes:
        parts.append(_name_of_slope(roof, colour, ends, taken))
    widest = max((roof.value for roof in memory), default=None)
    for roof in compute:
        start = max(low, roof.value / widest) if widest else low
        parts.append(stroke([axes.at(start, roof.value), axes.at(high, roof.value)], COLOURS["compute"], 2.7))
    return [*parts, *_names_of_levels(axes, compute)]


def _names_of_levels(axes: Axes, compute: list[Roof]) -> list[str]:
    """Beside the right end of each compute roof, from the top down; names that would touch are moved apart."""
    parts, lowest = [], -math.inf
    for roof in compute:
        lowest = max(axes.y.at(roof.value), lowest + NAME_HEIGHT)
        for line, step in ((f"{roof.name}{_basis(roof)}", -7), (amount(roof.value, "FLOP/s"), 7)):
            parts.append(label(line, (axes.x.end + 7, lowest + step), NAME_SIZE, COLOURS["compute"]))
    return parts


def _name_of_slope(roof: Roof, colour: str, ends: tuple[Place, Place], taken: list[Place]) -> str:
    """The name lies along the line, where it is farthest from every point and every other name."""
    text = f"{roof.name}  {amount(roof.value, 'B/s')}{_basis(roof)}"
    (x0, y0), (x1, y1) = ends
    length = math.dist(*ends)
    part = text_width(text, NAME_SIZE) / length if length else 1.0

    def covered(share: float) -> list[Place]:
        return [(x0 + at * (x1 - x0), y0 + at * (y1 - y0)) for at in (share, share + part / 2, share + part)]

    def room(share: float) -> float:
        return min(80.0, *(math.dist(place, other) for place in covered(share) for other in taken)) if taken else 80.0

    share = max((0.05, 0.2, 0.35, 0.5, 0.65), key=lambda one: (one + part <= 1.0, room(one)))
    taken += covered(share)
    angle = math.atan2(y1 - y0, x1 - x0)
    x, y = covered(share)[0]
    beside = (x + 11 * math.sin(angle), y - 11 * math.cos(angle))
    return label(text, beside, NAME_SIZE, colour, angle=math.degrees(angle))


def _arrows(axes: Axes, points: list[Kernel]) -> list[str]:
    """From each baseline to its variants."""
    starts = {kernel.group: kernel for kernel in points if kernel.group and kernel.variant == "baseline"}
    variants = [kernel for kernel in points if kernel.group in starts and kernel.variant != "baseline"]
    return [part for one in variants for part in arrow(_at(axes, starts[one.group]), _at(axes, one), "#777777")]


def _point(axes: Axes, kernel: Kernel, is_named: bool) -> list[str]:
    x, y = _at(axes, kernel)
    colour, hollow = colour_of(kernel), kernel.variant == "baseline"
    parts = _levels(axes, kernel, (x, y)) if is_named else []
    if kernel.achieved_low and kernel.achieved_high and kernel.achieved_high > kernel.achieved_low:
        reach = [(x, axes.y.at(kernel.achieved_low)), (x, axes.y.at(kernel.achieved_high))]
        parts.append(stroke(reach, colour, 1.6))
    fill, edge = ("#ffffff", colour) if hollow else (colour, "#ffffff")
    opacity = 0.95 if is_named else 0.45
    return [*parts, marker(MARKERS[kernel.source], (x, y), radius_of(kernel), fill, edge, 1.8, opacity)]


def _levels(axes: Axes, kernel: Kernel, at: Place) -> list[str]:
    """The same kernel by the bytes of its inner levels, on a thin line."""
    parts = []
    for level in MEMORY_LEVELS[1:]:
        if kernel.intensity.get(level):
            other = axes.x.at(kernel.intensity[level]), at[1]
            parts += [stroke([other, at], "#bbbbbb", 1.1), marker("|", other, 3.0, COLOURS[level])]
    return parts


def _rings(axes: Axes, above: list[Kernel]) -> list[str]:
    """A ring around each point above a roof, and the word above those where it covers no other ring and no word."""
    rings = [(*_at(axes, kernel), radius_of(kernel) + 4) for kernel in above]
    parts: list[str] = []
    words: list[tuple[float, float, float, float]] = []
    for x, y, radius in rings:
        parts.append(svg.tag("circle", cx=x, cy=y, r=radius, fill="none", stroke="#000000", stroke_width=2.1))
        at = (x, y - radius - 9)
        taken = [*words, *((x, y, radius + 34, radius + 6) for x, y, radius in rings)]
        if all(abs(at[0] - one[0]) > one[2] or abs(at[1] - one[1]) > one[3] for one in taken):
            words.append((*at, 68.0, 14.0))
            parts.append(label("impossible", at, 11, anchor="middle"))
    return parts


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
