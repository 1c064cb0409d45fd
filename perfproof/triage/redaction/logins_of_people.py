"""Logins that follow from a name or an address: Belén Carrizo may be bcarrizo, belen.carrizo or carrizob.

likely_logins("Belén Carrizo", text)      # those of them that stand in the text, as words of their own
"""

import re
from collections.abc import Iterator

from perfproof.triage.redaction.meanings import folded
from perfproof.triage.redaction.ordinary_words import is_ordinary

SHORTEST = 5
_WORD = re.compile(r"[^\W\d_]+")


def likely_logins(person: str, text: str) -> Iterator[str]:
    """`person`: a name of two words or more, or what stands before the @ of an address."""
    words = [folded(word) for word in _WORD.findall(person)]
    if not 2 <= len(words) <= 4 or not all(word.isascii() for word in words):
        return
    low = text.lower()
    initials = "".join(word[0] for word in words[:-1])
    for login in dict.fromkeys([*_made_of(words[0], words[-1]), f"{initials}{words[-1]}"]):
        if len(login) < SHORTEST or login not in low or is_ordinary(login):
            continue
        if re.search(rf"(?<![^\W_]){re.escape(login)}(?![^\W_])", low):
            yield login


def _made_of(first: str, last: str) -> Iterator[str]:
    if min(len(first), len(last)) > 1:
        yield from (f"{first}{mark}{last}" for mark in ("", ".", "_", "-"))
        yield from (f"{last}{mark}{first}" for mark in ("", ".", "_"))
    if len(last) > 2:
        yield from (f"{first[0]}{last}", f"{first[0]}.{last}", f"{first[0]}_{last}", f"{first[0]}-{last}")
        yield from (f"{last}{first[0]}", f"{last}.{first[0]}", f"{first[:2]}{last}", f"{last}{first[:2]}")
    if len(first) > 2:
        yield from (f"{first}{last[0]}", f"{first}.{last[0]}", f"{first}_{last[0]}")
