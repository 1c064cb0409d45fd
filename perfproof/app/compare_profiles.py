"""Two existing profiles: which kernels, operators or frames came, went or changed, per step if both have steps.

A profile is a file, or what `perfproof profile` saved: then the stacks of its samples are compared too.
"""

import json
import os
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perfproof.core.errors import DocumentError, NothingMatched, UsageError
from perfproof.core.events import Events, Kind
from perfproof.core.profile_comparison import ComparedProfile, ProfileComparison
from perfproof.core.profile_record import Difference, Portion
from perfproof.core.units import seconds
from perfproof.diagnose.evidence import NCU_PAGE
from perfproof.diagnose.traces import Trace, trace_of
from perfproof.history.commits import is_revision
from perfproof.history.finding import DOCUMENT, LATEST, NAME, PREVIOUS, matching
from perfproof.profile import reading
from perfproof.profile.diff import NOISE, diff, moved
from perfproof.profile.intervals import total
from perfproof.profile.ncu import csv as ncu_csv
from perfproof.profile.ncu import report as ncu_report
from perfproof.profile.opening import opened
from perfproof.profile.portions import a_call, counted_portions, portions
from perfproof.profile.shares import functions, innermost
from perfproof.profile.weighed_stacks import Stacks, stacks_of

HEAD = 64 * 1024
RECORD, STACKS = "profile.json", ".stacks.txt"
BUSY = "other programs used "  # how the note about a busy machine begins
NO_OPERATOR = "no operator: Python or another library"
MOSTLY_STEPS = 0.8  # of a recording: with less its samples are not those of its steps
MOST_NAMED = 5


@dataclass(frozen=True)
class Recording:
    """The files of one profile: what is compared, what lies beside it, and what the record says of a busy machine."""

    path: Path
    main: Path
    stacks: Path | None = None
    trace: Path | None = None  # beside `main`, if that is stacks
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Read:
    """One file: its whole, and its steady steps if it has some."""

    path: Path
    source: str
    whole: list[Portion]
    trace: Trace | None
    warnings: list[str]
    stacks: Stacks = field(default_factory=Stacks)
    sampled: bool = False  # the stacks are all there is
    notes: list[str] = field(default_factory=list)

    @property
    def steps(self) -> int:
        return len(self.trace.steps) if self.trace is not None and self.trace.found else 0

    @property
    def step_seconds(self) -> float | None:
        return self.trace.step_ns / 1e9 if self.trace is not None and self.steps else None

    @property
    def sampled_step_seconds(self) -> float | None:
        """The length of a step, if the recording holds little else: no start-up."""
        if self.trace is None or not self.steps:
            return None
        events = self.trace.events
        whole = max(events.end_ns) - min(events.start_ns)
        return self.step_seconds if self.trace.found * self.trace.step_ns >= MOSTLY_STEPS * whole else None


def find_profiles(artifacts_dir: Path | str, names: Sequence[str]) -> list[Path] | None:
    """The two profiles that are meant: files, folders, `profile.json`, or ids. None if both are something else.

    `latest` and `previous` are profiles if the other one is, or if there are no runs.
    """
    parent = Path(artifacts_dir) / "profiles"
    found = [_profile(artifacts_dir, parent, name) for name in names]
    if not any(found):
        _refuse_missing(names)
        if _names(Path(artifacts_dir), DOCUMENT) or not _names(parent, RECORD):
            return None
        if any(Path(name).name == DOCUMENT or is_revision(Path.cwd(), name) for name in names):
            return None
    return [one or _other(artifacts_dir, parent, name) for one, name in zip(found, names, strict=True)]


def _profile(artifacts_dir: Path | str, parent: Path, name: str) -> Path | None:
    given = Path(name)
    if given.is_file():
        return given if given.name != DOCUMENT else None
    if given.is_dir() or os.sep in name:
        return given if (given / RECORD).is_file() else None
    if name in (LATEST, PREVIOUS) or matching(_names(Path(artifacts_dir), DOCUMENT), name):
        return None
    known = _names(parent, RECORD)
    meant = matching(known, name) or [one for one in known if name and name in one]
    if len(meant) > 1:
        more = f" and {len(meant) - MOST_NAMED} more" if len(meant) > MOST_NAMED else ""
        named = ", ".join(meant[: -MOST_NAMED - 1 : -1])
        raise UsageError(f"{len(meant)} profiles fit {name!r}: {named}{more}; write more of the name or the id")
    return parent / meant[0] if meant else None


def _other(artifacts_dir: Path | str, parent: Path, name: str) -> Path:
    """Beside a profile another one is meant."""
    known = _names(parent, RECORD)
    if name in (LATEST, PREVIOUS) and matching(known, name):
        return parent / matching(known, name)[0]
    is_run = (Path(name) / DOCUMENT).is_file() or Path(name).name == DOCUMENT
    if is_run or (name not in (LATEST, PREVIOUS) and matching(_names(Path(artifacts_dir), DOCUMENT), name)):
        raise UsageError(f"{name!r} is a run and the other one is a profile; give two profiles, or two runs")
    _refuse_missing([name])
    hint = f"the latest is {known[-1]}" if known else "`perfproof profile -- COMMAND` records one"
    raise NothingMatched(f"no profile {name!r} in {parent}; {hint}")


def _refuse_missing(names: Sequence[str]) -> None:
    """A folder or a file that is neither a run nor a profile."""
    for name in names:
        given = Path(name)
        if given.is_dir() and os.sep in name:
            if not any((given / one).is_file() for one in (DOCUMENT, RECORD)):
                raise NothingMatched(f"{name}: the folder holds neither a run ({DOCUMENT}) nor a profile ({RECORD})")
        elif (
            given.name != DOCUMENT
            and not given.exists()
            and name.endswith((".json", ".json.gz", ".txt", ".sqlite", ".ncu-rep", ".csv"))
        ):
            raise NothingMatched(f"{name}: there is no such file; `perfproof profile -- COMMAND` records a profile")


def _names(parent: Path, document: str) -> list[str]:
    return sorted(one.name for one in parent.glob("*") if NAME.fullmatch(one.name) and (one / document).is_file())


def recording_of(path: Path) -> Recording:
    """A file as it is given; for a folder of `perfproof profile` or its record, the recording inside."""
    if path.is_dir() or path.name == RECORD:
        home = path if path.is_dir() else path.parent
        captures = [one for one in _captures(home / RECORD) if _main_files(one, home)]
        if not captures:
            raise DocumentError(f"{path}: the profile holds no recording; its {RECORD} says why")
        files = [_main_files(one, home) for one in captures]
        if len(captures) > 1 and not _record(home / RECORD).get("program"):
            named = ", ".join(str(each[0]) for each in files[:MOST_NAMED])
            raise UsageError(f"{path}: holds {len(captures)} recordings; give one of them: {named}")
        stacks = next((one for one in files[0] if one.name.endswith(STACKS)), None)
        return Recording(path, files[0][0], stacks, notes=_busy(captures[0]))
    captures = _captures(path.parent / RECORD) if (path.parent / RECORD).is_file() else []
    own = next((one for one in captures if path.name in [file.name for file in _main_files(one, path.parent)]), None)
    if own is None:
        return Recording(path, path)
    first = _main_files(own, path.parent)[0]
    return Recording(path, path, trace=first if path.name.endswith(STACKS) else None, notes=_busy(own))


def _record(record: Path) -> dict[str, Any]:
    try:
        content = json.loads(record.read_text(errors="replace"))
    except (OSError, ValueError, RecursionError) as error:
        raise DocumentError(f"{record}: cannot be read: {' '.join(str(error).split())}") from None
    return content if isinstance(content, dict) else {}


def _captures(record: Path) -> list[dict[str, Any]]:
    found = _record(record).get("captures")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _main_files(capture: dict[str, Any], home: Path) -> list[Path]:
    """Names that lead out of the folder are left out."""
    names = capture.get("main_files")
    plain = [one for one in names if isinstance(one, str) and Path(one).name == one] if isinstance(names, list) else []
    return [home / name for name in plain if (home / name).is_file()]


def _busy(capture: dict[str, Any]) -> list[str]:
    notes = capture.get("notes")
    return [one for one in notes if isinstance(one, str) and one.startswith(BUSY)] if isinstance(notes, list) else []


def compare_profiles(a: Path, b: Path) -> ProfileComparison:
    first, second = _read(recording_of(a)), _read(recording_of(b))
    counted = [one.source == "ncu" for one in (first, second)]
    if counted[0] != counted[1]:
        raise UsageError(f"{a} and {b}: counters of ncu and a timeline have nothing in common; give two of one kind")
    by_step = bool(first.steps and second.steps)
    steps = [one.sampled_step_seconds for one in (first, second)] if by_step else [None, None]
    if None in steps:
        steps = [None, None]
    if first.sampled or second.sampled:
        if not (first.stacks.weights and second.stacks.weights):
            raise UsageError(
                f"{a} and {b}: samples of stacks and a timeline have no row in common; give two of one kind"
            )
        by_step = None not in steps
        mine, theirs = (innermost(one.stacks, step) for one, step in zip((first, second), steps, strict=True))
    else:
        mine, theirs = (_portions(one, by_step) for one in (first, second))
    work = [[row for row in rows if row.kind not in ("no operator", "frame")] for rows in (mine, theirs)]
    rows = diff(mine, theirs)
    called, called_after = (functions(one.stacks, step) for one, step in zip((first, second), steps, strict=True))
    return ProfileComparison(
        per="step" if by_step else "recording",
        headline=_headline(first, second, rows),
        a=_described(first, work[0]),
        b=_described(second, work[1]),
        rows=rows,
        functions=diff(called, called_after) if called and called_after else [],
    )


def _read(recording: Recording) -> _Read:
    path = recording.main
    if path.name.endswith(".ncu-rep") or _is_ncu_page(path):
        counted = (ncu_report if path.name.endswith(".ncu-rep") else ncu_csv).read_file(path)
        return _Read(
            recording.path,
            "ncu",
            counted_portions(counted.kernels),
            None,
            list(counted.warnings),
            notes=recording.notes,
        )
    events = reading.read(path)
    whole = portions(events)
    sampled = {one.kind for one in whole} == {"frame"}
    beside = reading.read(recording.stacks) if recording.stacks is not None else None
    stacks = stacks_of(events if beside is None else beside) if sampled or beside is not None else Stacks()
    timeline = events if recording.trace is None or recording.trace == path else reading.read(recording.trace)
    trace = trace_of(timeline, path.name)
    sampled = sampled and bool(stacks.weights)
    return _Read(recording.path, events.source, whole, trace, events.warnings, stacks, sampled, recording.notes)


def _is_ncu_page(path: Path) -> bool:
    if not path.is_file():
        return False
    with opened(path) as file:
        head = file.read(HEAD)
    return any(mark in head for mark in NCU_PAGE)


def _portions(one: _Read, by_step: bool) -> list[Portion]:
    if not by_step or one.trace is None or one.sampled:
        return one.whole
    found = a_call(portions(_steady(one.trace)), one.steps)
    return [*found, *_outside(one.trace)] if found and found[0].kind == "operator" else found


def _outside(trace: Trace) -> list[Portion]:
    """The time of a step in which no thread is in an operator."""
    covered = total(trace.covered(trace.events.where(Kind.OPERATOR)))
    left = max(0, trace.window_ns - covered) / len(trace.steps)
    return [Portion(kind="no operator", name=NO_OPERATOR, launches=0, seconds=left * 1e-9)]


def _steady(trace: Trace) -> Events:
    """The rows that begin in a steady step."""
    events, own = trace.events, Events(trace.events.source)
    starts, ends = [start for start, _ in trace.window], [end for _, end in trace.window]
    for row in events.rows():
        place = bisect_right(starts, row.start_ns) - 1
        if place >= 0 and row.start_ns < ends[place]:
            ids = {name: getattr(row, name) for name in Events.IDS}
            own.add(row.kind, row.name, row.start_ns, row.end_ns, args=row.args or None, **ids)
    return own


def _headline(first: _Read, second: _Read, rows: list[Difference]) -> str:
    before, after = first.step_seconds, second.step_seconds
    if not before or not after:
        return ""
    said = f"a step takes {seconds(before)} -> {seconds(after)} (one recording each)"
    if abs(after - before) <= NOISE * max(before, after):
        return f"{said}: the difference is within {100 * NOISE:.0f} %, which one recording each cannot tell from none"
    said += f": {100 * abs(after - before) / before:.0f} % {'less' if after < before else 'more'}"
    changed = [row for row in rows if row.change != "same" and moved(row)]
    if not changed:
        return said
    sides = [one.seconds if one else None for one in (changed[0].before, changed[0].after)]
    return f"{said}; the largest change: {changed[0].name}, {seconds(sides[0])} -> {seconds(sides[1])}"


def _described(one: _Read, rows: list[Portion]) -> ComparedProfile:
    times = [row.seconds for row in rows if row.seconds is not None]
    return ComparedProfile(
        file=str(one.path),
        source=one.source,
        steps=one.steps,
        step_seconds=one.step_seconds,
        step_source=one.trace.step_source if one.trace is not None and one.steps else "",
        work_seconds=sum(times) if times else None,
        samples=one.stacks.total if one.stacks.weights and one.stacks.unit == "samples" else None,
        warnings=one.warnings,
        notes=one.notes,
    )
