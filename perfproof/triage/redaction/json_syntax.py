"""The syntax of JSON as expressions that run over a long text at once, and what a document says as plain text."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise

from perfproof.core.secret_options import TOOLS, is_option

_BODY = r'[^"\\]*(?:\\.[^"\\]*)*'
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])"
_BETWEEN = rf"(?:[\s,:{{}}\[\]]++|{_NUMBER}|true|false|null|-?Infinity|NaN)*+"
BETWEEN = re.compile(_BETWEEN)
TEXT = re.compile(rf'"({_BODY})"', re.DOTALL)
# As many texts as are closed, with nothing between them that is no JSON
WHOLE = re.compile(rf'(?:{_BETWEEN}"{_BODY}"\s*[:,}}\]])*+', re.DOTALL)
_SAID = re.compile(rf'"{_BODY}"\s*:?', re.DOTALL)
_NUMBERED = re.compile(r'"[^"\\]*(?:serial|asset|board)[^"\\]*"\s*:\s*\d{6,}', re.IGNORECASE)
_CALL = re.compile(rf'"(?:[^"\\]*/)?(?:{"|".join(sorted(TOOLS))})"(?:\s*,\s*"{_BODY}"){{1,16}}', re.DOTALL)
WINDOW = 1 << 20
APART = "\n" * 8  # no expression for a secret reaches over that


def decoded(token: str) -> str:
    """The text between two quotes."""
    if "\\" not in token:
        return token[1:-1]
    try:
        return str(json.loads(token, strict=False))
    except ValueError:  # an escape that is none: taken as it stands
        return token[1:-1]


def spoken(text: str) -> str:
    """What a document says: every text of it, decoded, with its key or the option before it, each once.

    In what was written `\\n@torch.compile` looks like a mail address, and a key behind `\\n` like no key at all. From
    where the text is no JSON on, it is given as it stands.
    """
    pairs: dict[tuple[str, str], None] = {}
    at, window, before = 0, WINDOW, ""
    while at < len(text):
        end = WHOLE.match(text, at, at + window).end()  # type: ignore[union-attr]  # it matches nothing at all, too
        if end == at and at + window >= len(text):
            break
        if end == at:
            window *= 4  # a long text
            continue
        said = _SAID.findall(text, at, end)
        pairs |= dict.fromkeys(pairwise([before, *said]))
        at, window, before = end, WINDOW, said[-1]
    low = text.lower()
    numbered = _NUMBERED.findall(text) if any(word in low for word in ("serial", "asset", "board")) else []
    return APART.join([*(_shown(*pair) for pair in pairs), *numbered, *_calls(text, low), _cut_off(before, text[at:])])


def _shown(before: str, said: str) -> str:
    """A text with its key, or with the option before it; a key, behind which a number may stand, by itself."""
    text = decoded(_quoted(said))
    if said.endswith(":"):
        return f'"{text}":'
    if before.endswith(":"):
        return f'"{decoded(_quoted(before))}": "{text}"'
    first = decoded(_quoted(before))
    return f'"{first}", "{text}"' if is_option(first) else f'"{text}"'


def _cut_off(before: str, rest: str) -> str:
    """What is left of a document that ends early, with the key or the option that it stands behind."""
    if not rest or before.endswith(":"):
        return f"{before} {rest}" if rest else ""
    return f"{before}, {rest}" if is_option(decoded(_quoted(before))) else rest


def _calls(text: str, low: str) -> Iterator[str]:
    """Of a tool that takes a password among its words, all of them: two at a time do not tell."""
    if any(f'{tool}"' in low for tool in TOOLS):
        for call in _CALL.finditer(text):
            yield ", ".join(f'"{decoded(word[0])}"' for word in TEXT.finditer(call[0]))


def _quoted(said: str) -> str:
    return said.rstrip(": \t\r\n")
