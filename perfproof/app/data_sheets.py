"""The data sheet of the GPU that somebody names, or the names that are known."""

from perfproof.core.errors import UsageError
from perfproof.machine import datasheet


def named_sheet(name: str, instead: str) -> datasheet.Sheet:
    """By the sheet's own name ("A100 SXM 80 GB") or by the driver's; `instead` says what else can be given."""
    by_name = (sheet for sheet in datasheet.SHEETS if sheet.name.lower() == name.lower())
    sheet = next(by_name, None) or datasheet.find(name)
    if sheet is None:
        known = ", ".join(one.name for one in datasheet.SHEETS)
        raise UsageError(f"there is no data sheet of {name!r}: give {instead}, or one of {known}")
    return sheet
