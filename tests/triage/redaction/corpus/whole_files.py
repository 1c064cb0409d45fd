"""Whole files with marks, by authors who had not seen the rules: ⟦s:…⟧ is a secret, ⟦p:…⟧ is personal.

A file begins with a line `%%%% name`. Nothing in them is real: people, keys and machines are invented.
"""

import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "whole"
HELD_OUT = Path(__file__).parent / "held_out" / "plain_and_odd_formats.txt"  # nothing is learned from it
COLLECTIONS = tuple(sorted(path.stem for path in FOLDER.glob("*.txt")))
_MARK = re.compile(r"⟦([sp]):(.*?)⟧", re.DOTALL)
_FILE = re.compile(r"^%%%% .*\n", re.MULTILINE)


class Marked(NamedTuple):
    text: str
    marks: tuple[tuple[int, int, str], ...]  # start, end, s or p

    def lines_without_marks(self) -> list[str]:
        found, at = [], 0
        for line in self.text.split("\n"):
            end = at + len(line)
            if line.strip() and not any(start < end and stop > at for start, stop, _ in self.marks):
                found.append(line)
            at = end + 1
        return found


def collection(name: str) -> list[Marked]:
    return files_in(FOLDER / f"{name}.txt")


def files_in(path: Path) -> list[Marked]:
    return [unmarked(text) for text in _FILE.split(path.read_text(encoding="utf-8"))[1:]]


def unmarked(marked: str) -> Marked:
    """The text as it was, and where the marks stood."""
    pieces, marks, at, size = [], [], 0, 0
    for found in _MARK.finditer(marked):
        pieces += [marked[at : found.start()], found[2]]
        size += found.start() - at
        marks.append((size, size + len(found[2]), found[1]))
        size, at = size + len(found[2]), found.end()
    return Marked("".join([*pieces, marked[at:]]), tuple(marks))
