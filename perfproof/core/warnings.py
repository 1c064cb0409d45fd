"""Warnings of a document: each has a code, and explanations.md says what it means and what to do.

A code never changes a verdict. A warning asks the reader to do something before repeating the number; a note says how
the number was measured.
"""

from typing import TYPE_CHECKING

from perfproof.core.explanations import CODES

if TYPE_CHECKING:
    from perfproof.core.documents import Warning


def warn(code: str, text: str) -> "Warning":
    """A warning for a document; the code must be one of ours."""
    from perfproof.core.documents import Warning

    if code not in CODES:
        raise ValueError(f"unknown warning code {code}: write its explanation in core/explanations.md")
    return Warning(code=code, text=text)
