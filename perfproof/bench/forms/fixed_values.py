"""Calls that all get the same values: a function that remembers an answer would look fast, so there is no verdict."""

from perfproof.core.documents import TargetResult

SEEN_BEFORE = "of the calls saw"  # said once, by the note about fixed values
FIXED = "every call gets the same values, and a function that remembers an answer would look fast"


def take_verdict(result: TargetResult, remedy: str) -> None:
    """The ratio is left as a hint, with the reason and the `remedy` beside it."""
    result.verdict = "indicative"
    for judged in result.ratios.values():
        judged.verdict = "indicative"
        others = [one for one in judged.note.split("; ") if one and SEEN_BEFORE not in one]
        judged.note = "; ".join([*others, f"{FIXED}: {remedy}"])
