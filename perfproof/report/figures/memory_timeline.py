"""Live memory over time: the line, its peak, the steps as bands, and what the allocator had reserved."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from perfproof.core import units
from perfproof.report.figures import stretched, svg
from perfproof.report.figures.scale import round_values

HEIGHT, TOP, BOTTOM = 190.0, 24.0, 24.0
INNER = (1000.0, 100.0)  # the drawing's own units, stretched to the page
POINTS = 500  # columns: each keeps its lowest and its highest reading
HEADROOM = 1.08


@dataclass(frozen=True)
class Memory:
    """Readings in the order of time, in seconds and bytes: each holds until the next."""

    times: Sequence[float]
    live: Sequence[float]
    steps: Sequence[tuple[float, float]] = field(default=())
    reserved: float | None = None


def memory_timeline(ident: str, title: str, memory: Memory) -> str | None:
    """None where there are no readings."""
    if not memory.times:
        return None
    start, end = memory.times[0], memory.times[-1]
    length = (end - start) or 1e-9
    most = max(*memory.live, memory.reserved or 0.0, 1.0) * HEADROOM
    peak = max(range(len(memory.live)), key=memory.live.__getitem__)
    bottom = HEIGHT - BOTTOM

    def at(value: float) -> float:
        return bottom - (bottom - TOP) * max(0.0, value) / most

    peak_x = (memory.times[peak] - start) / length
    anchor = "start" if peak_x < 0.2 else "end" if peak_x > 0.8 else "middle"
    parts = [*_steps(memory, start, length, bottom), *_levels(most, at)]
    parts.append(_curve(memory, start, length, most, bottom))
    if memory.reserved:
        parts += _level(at(memory.reserved), "edge")
        parts.append(
            stretched.words(
                f"reserved {units.binary_bytes(memory.reserved)}", 1, at(memory.reserved) - 4, "tick", "end"
            )
        )
    parts.append(stretched.line(peak_x, at(memory.live[peak]), bottom, "edge"))
    parts.append(svg.tag("circle", cx=stretched.percent(peak_x), cy=at(memory.live[peak]), r=4, class_="peak"))
    parts.append(stretched.words(f"peak {units.binary_bytes(memory.live[peak])}", peak_x, TOP - 9, "strong", anchor))
    parts += _axis(length if end > start else 0.0)
    return stretched.picture(ident, title, _description(memory, peak, start, end), HEIGHT, parts)


def columns(memory: Memory, most: int = POINTS) -> list[tuple[float, float]]:
    """Points of the line: all, or the lowest and the highest of each column, so that no peak is lost."""
    points = list(zip(memory.times, memory.live, strict=True))
    if len(points) <= 2 * most:
        return points
    start, length = points[0][0], (points[-1][0] - points[0][0]) or 1.0
    kept: dict[int, list[tuple[float, float]]] = {}
    for point in points:
        column = min(most - 1, int((point[0] - start) / length * most))
        ends = kept.setdefault(column, [point, point])
        ends[0], ends[1] = min(ends[0], point, key=lambda one: one[1]), max(ends[1], point, key=lambda one: one[1])
    return [point for ends in kept.values() for point in sorted(ends)] + points[-1:]


def _curve(memory: Memory, start: float, length: float, most: float, bottom: float) -> str:
    """A line of steps with its area, in a drawing of its own that is stretched without thickening the line."""
    width, height = INNER
    places = [((time - start) / length * width, height * (1 - max(0.0, live) / most)) for time, live in columns(memory)]
    steps = "".join(f"H{x:.1f}V{y:.2f}" for x, y in places[1:])
    line = f"M{places[0][0]:.1f} {places[0][1]:.2f}{steps}"
    area = svg.tag("path", d=f"{line}V{height:g}H0z", class_="area")
    return svg.tag(
        "svg",
        area,
        svg.tag("path", d=line, class_="live"),
        x="0",
        y=TOP,
        width="100%",
        height=bottom - TOP,
        viewBox=f"0 0 {width:g} {height:g}",
        preserveAspectRatio="none",
    )


def _steps(memory: Memory, start: float, length: float, bottom: float) -> list[str]:
    """Every second step has a band, so that where one ends and the next begins can be seen."""
    parts = []
    for number, (begin, end) in enumerate(memory.steps):
        left, right = (min(1.0, max(0.0, (time - start) / length)) for time in (begin, end))
        if right > left and number % 2 == 0:
            inside = [
                stretched.hover(f"step {number + 1}"),
                svg.tag("rect", width="100%", height="100%", class_="band"),
            ]
            parts.append(stretched.part(left, TOP, right - left, bottom - TOP, inside))
    return parts


def _levels(most: float, at: Callable[[float], float]) -> list[str]:
    """Round sizes: of the unit that the largest is written in."""
    unit = next((size for size in (units.GiB, units.MiB, units.KiB) if most >= 2 * size), 1)
    parts: list[str] = []
    for level in round_values(0, most / unit, 4):
        y = at(level * unit)
        parts += _level(y, "grid")
        if level:
            parts.append(stretched.words(units.binary_bytes(level * unit), 0, y - 3, "tick"))
    return parts


def _level(y: float, class_: str) -> list[str]:
    return [svg.tag("line", x1="0", y1=y, x2="100%", y2=y, class_=class_)]


def _axis(length: float) -> list[str]:
    parts = []
    for tick in round_values(0, length, 5):
        x = tick / length
        anchor = "start" if x < 0.03 else "end" if x > 0.97 else "middle"
        parts.append(stretched.words(units.seconds(tick) if tick else "0", x, HEIGHT - 8, "tick", anchor))
    return parts


def _description(memory: Memory, peak: int, start: float, end: float) -> str:
    steps = f" {len(memory.steps)} steps are marked." if memory.steps else ""
    reserved = f" {units.binary_bytes(memory.reserved)} are reserved." if memory.reserved else ""
    return (
        f"Live memory over {units.seconds(end - start)}: it begins at {units.binary_bytes(memory.live[0])}, is highest "
        f"with {units.binary_bytes(memory.live[peak])} after {units.seconds(memory.times[peak] - start)}, and ends at "
        f"{units.binary_bytes(memory.live[-1])}.{reserved}{steps}"
    )
