"""A value that is known must not be found in any form: as it is, in base64, URL-encoded, escaped, in UTF-16.

A short value is looked for as a word, so that a host `gpu` does not stand in `gpu__time_duration`; a long one with
digits in it anywhere.
"""

import base64
import json
import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import quote, quote_plus

SHORTEST = 3
ENCODED_SHORTEST = 6  # of fewer characters the encoded form is found by chance
# Names that say nothing about anybody: every machine has them.
_COMMONPLACE = (
    "root localhost localdomain user users admin ubuntu debian nobody none null unknown n/a host node home runner "
    "daemon sys bin www-data ec2-user default true false cuda cpu gpu ip6-localhost ip6-loopback"
)
COMMONPLACE = frozenset(_COMMONPLACE.split())


def is_telling(value: str) -> bool:
    """Whether a value may be looked for at all: not one that is too short, a plain number or everybody's name."""
    plain = value.strip().lower()
    return (
        len(plain) >= SHORTEST
        and plain not in COMMONPLACE
        and not re.fullmatch(r"[\d.,:+-]{1,6}|0+|127(\.\d+){3}|[uw]0[0-9a-z]{3,10}", plain)  # U05A1: a number of Slack
    )


def pattern_of(value: str) -> str:
    """A regular expression for the value where it means itself."""
    body = re.escape(value)
    if len(value) >= 12 and re.search(r"\d", value):
        return body
    edge = r"A-Za-z0-9" if len(value) >= 5 else r"\w"
    return rf"(?<![{edge}]){body}(?![{edge}])"


def standing_in(text: str, small: Iterable[str]) -> re.Pattern[str] | None:
    """An expression for those of the values (in small letters) that may stand in the text; None for none of them.

    Nearly always there is none, and a search for plain text is a hundred times faster than one for alternatives.
    """
    low = text.lower()
    found = tuple(value for value in small if value in low)
    return _any_of(found) if found else None


@lru_cache(maxsize=256)
def _any_of(values: tuple[str, ...]) -> re.Pattern[str]:
    """The longest first, whatever the case."""
    ordered = sorted(values, key=lambda one: (-len(one), one))
    return re.compile("|".join(map(pattern_of, ordered)), re.IGNORECASE)


def encoded_forms(value: str) -> dict[str, str]:
    """form -> how the value is written in it; only forms that differ from the value."""
    if len(value) < ENCODED_SHORTEST:
        return {}
    found = {
        "URL-encoded": quote(value, safe=""),
        "form-encoded": quote_plus(value),
        "escaped": json.dumps(value)[1:-1],
    }
    raw = value.encode("utf-8", "surrogatepass")
    for shift in range(3):
        found[f"base64 at {shift}"] = _base64_core(raw, shift)
    found["hexadecimal"] = raw.hex()
    return {form: text for form, text in found.items() if text != value and len(text) >= ENCODED_SHORTEST}


def _base64_core(raw: bytes, shift: int) -> str:
    """The characters that are the same whatever stands before and after: 0, 1 or 2 bytes before a group of three."""
    text = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")
    first = (0, 2, 3)[shift]
    whole = (shift + len(raw)) * 8 // 6  # the character after these mixes in the next byte
    return text[first:whole]
