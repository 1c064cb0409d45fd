"""SVG as text: every attribute and every word escaped, no style of its own.

A figure names classes (`base`, `variant`, `grid`, ...); the page's style sheet gives them colours for light and dark. A
style attribute would break the page's content security policy. Inline SVG needs no namespace, so there is no address of
any kind in it.
"""

import re
from collections.abc import Iterable
from html import escape

NOT_TEXT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]"
)
LONGEST_TITLE, LONGEST = 400, 20_000  # characters: a name in a document from elsewhere may be of any length
ANCHORS = {"start": "", "middle": "mid", "end": "end"}  # classes: shorter than the attribute
COLOUR_CODE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def clean(text: str) -> str:
    """Without a terminal's colours; characters that no page may hold, or that turn text around, made visible."""
    return NOT_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", COLOUR_CODE.sub("", text))


def tag(name: str, *inside: str, **attributes: object) -> str:
    """An element; `inside` is SVG already, attributes are escaped: `class_` is class, `aria_hidden` aria-hidden."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(inside)}</{name}>" if inside else f"<{name}{written}/>"


def words(text: str, x: float, y: float, class_: str = "", anchor: str = "start") -> str:
    """Text from `x` on; with the anchor `middle` around it, with `end` up to it."""
    classes = " ".join(word for word in (class_, ANCHORS[anchor]) if word)
    return tag("text", escape(clean(text[:LONGEST_TITLE])), x=x, y=y, class_=classes or None)


Place = tuple[float, float]


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    return lines([((x1, y1), (x2, y2))], class_)


def lines(ends: Iterable[tuple[Place, Place]], class_: str) -> str:
    """Many lines of one kind as one path: a few bytes each."""
    steps = "".join(f"M{_value(x1)} {_value(y1)}{_to(x1, y1, x2, y2)}" for (x1, y1), (x2, y2) in ends)
    return tag("path", d=steps, class_=class_) if steps else ""


def boxes(corners: Iterable[tuple[Place, Place]], class_: str) -> str:
    """Many rectangles as one path, each by two opposite corners."""
    steps = "".join(
        f"M{_value(x1)} {_value(y1)}H{_value(x2)}V{_value(y2)}H{_value(x1)}z" for (x1, y1), (x2, y2) in corners
    )
    return tag("path", d=steps, class_=class_) if steps else ""


def dots(places: Iterable[Place], class_: str) -> str:
    """Many round dots as one path of lines without length; the pen's width is their size."""
    steps = "".join(f"M{_value(x)} {_value(y)}h0" for x, y in places)
    return tag("path", d=steps, class_=f"dots {class_}") if steps else ""


def polyline(places: Iterable[Place], class_: str) -> str:
    steps = " ".join(f"{_value(x)},{_value(y)}" for x, y in places)
    return tag("polyline", points=steps, class_=class_) if steps else ""


def picture(
    ident: str, title: str, description: str, size: tuple[float, float], parts: Iterable[str], role: str = "img"
) -> str:
    """A figure with its text alternative; `ident` is unique in the page. One that holds links is a group."""
    width, height = size
    return tag(
        "svg",
        tag("title", escape(clean(title[:LONGEST_TITLE])), id=f"{ident}-t"),
        tag("desc", escape(clean(description[:LONGEST])), id=f"{ident}-d"),
        *parts,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        role=role,
        aria_labelledby=f"{ident}-t {ident}-d",
        class_="figure",
    )


def decoration(parts: Iterable[str], class_: str) -> str:
    """A small mark beside a number that says the same: screen readers pass over it. Its class gives its size."""
    return tag("svg", *parts, aria_hidden="true", class_=class_)


def _to(x1: float, y1: float, x2: float, y2: float) -> str:
    """The shortest way to write a line to x2, y2."""
    if x1 == x2:
        return f"V{_value(y2)}"
    return f"H{_value(x2)}" if y1 == y2 else f"L{_value(x2)} {_value(y2)}"


def _value(value: object) -> str:
    """Numbers with one decimal at most: a tenth of a pixel, and half the bytes."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
