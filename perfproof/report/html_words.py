"""Words and plain tables for pages that are written without a template."""

from collections.abc import Sequence
from html import escape

from perfproof.report.figures.svg import clean


def words(text: str) -> str:
    return escape(clean(text))


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table that is scrolled if the page is narrow."""
    top = "".join(f'<th scope="col">{words(word)}</th>' for word in head)
    body = "".join(f"<tr>{''.join(f'<td>{words(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{words(caption)}"><table>'
        f"<caption>{words(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )
