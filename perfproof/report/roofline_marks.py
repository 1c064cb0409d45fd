"""How a roofline's points look: colours, shapes, sizes, and where their numbers stand."""

from typing import Any

from perfproof.core.roofline import MEMORY_LEVELS, Kernel

INK, GREY = "#222222", "#666666"
COLOURS = {  # Okabe and Ito
    "DRAM": "#0072B2",
    "L2": "#56B4E9",
    "shared memory": "#009E73",
    "compute": "#D55E00",
    "TMEM": "#CC79A7",
    "shared-memory feed": "#CC79A7",
    "undetermined": "#888888",
}
MARKERS = {"counters": "o", "model": "D", "metadata": "s", "counters+metadata": "p"}
SMALLEST, LARGEST = 40.0, 900.0  # square points
TYPICAL = 130.0  # where there is no share
OFFSETS = [(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1)]


def colour_of(kernel: Kernel) -> str:
    """Of the roof that limits it."""
    if not kernel.limited_by:
        return COLOURS["undetermined"]
    return COLOURS[kernel.limited_by if kernel.limited_by in MEMORY_LEVELS else "compute"]


def marker_of(kernel: Kernel) -> str:
    """By where its numbers come from."""
    return MARKERS[kernel.source]


def area_of(kernel: Kernel) -> float:
    """In proportion to the share of time, but never too small to be seen."""
    if kernel.share_of_time is None:
        return TYPICAL
    return max(SMALLEST, min(LARGEST, LARGEST * kernel.share_of_time))


def place_numbers(axes: Any, places: list[tuple[str, float, float, float]]) -> None:
    """A number beside each (number, x, y, area), where it covers no point and no other number."""
    at = [tuple(axes.transData.transform((x, y))) for _, x, y, _ in places]
    radii = [(area**0.5) / 2 * axes.figure.dpi / 72 for *_, area in places]
    taken: list[tuple[float, float, float]] = [(x, y, r) for (x, y), r in zip(at, radii, strict=True)]
    for (number, x, y, _), (px, py), radius in zip(places, at, radii, strict=True):
        half = (3.0 + 3.5 * len(number)) * axes.figure.dpi / 72
        spots = [
            (px + dx * (radius + half + step), py + dy * (radius + half + step))
            for step in (1.0, 10.0, 20.0)
            for dx, dy in OFFSETS
        ]
        best = min(spots, key=lambda spot: _crowding(spot, half, taken))
        taken.append((best[0], best[1], half))
        dx, dy = ((best[0] - px) * 72 / axes.figure.dpi, (best[1] - py) * 72 / axes.figure.dpi)
        axes.annotate(
            number, (x, y), xytext=(dx, dy), textcoords="offset points", ha="center", va="center",
            fontsize=9, fontweight="bold", color=INK, zorder=8,
            bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.75},
        )  # fmt: skip


def _crowding(spot: tuple[float, float], half: float, taken: list[tuple[float, float, float]]) -> float:
    """How far a number at this spot reaches into what is there."""
    overlaps = (max(0.0, half + r - ((spot[0] - x) ** 2 + (spot[1] - y) ** 2) ** 0.5) for x, y, r in taken)
    return sum(overlaps)


def rate(value: float, unit: str) -> str:
    """4.31 TB/s, 790 TFLOP/s."""
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor * 0.9995:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"
