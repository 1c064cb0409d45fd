"""A text as its reader sees it: without colour codes, escapes and encodings, each character with its place in the original.

A secret behind `password%3D`, `&quot;`, `\\u0070` or a colour code has the same form as any other once that is taken away.
"""

import html
import re
from collections.abc import Iterator

# A colour code, also one that lost its escape character or shows it as text
_COLOUR = (
    r"(?:\x1b|\\x1b|\\u001b|\\033|\\e|)\[[0-9]{1,3}(?:;[0-9]{1,3})*m|\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\n]{0,80}\x07"
)
_TOKEN = re.compile(
    rf"(?P<colour>{_COLOUR})"
    r"|(?P<escaped>\\+(?=[\"'`]))"
    r"|\\+u(?P<unicode>[0-9A-Fa-f]{4})"
    r"|\\+x(?P<byte>[2-7][0-9A-Fa-f])"
    r"|%(?P<percent>25)?(?P<url>[2-7][0-9A-Fa-f])"
    r"|(?P<line>\\+n(?:\",\s*\")?)"
    r"|(?P<entity>&(?:amp;)?(?:#\d{2,5}|#x[0-9A-Fa-f]{2,4}|quot|apos|lt|gt|amp|colon|equals|excl|num|commat|period);)"
)
_GLANCE = re.compile(
    r"\x1b|\\n|\[[0-9;]{1,8}m|\\[\"'`uxe0]|%(?:25)?[2-7][0-9A-Fa-f]|&(?:#|quot|apos|lt|gt|amp|colon|equals)"
)


class View:
    """`text` is what is read; `original(start, end)` is where that stands."""

    def __init__(self, source: str) -> None:
        read: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for found in _TOKEN.finditer(source):
            read.append(source[at : found.start()])
            starts += range(at, found.start())
            ends += range(at + 1, found.start() + 1)
            for letter in _read(found):
                read.append(letter)
                starts.append(found.start())
                ends.append(found.end())
            at = found.end()
        read.append(source[at:])
        starts += range(at, len(source))
        ends += range(at + 1, len(source) + 1)
        self.text = "".join(read)
        self._starts, self._ends = starts, ends

    def original(self, start: int, end: int) -> tuple[int, int]:
        return self._starts[start], self._ends[end - 1]


def encoded_lines(text: str) -> Iterator[tuple[int, str]]:
    """Where each line starts that holds an escape or an encoding, and the line."""
    at = 0
    while found := _GLANCE.search(text, at):
        start = text.rfind("\n", 0, found.start()) + 1
        end = text.find("\n", found.end())
        at = len(text) if end < 0 else end + 1
        yield start, text[start : at if end < 0 else end]


def _read(found: re.Match[str]) -> str:
    if found["line"]:
        return "\n"
    if found["colour"] is not None or found["escaped"] is not None:
        return ""
    for group in ("unicode", "byte", "url"):
        if found[group]:
            letter = chr(int(found[group], 16))
            return letter if letter.isprintable() else " "
    return html.unescape(html.unescape(found["entity"]))[:1]
