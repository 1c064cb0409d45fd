"""Two existing profiles: which kernels, operators or frames came, went or changed, per step if both have steps."""

from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from perfproof.core.errors import UsageError
from perfproof.core.events import Events
from perfproof.core.profile_comparison import ComparedProfile, ProfileComparison
from perfproof.core.profile_record import Portion
from perfproof.diagnose.evidence import NCU_PAGE
from perfproof.diagnose.traces import Trace, trace_of
from perfproof.profile import reading
from perfproof.profile.diff import diff
from perfproof.profile.ncu import csv as ncu_csv
from perfproof.profile.ncu import report as ncu_report
from perfproof.profile.opening import opened
from perfproof.profile.portions import a_call, counted_portions, portions

HEAD = 64 * 1024


@dataclass(frozen=True)
class _Read:
    """One file: its whole, and its steady steps if it has some."""

    path: Path
    source: str
    whole: list[Portion]
    trace: Trace | None
    warnings: list[str]

    @property
    def steps(self) -> int:
        return len(self.trace.steps) if self.trace is not None and self.trace.found else 0


def compare_profiles(a: Path, b: Path) -> ProfileComparison:
    first, second = _read(a), _read(b)
    counted = [one.source == "ncu" for one in (first, second)]
    if counted[0] != counted[1]:
        raise UsageError(f"{a} and {b}: counters of ncu and a timeline have nothing in common; give two of one kind")
    by_step = bool(first.steps and second.steps)
    mine, theirs = (_portions(one, by_step) for one in (first, second))
    return ProfileComparison(
        per="step" if by_step else "recording",
        a=_described(first, mine),
        b=_described(second, theirs),
        rows=diff(mine, theirs),
    )


def _read(path: Path) -> _Read:
    if path.name.endswith(".ncu-rep") or _is_ncu_page(path):
        counted = (ncu_report if path.name.endswith(".ncu-rep") else ncu_csv).read_file(path)
        return _Read(path, "ncu", counted_portions(counted.kernels), None, list(counted.warnings))
    events = reading.read(path)
    return _Read(path, events.source, portions(events), trace_of(events, path.name), events.warnings)


def _is_ncu_page(path: Path) -> bool:
    if not path.is_file():
        return False
    with opened(path) as file:
        head = file.read(HEAD)
    return any(mark in head for mark in NCU_PAGE)


def _portions(one: _Read, by_step: bool) -> list[Portion]:
    if not by_step or one.trace is None:
        return one.whole
    return a_call(portions(_steady(one.trace)), one.steps)


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


def _described(one: _Read, rows: list[Portion]) -> ComparedProfile:
    times = [row.seconds for row in rows if row.seconds is not None]
    return ComparedProfile(
        file=str(one.path),
        source=one.source,
        steps=one.steps,
        step_seconds=one.trace.step_ns / 1e9 if one.trace is not None and one.steps else None,
        work_seconds=sum(times) if times else None,
        warnings=one.warnings,
    )
