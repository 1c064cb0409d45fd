"""Pictures of a load test: latency against rate, measures over time, and a heat map of latencies."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.core import units
from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale

WIDTH, LEFT, RIGHT, TOP, HEIGHT, BOTTOM = 760.0, 70.0, 16.0, 16.0, 200.0, 40.0
LEVELS = 6  # of the heat map's colour


@dataclass(frozen=True)
class Line:
    name: str
    points: Sequence[tuple[float, float]]  # x, y


def curve(
    ident: str, title: str, across: str, lines: Sequence[Line], limit: tuple[str, float] | None, log: bool
) -> str:
    """Lines over one axis; a limit is a level with its name. Without a point there is no picture."""
    places = [(x, y) for one in lines for x, y in one.points if math.isfinite(y) and (y > 0 or not log)]
    if not places:
        return ""
    ys = [y for _, y in places] + ([limit[1]] if limit else [])
    low, high = (min(ys) / 1.15, max(ys) * 1.15) if log else (0.0, max(max(ys) * 1.08, 1e-9))
    x = Scale(min(p[0] for p in places), max(p[0] for p in places), LEFT + 8, WIDTH - RIGHT - 8)
    y = Scale(low, high, TOP + HEIGHT, TOP, log=log)
    label = units.seconds if log else (lambda value: f"{value:.4g}")
    parts = []
    for tick in y.ticks(6):
        at = y.at(tick)
        parts += [
            svg.line(LEFT, at, WIDTH - RIGHT, at, "grid"),
            svg.words(label(tick), LEFT - 6, at + 4, "tick", "end"),
        ]
    for tick in x.ticks(8):
        parts.append(svg.words(f"{tick:.4g}", x.at(tick), TOP + HEIGHT + 15, "tick", "middle"))
    if limit is not None:
        at = y.at(limit[1])
        parts += [svg.line(LEFT, at, WIDTH - RIGHT, at, "cut"), svg.words(limit[0], WIDTH - RIGHT, at - 4, "", "end")]
    for number, one in enumerate(lines):
        own = [(x.at(a), y.at(b)) for a, b in one.points if math.isfinite(b) and (b > 0 or not log)]
        parts += [svg.polyline(own, f"trend line{number % 4}"), svg.dots(own, f"unit line{number % 4}")]
        parts.append(svg.dots([(LEFT + 12 + 150.0 * number, TOP + HEIGHT + 50)], f"unit line{number % 4}"))
        parts.append(svg.words(one.name[:22], LEFT + 20 + 150.0 * number, TOP + HEIGHT + 54))
    parts.append(svg.words(across, (LEFT + WIDTH - RIGHT) / 2, TOP + HEIGHT + 32, "tick", "middle"))
    said = "; ".join(f"{one.name}: " + ", ".join(f"{a:.4g}: {label(b)}" for a, b in one.points[:40]) for one in lines)
    return svg.picture(ident, title, said + ".", (WIDTH, TOP + HEIGHT + BOTTOM + 24), parts)


def heat_map(ident: str, title: str, points: Sequence[tuple[float, float]], columns: int = 60, rows: int = 16) -> str:
    """How many requests had which latency, over time: the darker, the more. The latency's axis is logarithmic."""
    good = [(time, value) for time, value in points if value > 0 and math.isfinite(value)]
    if len(good) < 2:
        return ""
    first, last = min(time for time, _ in good), max(time for time, _ in good)
    y = Scale(min(v for _, v in good) / 1.05, max(v for _, v in good) * 1.05, TOP + HEIGHT, TOP, log=True)
    x = Scale(first, last, LEFT, WIDTH - RIGHT)
    wide, tall = (WIDTH - RIGHT - LEFT) / columns, HEIGHT / rows
    cells: dict[tuple[int, int], int] = {}
    for time, value in good:
        column = min(columns - 1, int((x.at(time) - LEFT) / wide))
        row = min(rows - 1, int((y.at(value) - TOP) / tall))
        cells[column, row] = cells.get((column, row), 0) + 1
    most = max(cells.values())
    parts = []
    for level in range(1, LEVELS + 1):
        own = [place for place, count in cells.items() if _level(count, most) == level]
        corners = [((LEFT + wide * c, TOP + tall * r), (LEFT + wide * (c + 1), TOP + tall * (r + 1))) for c, r in own]
        parts.append(svg.boxes(corners, f"heat heat{level}"))
    for tick in y.ticks(6):
        parts.append(svg.words(units.seconds(tick), LEFT - 6, y.at(tick) + 4, "tick", "end"))
    for tick in x.ticks(8):
        parts.append(svg.words(f"{tick:.4g}", x.at(tick), TOP + HEIGHT + 15, "tick", "middle"))
    parts.append(svg.words("seconds after the start", (LEFT + WIDTH - RIGHT) / 2, TOP + HEIGHT + 32, "tick", "middle"))
    least, most_seen = (units.seconds(end(value for _, value in good)) for end in (min, max))
    said = f"{len(good)} requests from {least} to {most_seen}."
    return svg.picture(ident, title, said, (WIDTH, TOP + HEIGHT + BOTTOM), parts)


def _level(count: int, most: int) -> int:
    """1 to LEVELS, by the logarithm: single requests stay visible beside hundreds."""
    return 1 + round((LEVELS - 1) * math.log(count) / math.log(most)) if most > 1 else LEVELS
