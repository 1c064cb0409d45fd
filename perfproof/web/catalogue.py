"""All saved runs in memory, in a few words each: what lists, filters and sparklines are made of.

A document is read once; one that was not finished is read again when it has changed. Folders that are new are found by
listing the artifacts folder, which takes a few milliseconds for thousands of runs.
"""

import json
import os
import threading
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from perfproof.core.documents import RatioResult
from perfproof.core.errors import DocumentError, NothingMatched
from perfproof.core.natural_order import natural_order
from perfproof.core.other_work import does_other_work
from perfproof.history.finding import only_one
from perfproof.history.folders import DOCUMENT, NAME, PROGRESS
from perfproof.history.index.rows import entry_of
from perfproof.report.rows import modes_text
from perfproof.web.inside import open_inside
from perfproof.web.saved import LARGEST

WATCHED = 20  # newest runs whose documents are looked at again, finished or not
NO_RESULT = ("skipped", "refused", "failed-verification", "rejected", "crashed", "timeout")
LONGEST = 2_000  # characters of a reason


@dataclass(frozen=True, slots=True)
class Result:
    """A variant of a target in a run; of a target without a result its status and the reason."""

    run: str
    started: str
    target: str
    variant: str
    kind: str
    fingerprint: str
    sizes: str
    claim: str
    clock: str
    statistic: str
    word: str
    ratio: float | None
    low: float | None
    high: float | None
    tier: str
    reason: str

    @property
    def series(self) -> tuple[str, ...]:
        """Results of one series can be held against each other."""
        return self.target, self.variant, self.kind, self.sizes, self.claim, self.clock, self.statistic

    @property
    def has_result(self) -> bool:
        """Two sides were measured and judged; a ratio may still be missing."""
        return bool(self.variant) and self.word not in NO_RESULT

    @property
    def chapter(self) -> str:
        return chapter_of(self.target)


@dataclass(frozen=True)
class RunEntry:
    name: str
    started: str
    kind: str
    state: str
    commit: str
    effort: str
    tags: tuple[str, ...]
    results: tuple[Result, ...]
    why: str = ""  # it cannot be read


@dataclass
class Catalogue:
    """The runs of one artifacts folder; `runs` is newest first."""

    artifacts: Path
    runs: list[RunEntry] = field(default_factory=list)
    series: dict[tuple[str, ...], list[Result]] = field(default_factory=dict)  # ratios, oldest first
    latest: list[Result] = field(default_factory=list)  # of every target on every kind of machine
    verdicts: list[str] = field(default_factory=list)  # all words that any run has
    machines: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    _settled: set[str] = field(default_factory=set)  # finished: their documents stay as they are
    _entries: dict[str, tuple[tuple[int, ...], RunEntry]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def refresh(self) -> "Catalogue":
        with self._lock:
            names = _names(self.artifacts, self._entries)
            gone = self._entries.keys() - names
            for name in gone:
                del self._entries[name]
            changed = bool(gone)
            newest = {run.name for run in self.runs[:WATCHED]} & names
            for name in sorted((names - self._settled) | newest):
                changed |= self._look_at(name, self._entries.get(name))
            if changed:
                self._arrange()
        return self

    def _look_at(self, name: str, known: tuple[tuple[int, ...], RunEntry] | None) -> bool:
        """Read the document if it is new or was replaced; whether it was."""
        try:
            with open_inside(self.artifacts, [name, DOCUMENT]) as file:
                seen = os.fstat(file.fileno())
                version = (seen.st_ino, seen.st_mtime_ns, seen.st_size)
                if known and known[0] == version:
                    return False
                content = file.read(LARGEST + 1)
        except NothingMatched:
            return self._entries.pop(name, None) is not None
        self._entries[name] = version, _entry(name, content)
        return True

    def _arrange(self) -> None:
        ordered = [one for _, one in sorted(self._entries.values(), key=_place)]
        series: dict[tuple[str, ...], list[Result]] = {}
        latest: dict[tuple[str, str], list[Result]] = {}
        for run in ordered:
            mine: dict[tuple[str, str], list[Result]] = {}
            for one in run.results:
                mine.setdefault((one.target, one.kind), []).append(one)
                if one.ratio is not None and one.ratio > 0:
                    series.setdefault(one.series, []).append(one)
            latest |= mine
        self._settled = {run.name for run in ordered if run.state == "finished"}
        self.runs, self.series = ordered[::-1], series
        self.verdicts = sorted({one.word for run in ordered for one in run.results})
        self.machines = sorted({run.kind for run in ordered if not run.why})
        self.tags = sorted({tag for run in ordered for tag in run.tags})
        self.latest = [one for key in sorted(latest, key=_named) for one in latest[key]]

    def running(self) -> list[str]:
        """Runs that say how far they are."""
        unfinished = [run.name for run in self.runs if run.state == "running"]
        return [name for name in unfinished if (self.artifacts / name / PROGRESS).is_file()]

    def find(self, asked: str) -> str:
        """The full name of a run: by name, id, unique beginning, `latest` or `previous`."""
        return only_one([run.name for run in reversed(self.runs)], asked, "the artifacts folder")


def chapter_of(target: str) -> str:
    """`ch01` of `ch01:batched_gemm`; empty for others, such as `sort.py: loop against grouped`."""
    chapter, _, name = target.partition(":")
    return chapter if name and not name.startswith(" ") else ""


@lru_cache(maxsize=8)
def catalogue_of(artifacts: Path) -> Catalogue:
    """One for each folder, as long as the server runs."""
    return Catalogue(artifacts)


def run_names(artifacts: Path) -> list[str]:
    """Newest first."""
    return [run.name for run in catalogue_of(artifacts).refresh().runs]


def running_names(artifacts: Path) -> list[str]:
    """Runs that say how far they are, newest first."""
    return catalogue_of(artifacts).refresh().running()


def _names(artifacts: Path, known: Container[str]) -> set[str]:
    try:
        with os.scandir(artifacts) as found:
            own = (one for one in found if not one.is_symlink())
            return {one.name for one in own if one.name in known or NAME.fullmatch(one.name)}
    except OSError:
        return set()


def _named(key: tuple[str, str]) -> tuple[object, ...]:
    return natural_order(key[0]), key[1]


def _place(one: tuple[tuple[int, ...], RunEntry]) -> tuple[str, int, str]:
    version, run = one
    return run.name[:16], version[1], run.name


def _entry(name: str, content: bytes) -> RunEntry:
    why = f"the document of {name} cannot be read; `perfproof report run {name}` says why"
    if len(content) > LARGEST:
        why = f"the document of {name} has more than {LARGEST // 2**20} MiB and is not shown"
        return RunEntry(name, "", "unknown", "unread", "", "", (), (), why)
    try:
        raw = json.loads(content)
        found = entry_of(raw)
        targets = raw["targets"]
    except (DocumentError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return RunEntry(name, "", "unknown", "unread", "", "", (), (), why)
    results = tuple(_result(name, row, _reason(targets[row["place"]], row["variant"])) for row in found.results)
    run = found.run
    commit, tags = (run["commit_id"] or "")[:8], tuple(run["tags"].split())
    return RunEntry(name, run["started"], run["kind"], run["state"], commit, run["effort"], tags, results)


def _result(name: str, row: Mapping[str, Any], reason: str) -> Result:
    ok = row["status"] == "ok"
    same = {key: row[key] for key in ("started", "target", "variant", "kind", "fingerprint", "sizes", "tier")}
    same |= {key: row[key] for key in ("claim", "clock", "statistic")}
    word = (row["verdict"] or "ok") if ok else row["status"]
    ratio, low, high = (row[key] if ok else None for key in ("ratio", "low", "high"))
    return Result(run=name, word=word, ratio=ratio, low=low, high=high, reason=reason, **same)


def _reason(target: Mapping[str, Any], variant: str) -> str:
    """Why there is no result, or no stable ratio."""
    reason = target.get("reason")
    if does_other_work(target):
        base = (target.get("labels") or {}).get("baseline", "the base")
        return f"prints other things than {base}: a size of the work, not judged"
    if not reason and target.get("verdict") == "unstable":
        try:
            judged = RatioResult.model_validate(target["ratios"][variant])
        except (ValueError, KeyError, TypeError):
            return ""
        reason = modes_text(judged) or judged.note
    return reason[:LONGEST] if isinstance(reason, str) else ""
