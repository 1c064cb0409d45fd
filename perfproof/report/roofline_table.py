"""A roofline as text: the roofs with their sources, every kernel with its place, and what is wrong."""

from collections import defaultdict

from perfproof.core import units
from perfproof.core.roofline import MEMORY_LEVELS, Kernel, Roof, Roofline
from perfproof.report.figures.svg_file import shorten
from perfproof.report.roofline_marks import rate
from perfproof.report.text import aligned, wrapped

WIDTH = 110
NAME = 34
NAMED = 3  # kernels that a remark names


def render(document: Roofline, width: int = WIDTH) -> str:
    blocks = [_roofs(document), _kernels(document), _dual(document), _remarks(document)]
    lines = [line for block in blocks if block for line in (*block, "")]
    return "\n".join(shown for line in lines[:-1] for shown in _wrapped(line, width)) + "\n"


def _roofs(document: Roofline) -> list[str]:
    rows = [(roof.name, value(roof), roof.basis, roof.source) for roof in document.roofs]
    return [
        f"roofs of {document.machine or 'an unnamed machine'}",
        *aligned([("roof", "value", "basis", "from"), *rows]),
    ]


def _kernels(document: Roofline) -> list[str]:
    titles = ("", "kernel", "from", "time", "share", "FLOP/byte", "achieved", "of roof", "limited by")
    rows = [_row(number, kernel) for number, kernel in enumerate(document.kernels, start=1)]
    return aligned([titles, *rows], right=(0, 3, 4, 5, 6, 7))


def _row(number: int, kernel: Kernel) -> tuple[str, ...]:
    level = next((one for one in MEMORY_LEVELS if one in kernel.intensity), None)
    return (
        str(number),
        shorten(kernel.label, NAME),
        kernel.source,
        units.seconds(kernel.seconds),
        units.percent(kernel.share_of_time),
        "–" if level is None else f"{kernel.intensity[level]:.3g}",
        "–" if kernel.achieved is None else rate(kernel.achieved, "FLOP/s"),
        units.percent(kernel.of_roof),
        kernel.limited_by or "unknown",
    )


def _dual(document: Roofline) -> list[str]:
    rows = [
        (str(number), shorten(kernel.label, NAME), kernel.binding, kernel.binding_why)
        for number, kernel in enumerate(document.kernels, start=1)
        if kernel.binding
    ]
    return ["dual roofline", *aligned([("", "kernel", "binding", "why"), *rows], right=(0,))] if rows else []


def _remarks(document: Roofline) -> list[str]:
    lines = [f"{finding.level}: {finding.text}" for finding in document.findings]
    lines += [f"not shown: {name}: {why}" for name, why in document.not_shown.items()]
    remarks: dict[str, list[str]] = defaultdict(list)
    for kernel in document.kernels:
        for what, why in kernel.unknown.items():
            remarks[f"unknown: {what}: {why}"].append(kernel.label)
        for note in kernel.notes:
            remarks[f"note: {note}"].append(kernel.label)
    return lines + [f"{remark} ({_some(labels)})" for remark, labels in remarks.items()]


def _some(labels: list[str]) -> str:
    more = f" and {len(labels) - NAMED} more" if len(labels) > NAMED else ""
    return ", ".join(labels[:NAMED]) + more


def value(roof: Roof) -> str:
    if roof.unit == "share":
        return "100 % of its peak"
    return rate(roof.value, "B/s" if roof.unit == "bytes/s" else "FLOP/s")


def _wrapped(line: str, width: int) -> list[str]:
    """Remarks are wrapped; the rows of a table are not."""
    is_remark = line.startswith(("error:", "warning:", "not shown:", "unknown:", "note:"))
    return wrapped(line, width, hanging="  ") if is_remark else [line]
