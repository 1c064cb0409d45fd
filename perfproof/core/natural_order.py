"""Names in the order in which people count: n=8 comes before n=16, and ch2 before ch10."""

import re

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")


def natural_order(name: str) -> tuple[tuple[float, str], ...]:
    """A sort key. Numbers are compared as numbers and come before words; the name itself decides between equal ones."""
    pieces = _NUMBER.split(name)
    return (*((float(piece), "") if at % 2 else (float("inf"), piece) for at, piece in enumerate(pieces)), (0.0, name))
