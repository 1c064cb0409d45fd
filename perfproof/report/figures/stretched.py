"""Figures as wide as the page, from a phone to a desk: places are per cent, letters keep their size.

A part of such a figure is an SVG inside the SVG: it has its own width in per cent, and the browser cuts off what does
not fit into it, so a long name never runs over its neighbour.
"""

from collections.abc import Iterable
from html import escape

from perfproof.report.figures import svg

WIDEST = 1000.0  # pixels, about: what is said to fit, fits here
LETTER = 7.0  # pixels of an average one in a wide typeface
TITLE_LONGEST = 300


def picture(ident: str, title: str, description: str, height: float, parts: Iterable[str]) -> str:
    """A figure with its text alternative; `ident` is unique in the page."""
    return svg.tag(
        "svg",
        svg.tag("title", escape(svg.clean(title)), id=f"{ident}-t"),
        svg.tag("desc", escape(svg.clean(description)), id=f"{ident}-d"),
        *parts,
        width="100%",
        height=float(height),
        role="img",
        aria_labelledby=f"{ident}-t {ident}-d",
        class_="stretched",
    )


def part(x: float, y: float, width: float, height: float, inside: Iterable[str], **attributes: object) -> str:
    """A box of its own from `x` on; both are shares of the whole width."""
    return svg.tag("svg", *inside, x=percent(x), y=float(y), width=percent(width), height=float(height), **attributes)


def bar(x: float, y: float, width: float, height: float, class_: str) -> str:
    return svg.tag("rect", x=percent(x), y=float(y), width=percent(width), height=float(height), class_=class_)


def line(x: float, top: float, bottom: float, class_: str) -> str:
    return svg.tag("line", x1=percent(x), y1=float(top), x2=percent(x), y2=float(bottom), class_=class_)


def words(text: str, x: float, y: float, class_: str = "", anchor: str = "start") -> str:
    classes = " ".join(word for word in (class_, svg.ANCHORS[anchor]) if word)
    return svg.tag("text", escape(svg.clean(text)), x=percent(x), y=float(y), class_=classes or None)


def hover(text: str) -> str:
    """What a browser shows when the pointer rests on the element that this stands in."""
    return svg.tag("title", escape(svg.clean(shortened(text, TITLE_LONGEST))))


def fitting(text: str, share: float) -> str:
    """As much of a text as a part of this share has room for on a wide page; nothing where that says nothing."""
    room = int((share * WIDEST - 6) / LETTER)
    return shortened(text, room) if room >= 4 else ""


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: max(0, most - 1)] + "…"


def percent(share: float) -> str:
    """A hundredth of a per cent is a tenth of a pixel."""
    return f"{100 * min(1.0, max(0.0, share)):.3f}".rstrip("0").rstrip(".") + "%"
