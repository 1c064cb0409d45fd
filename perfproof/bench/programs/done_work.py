"""What the runs of a program show of its work: words that every run prints, files that it writes, its first run.

Two programs that do the same work print the same words, apart from times and whatever else changes from run to run, and
write the same files. A first run that takes much longer than later ones has left them something: a cache.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from perfproof.core.units import percent

MOST_ENTRIES, DEPTH = 2_000, 2  # of the working folder that are looked at
SKIPPED = re.compile(r"^(\.git|\.venv|venv|node_modules|__pycache__|.*\.pyc|artifacts)$")
TIME = re.compile(r"^[\[(]?[\d.:,+-]+(e-?\d+)?(s|ms|us|µs|ns|sec|secs|seconds|min|it/s|/s)?[,;)\]]*$")
UNIT = re.compile(r"^(s|ms|us|µs|ns|sec|secs|seconds?|min|minutes|it/s|/s)[,;.)\]]*$")
LEAST_RUNS, LONGER, LONGER_SECONDS = 4, 1.3, 0.02  # CPU time of the first run beside later ones
MOST_NAMED = 3

Listing = dict[str, tuple[int, int]]


@dataclass
class DoneWork:
    """What all runs of one program have shown."""

    words: list[str | None] | None = field(default_factory=list)  # None for one that changes; None if their number does
    written: list[set[str]] = field(default_factory=list)  # files, for each run
    cpu_seconds: list[float] = field(default_factory=list)

    def add(self, text: str, written: set[str], cpu_seconds: float) -> None:
        own = text.split()
        known = self.words if self.cpu_seconds else [*own]
        if known is not None:
            alike = [one if one == two else None for one, two in zip(own, known, strict=False)]
            self.words = alike if len(own) == len(known) else None
        self.written.append(written)
        self.cpu_seconds.append(cpu_seconds)

    def first_run(self, is_second: bool) -> str:
        """What to say if the first run took longer than the others, in words; empty otherwise.

        The program that runs first also finds cold files, which are no cache: it must have left files of its own.
        """
        if len(self.cpu_seconds) < LEAST_RUNS:
            return ""
        first, later = self.cpu_seconds[0], median(self.cpu_seconds[1:])
        left = self.written[0] - set[str]().union(*self.written[1:])
        if first < LONGER * later or first - later < LONGER_SECONDS or not (left or is_second):
            return ""
        files = f" and left {_listed(left)}" if left else ""
        return f"took {percent(first / later - 1, 0)} more CPU time than later ones{files}"


def differs(a: DoneWork, b: DoneWork) -> str:
    """The first word that both always print and that is not the same; empty if there is none."""
    if a.words is None or b.words is None:
        return ""
    if len(a.words) != len(b.words):
        return f"{len(a.words)} words against {len(b.words)}"
    for at, (one, two) in enumerate(zip(a.words, b.words, strict=True)):
        if one is not None and two is not None and one != two and not _is_time(a.words, at):
            before = a.words[at - 1] if at else None
            return f"{f'{before} ' if before else ''}{one} against {two}"
    return ""


def only_one_writes(a: DoneWork, b: DoneWork) -> tuple[str, str]:
    """Files that every run of one program writes, for each of them; nothing if each has some of its own."""
    own = [set.intersection(*one.written) - set[str]().union(*other.written) for one, other in ((a, b), (b, a))]
    return ("", "") if all(own) else (_listed(own[0]), _listed(own[1]))


def listing(folder: Path) -> Listing:
    """Files two levels deep with when they were written; the largest folders are not looked through."""
    found: Listing = {}
    ahead = [(folder, "", 0)]
    while ahead and len(found) < MOST_ENTRIES:
        place, name, depth = ahead.pop()
        try:
            entries = list(os.scandir(place))
        except OSError:
            continue
        for entry in entries[:MOST_ENTRIES]:
            if SKIPPED.match(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                ahead += [(Path(entry.path), f"{name}{entry.name}/", depth + 1)] if depth < DEPTH else []
                continue
            try:
                seen = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            found[f"{name}{entry.name}"] = seen.st_mtime_ns, seen.st_size
    return found


def written_between(before: Listing, after: Listing) -> set[str]:
    return {name for name, seen in after.items() if before.get(name) != seen}


def _is_time(words: Sequence[str | None], at: int) -> bool:
    """A number with a unit of time: it is measured, and differs although the work is the same."""
    word, following = words[at] or "", words[at + 1] if at + 1 < len(words) else ""
    return bool(TIME.match(word)) and (not word.rstrip(",;)]")[-1:].isdigit() or bool(UNIT.match(following or "")))


def _listed(names: set[str]) -> str:
    some = sorted(names)
    return ", ".join(some[:MOST_NAMED]) + (f" and {len(some) - MOST_NAMED} more" if len(some) > MOST_NAMED else "")
