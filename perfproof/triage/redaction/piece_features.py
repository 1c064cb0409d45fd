"""A text as words and marks, each with what can be seen of it and around it, as numbers.

    pieces = cut("user: anna")         # .starts, .ends, and .columns: one row per piece, one column per observation

A column holds a place in a table of weights: observations are hashed, so that no list of words is kept. Columns of a
piece: itself (the form of its letters, its length, how it begins and ends, how much it looks like a name), the pieces
around it, the label before it on its line, and the line above.
"""

import math
import re
import zlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from perfproof.triage.redaction.family_names import FAMILY_NAMES
from perfproof.triage.redaction.given_names import GIVEN_NAMES
from perfproof.triage.redaction.meanings import folded
from perfproof.triage.redaction.name_likeness import likeness
from perfproof.triage.redaction.ordinary_words import is_ordinary

PLACES = 1 << 16
OWN, AROUND, LEFT, RIGHT, ABOVE = 17, 20, 8, 5, 8  # columns of each kind
WIDTH = OWN + AROUND + LEFT + RIGHT + ABOVE
_CJK = "぀-ヿ㐀-鿿가-힯"  # written without spaces: each letter is a piece
_PIECE = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+|[^\w\s]|_|\n")
_SEPARATORS = frozenset(":=→|>：")
_MIX, _MULTIPLIERS = np.uint32(0x9E3779B1), np.array([1, 31, 1009, 32452843], dtype=np.uint32)
_START, _END = (np.uint32(zlib.crc32(mark)) for mark in (b"^", b"$"))


@dataclass(frozen=True)
class Pieces:
    starts: np.ndarray
    ends: np.ndarray
    columns: np.ndarray  # (pieces, columns); 0 stands for nothing


def cut(text: str) -> Pieces:
    """Every word and mark of a text with its observations."""
    found = [(match.start(), match.end(), match[0]) for match in _PIECE.finditer(text)]
    kept = [one for one in found if one[2] != "\n"]
    if not kept:
        none = np.zeros(0, dtype=np.int64)
        return Pieces(none, none, np.zeros((0, WIDTH), dtype=np.int64))
    starts, ends = (np.array([one[side] for one in kept]) for side in (0, 1))
    seen = [_seen(one[2]) for one in kept]
    words = np.array([one.word for one in seen], dtype=np.uint32)
    forms = np.array([one.form for one in seen], dtype=np.uint32)
    own = np.array([one.own for one in seen], dtype=np.uint32)
    is_word = np.array([one.is_word for one in seen])
    lines = _Lines.of(found, seen)
    return Pieces(starts, ends, _columns(starts, ends, words, forms, own, is_word, lines))


@dataclass(frozen=True)
class _Seen:
    """What can be seen of a piece without its neighbours."""

    word: int
    form: int
    own: tuple[int, ...]
    is_word: bool


@lru_cache(maxsize=1 << 16)
def _seen(piece: str) -> _Seen:
    is_word = len(piece) > 1 or piece.isalnum()
    observed = _observed(piece) if is_word else [f"w{piece}"]
    own = [_number(one) for one in observed[:OWN]]
    return _Seen(_number(_plain(piece)), _number(_form(piece)[:8]), tuple(own + [0] * (OWN - len(own))), is_word)


def _observed(piece: str) -> list[str]:
    low, size = piece.lower(), len(piece)
    seen = [f"w{_plain(piece)}", f"f{_form(piece)[:16]}", f"n{size if size < 8 else 8 + min(size, 64) // 4}"]
    if size >= 2:
        seen += [f"b{low[:2]}", f"e{low[-2:]}"]
    if size >= 4:
        seen += [f"b{low[:3]}", f"e{low[-3:]}"]
    if piece[0].isalpha() and size > 2:
        seen += _as_a_name(piece)
    if size >= 8:
        digits, capitals = sum(map(str.isdigit, piece)), sum(map(str.isupper, piece))
        spread = -sum(n / size * math.log2(n / size) for n in map(piece.count, set(piece)))
        seen += [f"m{4 * digits // size}{4 * capitals // size}", f"E{int(2 * spread)}"]
        if re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", piece):
            seen.append(f"x{size}")
    return seen


def _as_a_name(piece: str) -> list[str]:
    plain, capital = folded(piece), "C" if piece[0].isupper() else "c"
    seen = [f"l{max(-3, min(3, round(2 * likeness(piece))))}{capital}", f"o{is_ordinary(plain)}{capital}"]
    seen += [f"g{capital}"] * (plain in GIVEN_NAMES) + [f"G{capital}"] * (plain in FAMILY_NAMES)
    return seen


@lru_cache(maxsize=1 << 16)
def _form(piece: str) -> str:
    """`Xxx9`: capitals, small letters and digits, with long runs cut."""
    kinds = "".join("9" if c.isdigit() else "X" if c.isupper() else "x" if c.islower() else "o" for c in piece)
    return re.sub(r"(.)\1{2,}", r"\1\1+", kinds) if piece[0].isalnum() else piece


def _plain(piece: str) -> str:
    """The word without its digits; of a long one only the form."""
    if piece.isdigit():
        return f"#{min(len(piece), 12)}"
    return f"~{_form(piece)[:12]}" if len(piece) > 14 else re.sub(r"\d", "0", piece.lower())


def _number(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) or 1


@dataclass(frozen=True)
class _Lines:
    """Per piece: its line, its place there, the line's first word, the label before it, the words of the line above."""

    line: np.ndarray
    place: np.ndarray
    first: np.ndarray
    label: np.ndarray
    label_before: np.ndarray
    above: np.ndarray  # (pieces, ABOVE)

    @classmethod
    def of(cls, found: list[tuple[int, int, str]], seen: list[_Seen]) -> "_Lines":
        rows: list[tuple[int, int, int, int, int, tuple[int, ...]]] = []
        above: tuple[int, ...] = (0,) * ABOVE
        words: list[int] = []
        number = place = first = label = label_before = at = 0
        for _, _, piece in found:
            if piece == "\n":
                if words:
                    above = tuple(words[-ABOVE:]) + (0,) * (ABOVE - len(words[-ABOVE:]))
                number, place, first, label, label_before, words = number + 1, 0, 0, 0, 0, []
                continue
            one = seen[at]
            at += 1
            rows.append((number, place, first, label, label_before, above))
            place += 1
            if piece in _SEPARATORS and words:
                label, label_before = words[-1], words[-2] if len(words) > 1 else 0
            elif one.is_word:
                words.append(one.word)
                first = first or one.word
        return cls(*(np.array(column, dtype=np.uint32) for column in zip(*rows, strict=True)))


def _columns(
    starts: np.ndarray,
    ends: np.ndarray,
    words: np.ndarray,
    forms: np.ndarray,
    own: np.ndarray,
    is_word: np.ndarray,
    lines: _Lines,
) -> np.ndarray:
    near = {step: _neighbour(words, lines.line, step) for step in (-3, -2, -1, 1, 2)}
    glued_left = np.concatenate([[False], starts[1:] == ends[:-1]]).astype(np.uint32)
    glued_right = np.concatenate([starts[1:] == ends[:-1], [False]]).astype(np.uint32)
    behind_mark = _word_behind_marks(words, is_word, lines.line)
    columns = [np.where(own[:, number] == 0, 0, _hashed(20, own[:, number])) for number in range(OWN)]
    columns += [
        _hashed(1, near[-1], glued_left),
        _hashed(2, near[-2]),
        _hashed(3, near[-3]),
        _hashed(4, near[1], glued_right),
        _hashed(5, near[2]),
        _hashed(6, near[-1], near[-2]),
        _hashed(7, near[-1], near[1]),
        _hashed(8, forms, near[-1]),
        _hashed(9, forms, near[-1], near[-2]),
        _hashed(10, forms, near[1]),
        _hashed(11, near[-1], near[-2], near[-3]),
        _hashed(12, behind_mark),
        _hashed(13, behind_mark, forms),
        _hashed(14, lines.label),
        _hashed(15, lines.label, lines.label_before),
        _hashed(16, lines.label, forms),
        _hashed(17, lines.first),
        _hashed(18, lines.first, forms),
        _hashed(19, np.minimum(lines.place, 6)),
        _hashed(50, np.zeros_like(words)),
    ]
    for step in range(1, LEFT + 1):
        columns.append(_bag(21, words, is_word, lines.line, -step))
    for step in range(1, RIGHT + 1):
        columns.append(_bag(22, words, is_word, lines.line, step))
    for above in lines.above.T:
        columns.append(np.where((above == 0) | (lines.place > 12), 0, _hashed(23, above)))
    return np.stack(columns, axis=1).astype(np.int64)


def _neighbour(values: np.ndarray, line: np.ndarray, step: int) -> np.ndarray:
    """The value `step` pieces on; what begins or ends a line stands for those beyond it."""
    edge = np.full(min(abs(step), len(values)), _END if step > 0 else _START, dtype=np.uint32)
    if step > 0:
        moved, of = np.concatenate([values[step:], edge]), np.concatenate([line[step:], edge])
    else:
        moved, of = np.concatenate([edge, values[:step]]), np.concatenate([edge, line[:step]])
    return np.where(of == line, moved, _END if step > 0 else _START)


def _bag(salt: int, words: np.ndarray, is_word: np.ndarray, line: np.ndarray, step: int) -> np.ndarray:
    """A word some pieces away, wherever exactly it stands."""
    moved = _neighbour(np.where(is_word, words, 0).astype(np.uint32), line, step)
    return np.where((moved == 0) | (moved == _START) | (moved == _END), 0, _hashed(salt, moved))


def _word_behind_marks(words: np.ndarray, is_word: np.ndarray, line: np.ndarray) -> np.ndarray:
    """The last word before a piece on its line, whatever marks stand between them."""
    last = np.maximum.accumulate(np.where(is_word, np.arange(len(words)), -1))
    before = np.concatenate([[-1], last[:-1]])
    return np.where((before >= 0) & (line[before] == line), words[before], _START)


def _hashed(salt: int, *parts: np.ndarray) -> np.ndarray:
    """A place in the table from 1 on: the same for the same parts."""
    mixed = np.full(len(parts[0]), salt * 0x85EBCA6B & 0xFFFFFFFF, dtype=np.uint32)
    with np.errstate(over="ignore"):
        for part in parts:
            mixed = (mixed ^ part.astype(np.uint32)) * _MIX
            mixed ^= mixed >> np.uint32(15)
    return 1 + mixed % np.uint32(PLACES - 1)
