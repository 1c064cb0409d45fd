"""Whether a word is spelled like a name: `brambilla` and `okonkwo` are, `checkpoint` is not.

No list holds every name. The pieces of two to four letters of the known names are compared with those of ordinary
words: of names that are in no list nine of ten lie above 0, of ordinary words one of eight. Beside a label or a role
that is enough.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from perfproof.triage.redaction.family_names import FAMILY_NAMES
from perfproof.triage.redaction.given_names import GIVEN_NAMES
from perfproof.triage.redaction.meanings import folded
from perfproof.triage.redaction.ordinary_words import is_ordinary, words_of_the_manual

SIZES = (2, 3, 4)
SURE = 2.0  # what a known name counts
_UNSEEN, _MASS = 0.5, 500  # a piece that no word has


@lru_cache(maxsize=1 << 14)
def likeness(word: str) -> float:
    """Above 0 for a name. The word may have capitals and accents."""
    plain = folded(word)
    if "-" in plain.strip("-"):  # Per-Olof
        return max(likeness(part) for part in plain.split("-") if part)
    if plain in GIVEN_NAMES or plain in FAMILY_NAMES:
        return SURE
    if is_ordinary(plain):
        return -SURE
    weights, pieces = _weights(), list(_pieces(plain))
    return sum(weights.get(piece, 0.0) for piece in pieces) / len(pieces) if pieces else -SURE


@cache
def _weights() -> dict[str, float]:
    names = _counted(GIVEN_NAMES | FAMILY_NAMES)
    words = _counted(words_of_the_manual() - FAMILY_NAMES)
    of_names, of_words = names.total() + _MASS, words.total() + _MASS
    return {
        piece: math.log((names[piece] + _UNSEEN) * of_words / ((words[piece] + _UNSEEN) * of_names))
        for piece in names | words
    }


def _counted(words: Iterable[str]) -> Counter[str]:
    return Counter(piece for word in words for piece in _pieces(word))


def _pieces(word: str) -> Iterator[str]:
    framed = f"^{word}$"
    return (framed[at : at + size] for size in SIZES for at in range(len(framed) - size + 1))
