"""A roofline as text: the roofs with their sources, every kernel with its place, and what is wrong."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from perfproof.core import units
from perfproof.core.roofline import MEMORY_LEVELS, Kernel, Roof, Roofline
from perfproof.report.figures.svg_file import shorten
from perfproof.report.text import fitting, wrapped

WIDTH = 110
NAME, SHORT_NAME = 34, 24  # characters of a kernel, with WIDTH columns and with fewer
NAMED = 3  # kernels that a remark names


def render(document: Roofline, width: int = WIDTH) -> str:
    remarks = [line for remark in _remarks(document) for line in wrapped(remark, width, hanging="  ")]
    blocks = [_roofs(document, width), _kernels(document, width), _dual(document, width), remarks]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _roofs(document: Roofline, width: int) -> list[str]:
    rows = [(roof.name, value(roof), roof.basis, roof.source) for roof in document.roofs]
    head = f"roofs of {document.machine or 'an unnamed machine'}"
    return [*wrapped(head, width), *_table(("roof", "value", "basis", "from"), rows, width, name=0)]


def _kernels(document: Roofline, width: int) -> list[str]:
    titles = ("", "kernel", "from", "time", "share", "FLOP/byte", "achieved", "of roof", "limited by")
    rows = [_row(number, kernel, _room(width)) for number, kernel in enumerate(document.kernels, start=1)]
    return _table(titles, rows, width, name=1, right=(0, 3, 4, 5, 6, 7))


def _room(width: int) -> int:
    return NAME if width >= WIDTH else SHORT_NAME


def _row(number: int, kernel: Kernel, room: int) -> tuple[str, ...]:
    level = next((one for one in MEMORY_LEVELS if one in kernel.intensity), None)
    return (
        str(number),
        shorten(kernel.label, room),
        kernel.source,
        units.seconds(kernel.seconds),
        units.percent(kernel.share_of_time),
        "–" if level is None else f"{kernel.intensity[level]:.3g}",
        "–" if kernel.achieved is None else units.amount(kernel.achieved, "FLOP/s"),
        units.percent(kernel.of_roof),
        kernel.limited_by or "unknown",
    )


def _dual(document: Roofline, width: int) -> list[str]:
    rows = [
        (str(number), shorten(kernel.label, _room(width)), kernel.binding, kernel.binding_why)
        for number, kernel in enumerate(document.kernels, start=1)
        if kernel.binding
    ]
    table = _table(("", "kernel", "binding", "why"), rows, width, name=1, right=(0,))
    return ["dual roofline", *table] if rows else []


def _table(
    titles: Sequence[str], rows: Sequence[Sequence[str]], width: int, name: int, right: Collection[int] = ()
) -> list[str]:
    return [line for lines in fitting(titles, rows, width, name, right) for line in lines]


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
    return units.amount(roof.value, "B/s" if roof.unit == "bytes/s" else "FLOP/s")
