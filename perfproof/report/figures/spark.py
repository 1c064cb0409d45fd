"""A series as a small line beside its numbers: where it came from, where it is, and where it changed."""

from functools import lru_cache

from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale

WIDTH, HEIGHT, EDGE = 140.0, 26.0, 4.0
MOST = 70  # points: one per two pixels
LEAST_SPAN = 1.02  # less than 2 % of change looks flat


@lru_cache(maxsize=512)
def spark(values: tuple[float, ...], changed_at: int | None = None) -> str:
    """Positive values, oldest first; `changed_at` is the place of the first value after the last change."""
    x = Scale(0, max(1, len(values) - 1), EDGE, WIDTH - EDGE)
    low, high = min(values), max(values)
    if high / low < LEAST_SPAN:
        low, high = low / LEAST_SPAN, high * LEAST_SPAN
    y = Scale(low, high, HEIGHT - EDGE, EDGE, log=True)
    step = max(1, -(-len(values) // MOST))
    chosen = sorted({*range(0, len(values), step), len(values) - 1})
    places = [(x.at(at), y.at(values[at])) for at in chosen]
    parts = [svg.line(x.at(changed_at - 0.5), 0, x.at(changed_at - 0.5), HEIGHT, "cut")] if changed_at else []
    parts += [svg.polyline(places, "sparkline"), svg.dots(places[-1:], "unit variant")]
    return svg.decoration(parts, "spark")
