"""A second reading of what the rules have read: weights that were learned from marked files.

    reader = shipped()                                   # None if the weights are missing
    reader.doubts(text, start, end, "user")              # whether a find of a rule looks like an ordinary word
    for find in reader.finds(text): ...                  # what looks secret or personal, whether a rule knows it or not

Rules know forms and labels. A name in a sentence or a password in a chat has neither. The words around it and its
spelling often tell. benchmarks/train_second_reading.py has learned the weights
and says how much they find in files that they were not learned from.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from perfproof.triage.redaction.piece_features import PLACES, cut

FILE = Path(__file__).with_name("second_reading.npz")
KINDS = ("", "s", "p")  # nothing, secret, personal
ENOUGH = {"s": 0.5, "p": 0.5}  # a find's score: logarithm of how much likelier than nothing
# Kinds that labels tell, and how much has to speak against a find. Secrets are never doubted, nor what has a form of
# its own: the finished archive is searched for these once more, and is not written if one is left.
DOUBTFUL = {"user": 2.0, "person": -0.5}
CHUNK = 1 << 16  # letters, cut between lines
SHORTEST = 3
FEWEST_DIGITS = {"s": 4, "p": 6}
LONGEST_PART = 16  # of a login: letters before a hyphen
_BEHIND = re.compile(rf"(?:[-_][a-z]{{2,{LONGEST_PART}}})+(?![\w=(/-])")
_BEFORE = re.compile(rf"(?<![\w/=.-])(?:[a-z]{{2,{LONGEST_PART}}}[-_])+$")
NEAR = 200  # letters of a long line around a find
_KIND_SALT = {kind: (number + 1) * 0x9E3779B1 % PLACES for number, kind in enumerate(sorted(DOUBTFUL))}


@dataclass(frozen=True)
class Find:
    start: int
    end: int
    kind: str  # "s" or "p"


@dataclass(frozen=True)
class Weights:
    tagger: np.ndarray  # (PLACES, 3)
    doubts: np.ndarray  # (PLACES, 2)

    @classmethod
    def of(cls, tagger: np.ndarray, doubts: np.ndarray) -> "Weights":
        """As they are kept: in steps of a hundred and twenty-seventh of the largest."""
        return cls(_rounded(tagger), _rounded(doubts))

    def save(self, path: Path) -> None:
        kept: dict[str, Any] = {}
        for name, table in (("tagger", self.tagger), ("doubts", self.doubts)):
            scale = float(np.abs(table).max()) / 127
            kept |= {name: np.round(table / scale).astype(np.int8), f"{name}_scale": np.float32(scale)}
        np.savez_compressed(path, **kept)


@cache
def shipped() -> "Reader | None":
    if not FILE.is_file():
        return None
    with np.load(FILE) as kept:
        tables = [kept[name].astype(np.float32) * kept[f"{name}_scale"] for name in ("tagger", "doubts")]
    return Reader(Weights(*tables))


@dataclass(frozen=True)
class Reader:
    weights: Weights

    def finds(self, text: str) -> Iterator[Find]:
        """Words that score enough, joined if nothing but a letter or a space stands between them."""
        for begin, part in _chunks(text):
            pieces = cut(part)
            scores = self.weights.tagger[pieces.columns].sum(axis=1)
            best = scores[:, 1:].argmax(axis=1) + 1
            gain = scores[np.arange(len(best)), best] - scores[:, 0]
            enough = np.array([0.0, *(ENOUGH[kind] for kind in KINDS[1:])])
            open_find: Find | None = None
            for at in np.flatnonzero(gain > enough[best]):
                start, end = begin + int(pieces.starts[at]), begin + int(pieces.ends[at])
                kind = KINDS[best[at]]
                if (
                    open_find
                    and open_find.kind == kind
                    and start - open_find.end <= 1
                    and text[open_find.end : start] != "\n"
                ):
                    open_find = Find(open_find.start, end, kind)
                    continue
                if open_find:
                    yield from _if_long(open_find, text)
                open_find = Find(start, end, kind)
            if open_find:
                yield from _if_long(open_find, text)

    def doubts(self, text: str, start: int, end: int, kind: str) -> bool:
        if kind not in DOUBTFUL:
            return False
        right, wrong = self.weights.doubts[columns_of_find(text, start, end, kind)].sum(axis=0)
        return bool(wrong - right > DOUBTFUL[kind])


def columns_of_find(text: str, start: int, end: int, kind: str) -> np.ndarray:
    """The observations of a find's first and last piece, by themselves and together with the kind."""
    line = max(text.rfind("\n", 0, start) + 1, start - NEAR)
    above = max(text.rfind("\n", 0, max(0, line - 1)) + 1, line - NEAR)
    stop = text.find("\n", end)
    stop = min(len(text) if stop < 0 else stop, end + NEAR)
    pieces = cut(text[above:stop])
    inside = np.flatnonzero((pieces.starts < end - above) & (pieces.ends > start - above))
    if not len(inside):
        return np.zeros(3 * pieces.columns.shape[1] + 2, dtype=np.int64)
    first, last = pieces.columns[inside[0]], pieces.columns[inside[-1]]
    salt = _KIND_SALT.get(kind, 1)
    with_kind = np.where(first == 0, 0, 1 + (first * 31 + salt) % (PLACES - 1))
    of_last = np.where(last == 0, 0, 1 + (last * 17 + 5) % (PLACES - 1))
    sizes = salt * 7 + min(len(inside), 9), salt * 11 + min(end - start, 40) // 4
    more = [1 + size % (PLACES - 1) for size in sizes]
    return np.concatenate([first, with_kind, of_last, more])


def _chunks(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    while at < len(text):
        stop = len(text) if len(text) - at <= CHUNK else text.rfind("\n", at, at + CHUNK) + 1 or at + CHUNK
        stop = max(stop, at + 1)
        yield at, text[at:stop]
        at = stop


def _if_long(find: Find, text: str) -> Iterator[Find]:
    """With what is glued to it, if it is long enough and no figure."""
    find = _whole(find, text)
    value = text[find.start : find.end]
    if sum(map(str.isalnum, value)) < SHORTEST or (value.isdigit() and _is_figure(find, text)):
        return
    if re.fullmatch(r"\d[\d.,:]*", value) and not value.isdigit():
        return
    yield find


def _whole(find: Find, text: str) -> Find:
    """A login in one piece: `noa-benhaim`, of which one half was found."""
    if find.kind != "p" or not text[find.start : find.end].isalpha():
        return find
    behind = _BEHIND.match(text, find.end)
    before = _BEFORE.search(text, max(0, find.start - LONGEST_PART), find.start)
    return Find(before.start() if before else find.start, behind.end() if behind else find.end, find.kind)


def _is_figure(find: Find, text: str) -> bool:
    """A count, a size, a time: 741,716.2 or Sec=900. What people say is a code has four digits or more of its own."""
    before, behind = text[max(0, find.start - 2) : find.start], text[find.end : find.end + 2]
    if re.search(r"[\d\w][.,]$", before) or re.match(r"[.,]\d", behind):
        return True
    return find.end - find.start < FEWEST_DIGITS[find.kind]


def _rounded(table: np.ndarray) -> np.ndarray:
    table = np.array(table, dtype=np.float32)
    table[0] = 0  # nothing
    scale = np.abs(table).max() / 127
    return np.round(table / scale).astype(np.int8).astype(np.float32) * scale
