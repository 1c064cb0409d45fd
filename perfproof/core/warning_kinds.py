"""Which codes are notes: routine remarks, that ask for nothing to be done."""

from typing import Literal

Kind = Literal["note", "warning"]

# Routine: the result stands as it is, and most readers have nothing to do. `--notes` shows them.
NOTES = frozenset({
    "W101", "W103", "W105", "W106", "W108", "W109", "W113", "W114", "W120", "W121",
    "W129", "W138", "W141", "W144", "W146", "W149", "W161", "W162", "W163", "W164",
})  # fmt: skip


def kind_of(code: str) -> Kind:
    return "note" if code in NOTES else "warning"
