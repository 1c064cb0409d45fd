"""The list beside a roofline's picture: which mark is which kernel, and what the shapes mean.

Kernels of one program are entries of their own, the longest first. The sides of a pair are one entry: its mark stands
at the variant (1, or 1a and 1b), the arrow leads there from the baseline.
"""

import textwrap
from dataclasses import dataclass, field
from typing import Any

from perfproof.core import units
from perfproof.core.roofline import Kernel, Roofline
from perfproof.report.roofline_marks import COLOURS, GREY, MARKERS, colour_of

STEP = 0.047  # between lines, in heights of the figure
TOP = 0.83
RIGHT = 0.985
GAP = 0.014


@dataclass(frozen=True)
class Entry:
    """One line of the list."""

    number: int
    title: str
    detail: str
    colour: str
    time: str
    roof: str
    marks: dict[int, str] = field(default_factory=dict)  # id of a kernel -> what stands beside its point


def entries_of(document: Roofline, most: int) -> list[Entry]:
    """The first `most` kernels, or pairs."""
    groups: dict[str, list[Kernel]] = {}
    for kernel in document.kernels:
        groups.setdefault(kernel.group or f"\0{id(kernel)}", []).append(kernel)
    chosen = list(groups.values())[:most]
    return [_entry(number, kernels) for number, kernels in enumerate(chosen, start=1)]


def _entry(number: int, kernels: list[Kernel]) -> Entry:
    return _single(number, kernels[0]) if len(kernels) == 1 else _pair(number, kernels)


def _single(number: int, kernel: Kernel) -> Entry:
    share = "–" if kernel.share_of_time is None else f"{100 * kernel.share_of_time:.0f} %"
    marks = {id(kernel): str(number)}
    return Entry(number, kernel.label, detail(kernel), colour_of(kernel), share, _of_roof(kernel), marks)


def _pair(number: int, kernels: list[Kernel]) -> Entry:
    baseline = next((kernel for kernel in kernels if kernel.variant == "baseline"), None)
    variants = [kernel for kernel in kernels if kernel is not baseline] or kernels
    letters = [""] if len(variants) == 1 else [chr(ord("a") + place) for place in range(len(variants))]
    first, both = variants[0], [one for one in (baseline, variants[0]) if one is not None]
    words = f"{' → '.join(units.seconds(one.seconds) for one in both)}; {detail(first)}"
    if len(variants) > 1:
        named = zip(letters, variants, strict=True)
        words = ", ".join(f"{letter} {one.variant.removeprefix('optimized_')} {_of_roof(one)}" for letter, one in named)
    roofs = " → ".join(_of_roof(one).removesuffix(" %") for one in both)
    marks = {id(kernel): f"{number}{letter}" for kernel, letter in zip(variants, letters, strict=True)}
    return Entry(number, first.group, words, colour_of(first), "", f"{roofs} %", marks)


def detail(kernel: Kernel) -> str:
    """What limits it, in a few words."""
    if kernel.of_roof is None:
        missing = next(iter(kernel.unknown), "")
        return f"unknown: {missing}" if missing else "no roof applies"
    if kernel.binding:
        return f"binds: {kernel.binding}"
    return f"{kernel.limited_by} roof" if kernel.of_roof <= 1 else f"above the {kernel.limited_by} roof"


def draw(figure: Any, document: Roofline, entries: list[Entry], x: float) -> None:
    """The entries from the top, the key at the bottom."""
    has_shares = any(entry.time for entry in entries)
    figure.text(x, TOP + 0.04, "pair" if not has_shares else "kernel", fontsize=9, color=GREY)
    heading = "of time   of roof" if has_shares else "% of roof"
    figure.text(RIGHT, TOP + 0.04, heading, fontsize=9, color=GREY, ha="right")
    for place, entry in enumerate(entries):
        _line(figure, entry, x, TOP - place * STEP)
    shown = {one for entry in entries for one in entry.marks}
    others = [one for one in document.kernels if id(one) not in shown and one.variant != "baseline"]
    if others:
        share = sum(kernel.share_of_time or 0.0 for kernel in others)
        text = f"and {len(others)} more" + (f", {100 * share:.0f} % of time" if share else "")
        figure.text(x + 0.03, TOP - len(entries) * STEP, text, fontsize=9, color=GREY, va="center")
    _key(figure, document, x, has_shares)


def _line(figure: Any, entry: Entry, x: float, y: float) -> None:
    figure.text(x + 0.014, y, str(entry.number), fontsize=10, fontweight="bold", ha="right", va="center")
    figure.text(x + 0.0185, y, "■", fontsize=9, color=entry.colour, va="center")
    roof = figure.text(RIGHT, y, entry.roof, fontsize=9.5, ha="right", va="center")
    end = _left_of(figure, roof)
    if entry.time:
        time = figure.text(RIGHT - 0.046, y, entry.time, fontsize=9.5, ha="right", va="center", color=GREY)
        end = min(end, _left_of(figure, time))
    _fitted(figure, x + 0.032, y + 0.009, entry.title, end - GAP, fontsize=9.5)
    _fitted(figure, x + 0.032, y - 0.0115, entry.detail, end - GAP / 2, fontsize=7.5, color=GREY)


def _left_of(figure: Any, text: Any) -> float:
    return float(figure.transFigure.inverted().transform(text.get_window_extent(figure.canvas.get_renderer()))[0][0])


def _fitted(figure: Any, x: float, y: float, words: str, end: float, **style: Any) -> None:
    """Text that ends before `end`: what is too long loses its middle."""
    text = figure.text(x, y, words, va="center", **style)
    width = len(words)
    while width > 8:
        box = text.get_window_extent(figure.canvas.get_renderer())
        if figure.transFigure.inverted().transform(box)[1][0] <= end:
            return
        width -= 1
        text.set_text(shorten(words, width))


def shorten(text: str, width: int) -> str:
    tail = width // 3
    return text if len(text) <= width else f"{text[: width - tail - 1]}…{text[len(text) - tail :]}"


def _of_roof(kernel: Kernel) -> str:
    return "–" if kernel.of_roof is None else f"{100 * kernel.of_roof:.0f} %"


def _key(figure: Any, document: Roofline, x: float, has_shares: bool) -> None:
    """What shapes and colours mean: only those that are in the picture."""
    from matplotlib.lines import Line2D

    def mark(label: str, **style: Any) -> Any:
        return Line2D([], [], linestyle="none", label=label, **{"markersize": 7, "color": GREY, **style})

    marks = [
        mark(f"from {source}", marker=MARKERS[source])
        for source in dict.fromkeys(kernel.source for kernel in document.kernels)
    ]
    baseline = next((kernel for kernel in document.kernels if kernel.variant == "baseline"), None)
    if baseline is not None:
        marks.append(mark("baseline", marker=MARKERS[baseline.source], markerfacecolor="white"))
    for level in ("L2", "shared memory"):
        if any(level in kernel.intensity for kernel in document.kernels):
            marks.append(mark(f"per byte of {level}", marker="|", color=COLOURS[level], markeredgewidth=2))
    figure.legend(
        handles=marks, loc="lower left", bbox_to_anchor=(x - 0.012, 0.095), fontsize=8.5, frameon=False,
        handletextpad=0.3, labelspacing=0.35,
    )  # fmt: skip
    errors = sum(finding.level == "error" for finding in document.findings)
    note = f"{'Area: share of time. ' if has_shares else ''}Colour: the roof that limits."
    if errors:
        note += f" Ringed: above a roof, a counting error ({errors})."
    figure.text(x, 0.085, "\n".join(textwrap.wrap(note, 40)), fontsize=8.5, color=GREY, va="top")
