"""Numbers of evidence as people read them, and the confidence that a share deserves."""

from perfproof.core import units
from perfproof.core.diagnosis import Confidence

LONGEST_NAME = 90
REPLACED = "\ufffd"
COMPARE_CHANGE = "perfproof ab 'COMMAND' --rev HEAD --rev worktree"  # after the program was changed


def percent(share: float) -> str:
    return units.percent(share, 0 if share >= 0.1 else 1)


def time(nanoseconds: float) -> str:
    return units.seconds(nanoseconds / 1e9)


def printable(text: str) -> str:
    """Names in profiles are a stranger's: no control characters, nothing that cannot be written as UTF-8."""
    return "".join(letter if letter.isprintable() else REPLACED for letter in text)


def short(name: str) -> str:
    name = printable(name)
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def confidence_of(share: float, medium: float, high: float) -> Confidence:
    """By two thresholds of one share."""
    return "high" if share > high else "medium" if share > medium else "low"
