"""The data sheet of the GPU that was named, or the names that are known; and its rates for a formula."""

from perfproof.calc.accelerator import Accelerator
from perfproof.core.errors import UsageError
from perfproof.machine import datasheet


def named_sheet(name: str, instead: str) -> datasheet.Sheet:
    """By the sheet's own name ("A100 SXM 80 GB") or by the driver's; `instead` says what else can be given."""
    sheet = datasheet.named(name)
    if sheet is not None:
        return sheet
    family = datasheet.family(name)
    if family:
        raise UsageError(f"{name!r} is the name of several cards: say which one, {' or '.join(family)}")
    known = ", ".join(one.name for one in datasheet.SHEETS)
    raise UsageError(f"there is no data sheet of {name!r}: give {instead}, or one of {known}")


def accelerator_of(sheet: datasheet.Sheet) -> Accelerator:
    return Accelerator(
        sheet.name,
        sheet.memory_bytes_s,
        dict(sheet.flops),
        sheet.memory_gb * 1e9 if sheet.memory_gb else None,
        sheet.power_watts,
        sheet.link_gb_s * 1e9 if sheet.link_gb_s else None,
        source=f"data sheet: {sheet.source}",
    )
