"""The data sheet of the GPU that was named, or the names that are known."""

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
