"""The list beside a roofline's picture: which mark is which kernel, and what the shapes mean.

Kernels of one program are entries of their own, the longest first. The sides of a pair are one entry: its mark stands
at the variant (1, or 1a and 1b), the arrow leads there from the baseline.
"""

import textwrap
from dataclasses import dataclass, field

from perfproof.core import units
from perfproof.core.roofline import Kernel, Roofline
from perfproof.report.figures.svg_file import GREY, fitted, label, marker, paragraph, text_width
from perfproof.report.roofline.marks import COLOURS, MARKERS, colour_of

STEP = 34.0  # between lines
TOP, RIGHT = 122.0, 1261.0
TIME_GAP = 60.0  # from the end of the shares of time to RIGHT


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


def draw(document: Roofline, entries: list[Entry], x: float) -> list[str]:
    """The entries from the top, the key at the bottom."""
    has_shares = any(entry.time for entry in entries)
    parts = [
        label("kernel" if has_shares else "pair", (x, TOP - 32), 12, GREY),
        label("of roof" if has_shares else "% of roof", (RIGHT, TOP - 32), 12, GREY, "end"),
    ]
    if has_shares:
        parts.append(label("of time", (RIGHT - TIME_GAP, TOP - 32), 12, GREY, "end"))
    for place, entry in enumerate(entries):
        parts += _line(entry, x, TOP + place * STEP)
    shown = {one for entry in entries for one in entry.marks}
    others = [one for one in document.kernels if id(one) not in shown and one.variant != "baseline"]
    if others:
        share = sum(kernel.share_of_time or 0.0 for kernel in others)
        text = f"and {len(others)} more" + (f", {100 * share:.0f} % of time" if share else "")
        parts.append(label(text, (x + 41, TOP + len(entries) * STEP), 12, GREY))
    return [*parts, *_key(document, x, has_shares)]


def _line(entry: Entry, x: float, y: float) -> list[str]:
    end = RIGHT - text_width(entry.roof, 12.5)
    parts = [
        label(str(entry.number), (x + 18, y), 13, anchor="end", bold=True),
        marker("s", (x + 29, y), 4.5, entry.colour),
        label(entry.roof, (RIGHT, y), 12.5, anchor="end"),
    ]
    if entry.time:
        parts.append(label(entry.time, (RIGHT - TIME_GAP, y), 12.5, GREY, "end"))
        end = min(end, RIGHT - TIME_GAP - text_width(entry.time, 12.5))
    return [
        *parts,
        label(fitted(entry.title, 12.5, end - x - 51), (x + 41, y - 7), 12.5),
        label(fitted(entry.detail, 10, end - x - 46), (x + 41, y + 8), 10, GREY),
    ]


def _of_roof(kernel: Kernel) -> str:
    return "–" if kernel.of_roof is None else f"{100 * kernel.of_roof:.0f} %"


def _key(document: Roofline, x: float, has_shares: bool) -> list[str]:
    """What shapes and colours mean: only those that are in the picture."""
    marks = [
        (f"from {source}", MARKERS[source], GREY, "none")
        for source in dict.fromkeys(kernel.source for kernel in document.kernels)
    ]
    baseline = next((kernel for kernel in document.kernels if kernel.variant == "baseline"), None)
    if baseline is not None:
        marks.append(("baseline", MARKERS[baseline.source], "#ffffff", GREY))
    for level in ("L2", "shared memory"):
        if any(level in kernel.intensity for kernel in document.kernels):
            marks.append((f"per byte of {level}", "|", COLOURS[level], "none"))
    parts = []
    for row, (text, shape, fill, edge) in enumerate(reversed(marks)):
        y = 636.0 - 16 * row
        parts += [marker(shape, (x + 6, y), 4.7, fill, edge), label(text, (x + 21, y), 11.5)]
    errors = sum(finding.level == "error" for finding in document.findings)
    note = f"{'Area: share of time. ' if has_shares else ''}Colour: the roof that limits."
    if errors:
        note += f" Ringed: above a roof, a counting error ({errors})."
    return [*parts, *paragraph(textwrap.wrap(note, 40), (x, 664.0), 14.0, 11.5)]
