"""Notes apart from warnings: a note says how something was measured, a warning what to look at before believing it."""

from typing import Literal

Kind = Literal["note", "warning"]

NOTES = frozenset(
    {
        "W101",  # caches were not cold
        "W105",  # one launch only
        "W106",  # the baseline is naive
        "W108",  # virtual machine
        "W110",  # of older documents: how values were renewed
        "W113",  # preparation is expensive
        "W114",  # the baseline is the oracle
        "W120",  # sizes were overridden
        "W129",  # the first call takes much longer
        "W138",  # each side was measured in processes of its own
        "W161",  # hot caches would be faster
        "W163",  # the kernel clock is not CUPTI's
        "W164",  # the call waits for the device
    }
)


def kind_of(code: str) -> Kind:
    """A code that is not listed is a warning: what is new is not hidden among the notes."""
    return "note" if code in NOTES else "warning"
