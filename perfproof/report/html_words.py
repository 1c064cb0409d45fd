"""Words and plain tables for pages that are written without a template."""

import re
from collections.abc import Sequence
from html import escape
from itertools import zip_longest

from perfproof.report.figures.svg import clean

_ONE = r"[-+]?(?:0|[1-9][\d,]*)(?:\.\d+)?(?:e[-+]\d+)?\*?(?: ?[%x]| [A-Za-zµ°/]{1,10})?"
NUMBER = re.compile(rf"{_ONE}(?: to {_ONE})?(?: \([^)]*\))?|–?")


def words(text: str) -> str:
    return escape(clean(text))


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table that is scrolled if the page is narrow."""
    sides = [' class="number"' if is_right else "" for is_right in right_aligned(rows)] or [""] * len(head)
    top = "".join(f'<th scope="col"{side}>{words(word)}</th>' for word, side in zip(head, sides, strict=True))
    lines = ["".join(f"<td{side}>{words(cell)}</td>" for cell, side in zip(row, sides, strict=True)) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{words(caption)}"><table>'
        f"<caption>{words(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def right_aligned(rows: Sequence[Sequence[str]]) -> list[bool]:
    """Per column: does it hold numbers, and nothing else?"""
    columns = zip_longest(*rows, fillvalue="")
    return [any(column) and all(NUMBER.fullmatch(cell) for cell in column) for column in columns]
