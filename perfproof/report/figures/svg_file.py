"""A figure that is a file of its own, for a slide or a README: it has its colours with it and refers to nothing.

Sizes are pixels at 96 per inch. Text stays text. The viewer's font is not known, so widths are estimated for DejaVu
Sans, the widest of the fonts that are named: in a narrower one a text ends earlier.
"""

import math
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape

from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale
from perfproof.report.figures.svg import Place

INK, GREY, GRID, EDGE = "#222222", "#666666", "#e6e6e6", "#888888"
FONTS = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
NARROW, WIDE = "ijlt.,:;|!'()[]fr/ I", "mwMW@%→…"  # about a third of the height, and nearly all of it


@dataclass(frozen=True)
class Axes:
    """An area of the picture with two scales in pixels."""

    x: Scale
    y: Scale

    def at(self, x: float, y: float) -> Place:
        return self.x.at(x), self.y.at(y)


def svg_file(title: str, description: str, size: tuple[float, float], parts: Iterable[str], style: str = "") -> str:
    """The text of the file: white ground, and a title and a description for screen readers."""
    width, height = size
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        + svg.tag(
            "svg",
            svg.tag("title", escape(svg.clean(title))),
            svg.tag("desc", escape(svg.clean(description))),
            *([svg.tag("style", style)] if style else []),
            svg.tag("rect", width=width, height=height, fill="#ffffff"),
            *(f"\n{part}" for part in parts if part),
            xmlns="http://www.w3.org/2000/svg",
            width=width,
            height=height,
            viewBox=f"0 0 {width:g} {height:g}",
            role="img",
            font_family=FONTS,
        )
        + "\n"
    )


def label(
    text: str,
    at: Place,
    size: float = 13.0,
    colour: str = INK,
    anchor: str = "start",
    bold: bool = False,
    angle: float = 0.0,
) -> str:
    """Text whose middle has the height of `at`; with an angle in degrees it is turned around that place."""
    x, y = at
    return svg.tag(
        "text",
        escape(svg.clean(text)),
        x=x,
        y=y + 0.35 * size,
        font_size=size,
        fill=colour,
        text_anchor=None if anchor == "start" else anchor,
        font_weight="bold" if bold else None,
        transform=f"rotate({angle:.1f} {x:.1f} {y:.1f})" if angle else None,
    )


def paragraph(lines: Iterable[str], at: Place, step: float, size: float, colour: str = GREY) -> list[str]:
    return [label(line, (at[0], at[1] + step * row), size, colour) for row, line in enumerate(lines) if line]


def stroke(places: Iterable[Place], colour: str, width: float, dashes: str | None = None) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return svg.tag("polyline", points=points, fill="none", stroke=colour, stroke_width=width, stroke_dasharray=dashes)


def marker(
    shape: str,
    at: Place,
    radius: float,
    fill: str,
    edge: str = "none",
    width: float = 1.5,
    opacity: float | None = None,
) -> str:
    """`o` a disc, `s` a square, `D` a diamond, `p` a pentagon, `|` a short upright line."""
    x, y = at
    if shape == "|":
        return stroke([(x, y - radius), (x, y + radius)], fill, 2.4)
    style = {"fill": fill, "stroke": edge, "stroke_width": width, "opacity": opacity}
    if shape == "o":
        return svg.tag("circle", cx=x, cy=y, r=radius, **style)
    corners, turn, reach = {"s": (4, 45.0, math.sqrt(2)), "D": (4, 0.0, math.sqrt(2)), "p": (5, -90.0, 1.15)}[shape]
    angles = [math.radians(turn + 360.0 * corner / corners) for corner in range(corners)]
    places = [(x + radius * reach * math.cos(angle), y + radius * reach * math.sin(angle)) for angle in angles]
    return svg.tag("polygon", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in places), **style)


def arrow(start: Place, end: Place, colour: str, gap: float = 8.0) -> list[str]:
    """From near `start` to near `end`; nothing if they are too close for an arrow."""
    length = math.dist(start, end)
    if length < 2 * gap + 8:
        return []
    dx, dy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    tip = end[0] - gap * dx, end[1] - gap * dy
    back = tip[0] - 8 * dx, tip[1] - 8 * dy
    sides = [(back[0] - 3.2 * dy, back[1] + 3.2 * dx), (back[0] + 3.2 * dy, back[1] - 3.2 * dx)]
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in (tip, *sides))
    return [
        stroke([(start[0] + gap * dx, start[1] + gap * dy), back], colour, 1.4),
        svg.tag("polygon", points=head, fill=colour),
    ]


def frame(
    axes: Axes,
    names: tuple[str, str],
    x_text: Callable[[float], str],
    y_text: Callable[[float], str],
    size: float = 13.0,
    gap: float = 58.0,
) -> list[str]:
    """The grid, its values and the names of the axes; `gap` is between the axis and its name on the left."""
    left, right, bottom, top = axes.x.start, axes.x.end, axes.y.start, axes.y.end
    parts = []
    for value in axes.x.ticks(7):
        parts.append(stroke([(axes.x.at(value), bottom), (axes.x.at(value), top)], GRID, 1.0))
        parts.append(label(x_text(value), (axes.x.at(value), bottom + 1.1 * size), size, anchor="middle"))
    for value in axes.y.ticks(6):
        parts.append(stroke([(left, axes.y.at(value)), (right, axes.y.at(value))], GRID, 1.0))
        parts.append(label(y_text(value), (left - 7, axes.y.at(value)), size, anchor="end"))
    parts.append(stroke([(left, top), (left, bottom), (right, bottom)], EDGE, 1.1))
    parts.append(label(names[0], ((left + right) / 2, bottom + 2.6 * size), size, anchor="middle"))
    parts.append(label(names[1], (left - gap, (top + bottom) / 2), size, anchor="middle", angle=-90.0))
    return parts


def text_width(text: str, size: float) -> float:
    return size * sum(_width(letter) for letter in text)


def _width(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    return 0.4 if letter in NARROW else 0.95 if letter in WIDE else 0.7 if letter.isupper() else 0.63


def fitted(text: str, size: float, width: float) -> str:
    """What is too long for `width` loses its middle."""
    letters = len(text)
    while letters > 8 and text_width(shorten(text, letters), size) > width:
        letters -= 1
    return shorten(text, letters)


def shorten(text: str, width: int) -> str:
    tail = width // 3
    return text if len(text) <= width else f"{text[: width - tail - 1]}…{text[len(text) - tail :]}"
