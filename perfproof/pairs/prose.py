"""What a pair says in words: the lesson in its docstring, the reason behind its tolerance."""

import ast
import inspect
import re

from perfproof.pairs.bindings import Binding
from perfproof.pairs.source import Source, is_text

_DIRECTIVE = re.compile(r"#\s*(noqa|type:|fmt:|pragma|pylint|mypy:)", re.IGNORECASE)
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'")
_WORD = re.compile(r"[^\W\d_]{2}")


def read_docstring(source: Source, required: bool = True) -> tuple[str, str]:
    """The lesson, and the explanation under it; both empty if there is no docstring and none is required."""
    text = ast.get_docstring(source.tree, clean=False)
    if not (required or (text or "").strip()):
        return "", ""
    if text is None:
        raise source.refusal('no docstring; open the file with """The lesson in one sentence."""', 1)
    lesson, _, rest = (text if required else text.lstrip()).partition("\n")
    lesson, rest = lesson.strip(), inspect.cleandoc(rest)
    if not lesson:
        raise source.refusal("the docstring's first line is empty; put the lesson right after the quotes", 1)
    if not lesson.isprintable() or not is_text(rest):
        raise source.refusal("the docstring has characters that cannot be printed; write plain text", 1)
    return lesson, rest


def has_reason(source: Source, binding: Binding) -> bool:
    """Is there a comment with words on the lines of the declaration, or right above it?"""
    lines = source.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    above = lines[binding.line - 2].strip() if binding.line > 1 else ""
    comments = [above] if above.startswith("#") else []
    for line in lines[binding.line - 1 : binding.end_line]:
        _, mark, comment = _STRING.sub("", line).partition("#")
        comments.append(mark + comment)
    return any(_WORD.search(comment) and not _DIRECTIVE.match(comment) for comment in comments)
