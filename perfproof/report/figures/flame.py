"""The flame graph: where time was spent, by stack. The outermost frame is above; a frame is as wide as its weight."""

import re
import zlib
from collections.abc import Callable, Mapping

from perfproof.core import units
from perfproof.report.figures import stretched, svg
from perfproof.report.figures.flame_tree import DEEPER, OTHERS, Frame, laid_out, merged

ROW = 18.0
COLOURS = 6
NARROW, MIDDLE = 0.07, 0.16  # shares whose words are hidden on a phone, and on a narrow window
FILE = re.compile(r"\((?P<file>[^()]+?):\??\d*\)$|^(?P<python>[^(]+)\(\d+\): ")
HEAVIEST = 3  # told in the text alternative


def flame(
    ident: str,
    title: str,
    weights: Mapping[tuple[str, ...], float],
    shown: Callable[[float], str],
) -> str | None:
    """`shown` writes a weight: "1.2 ms", "31 samples". None where nothing weighs anything."""
    root = merged(weights)
    if not root.weight > 0:
        return None
    frames = laid_out(root)
    height = ROW * (1 + max(frame.depth for frame in frames))
    parts = [_part(frame, root.weight, shown) for frame in frames]
    return stretched.picture(ident, title, _description(weights, root.weight, shown), height, parts)


def own_weights(weights: Mapping[tuple[str, ...], float]) -> dict[str, float]:
    """By the innermost frame, the heaviest first: what ran, wherever it was called from."""
    sums: dict[str, float] = {}
    for path, weight in weights.items():
        if path and weight > 0:
            sums[path[-1]] = sums.get(path[-1], 0.0) + weight
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def _part(frame: Frame, whole: float, shown: Callable[[float], str]) -> str:
    share = units.percent(frame.weight / whole)
    folded = f" ({frame.folded} too small to draw)" if frame.folded else ""
    inside = [
        stretched.hover(f"{frame.name}{folded}: {shown(frame.weight)}, {share}"),
        svg.tag("rect", width="100%", height=ROW - 1),
    ]
    if label := stretched.fitting(frame.name, frame.width):
        inside.append(svg.words(label, 4, 12.5))
    reach = " narrow" if frame.width < NARROW else " middle" if frame.width < MIDDLE else ""
    return stretched.part(frame.x, ROW * frame.depth, frame.width, ROW, inside, class_=f"frame {_colour(frame)}{reach}")


def _colour(frame: Frame) -> str:
    """One for each file, so that what belongs together looks alike; frames without a file by their first word."""
    if frame.folded and frame.name in (OTHERS, DEEPER):
        return "folded"
    found = FILE.search(frame.name)
    owner = (found["file"] or found["python"]) if found else re.split(r"[:.\s(]", frame.name, maxsplit=1)[0]
    return f"hue{zlib.crc32(owner.encode(errors='replace')) % COLOURS}"


def _description(weights: Mapping[tuple[str, ...], float], whole: float, shown: Callable[[float], str]) -> str:
    heaviest = list(own_weights(weights).items())[:HEAVIEST]
    told = "; ".join(f"{name} {units.percent(weight / whole)}" for name, weight in heaviest)
    return f"{len(weights)} stacks, {shown(whole)} in all. Innermost frames that weigh most: {told}."
