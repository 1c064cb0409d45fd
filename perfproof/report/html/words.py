"""Which columns of a table hold numbers."""

import re
from collections.abc import Sequence
from itertools import zip_longest

_ONE = r"[-+]?(?:0|[1-9][\d,]*)(?:\.\d+)?(?:e[-+]\d+)?\*?(?: ?[%x]| [A-Za-zµ°/]{1,10})?"
NUMBER = re.compile(rf"{_ONE}(?: to {_ONE})?(?: \([^)]*\))?|–?")


def right_aligned(rows: Sequence[Sequence[str]]) -> list[bool]:
    """Per column: does it hold numbers, and nothing else?"""
    columns = zip_longest(*rows, fillvalue="")
    return [any(column) and all(NUMBER.fullmatch(cell) for cell in column) for column in columns]
