"""The steps of a program, found by one rule for every reader: ranges that repeat, by the names they are given.

First torch's own `ProfilerStep#12`; else the family of ranges called a step (`step`, `train_step 3`, `iteration=7`)
that covers the most time; else the turns of a loop, from one batch of a DataLoader, or one optimizer step, to the next.
A step lasts to the start of the next, so that what happens between two ranges (waiting for a batch) is in it.
"""

import re
import string
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from perfproof.core.events import ABSENT, DEVICE_WORK, Events, Kind
from perfproof.profile.host_names import is_input
from perfproof.profile.intervals import Interval, total, union

PROFILER = "ProfilerStep"  # torch.profiler.schedule names them so
BEFORE_NUMBER = string.whitespace + "#:=_-"
LONGEST_NUMBER = 18  # digits; a longer one counts no steps
SPOKEN = re.compile(r"(?:[\w\s.:/-]*[\s_.:/-])?(?:step|iteration|iter|batch)", re.IGNORECASE)
LOADER = re.compile(r"enumerate\(DataLoader\)#.*__next__")
OPTIMIZER = re.compile(r"Optimizer\.step#.*")
TURNS = ((LOADER, "from one DataLoader batch to the next"), (OPTIMIZER, "from one optimizer step to the next"))
SPARED = 3  # steps of which the first and the last can be spared
SLOW_START = 2.0  # times the median of the later half: a step at the beginning that is longer is start-up
FEWEST_TURNS = 3  # a loop; fewer may be a warm-up or a validation
HOW_TO_MARK = "no range marks the steps; use torch.profiler's schedule and step(), or record_function('step')"


class Step(NamedTuple):
    """`number` is torch's own, by which the ranks of a job are matched; ABSENT where a range has none."""

    start_ns: int
    end_ns: int
    number: int = ABSENT


@dataclass(frozen=True)
class Steps:
    """By time, none in another. `source` says what they were found by, `found` how many have begun in the file.

    `chosen` steps are typical ones already: neither the first nor the last has to be dropped.
    """

    steps: tuple[Step, ...] = ()
    source: str = ""
    found: int = 0
    chosen: bool = False

    @property
    def steady(self) -> tuple[Step, ...]:
        """Without the first and the last if they can be spared, and without those of the program's start."""
        if self.chosen or self.found < SPARED:
            return self.steps
        return _after_start(self.steps[1 : self.found - 1])

    @property
    def intervals(self) -> list[Interval]:
        return [(step.start_ns, step.end_ns) for step in self.steps]


def _after_start(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Without steps at the beginning that are far longer than the later ones: libraries load, code is compiled."""
    begin, half = 0, len(steps) // 2
    later = [step.end_ns - step.start_ns for step in steps[half:]]
    while begin < half and steps[begin].end_ns - steps[begin].start_ns > SLOW_START * median(later):
        begin += 1
    return steps[begin:]


def unnumbered(name: str) -> str:
    bare = name.rstrip(string.digits)
    return name if bare == name else bare.rstrip(BEFORE_NUMBER) or name


def number_of(name: str) -> int:
    """What stands at the end; ABSENT where no number does."""
    digits = name[len(name.rstrip(string.digits)) :]
    return int(digits) if 0 < len(digits) <= LONGEST_NUMBER else ABSENT


def is_step(name: str) -> bool:
    """Whether a range of this name is one: ProfilerStep#12, step, train_step 3, iteration=7."""
    bare = unnumbered(name)
    return bare == PROFILER or (SPOKEN.fullmatch(bare) is not None and not is_input(bare))


def find_steps(events: Events, rank: int = ABSENT) -> Steps:
    """Those of one rank (the first that has ranges, unless told)."""
    rows = events.where(Kind.RANGE)
    rank = min((events.rank[row] for row in rows), default=ABSENT) if rank == ABSENT else rank
    rows = _of_working(events, [row for row in rows if events.rank[row] == rank], rank)
    marked, source = _marked(events, rows)
    if marked:
        return Steps((*_periods(marked), marked[-1]), source, len(marked))
    for pattern, source in TURNS:
        fitting = {place for place, name in enumerate(events.names) if pattern.fullmatch(name)}
        turns = _apart(_step(events, row) for row in rows if events.name_id[row] in fitting)
        if len(turns) >= FEWEST_TURNS:
            return Steps(_periods(turns), source, len(turns))  # where the last turn ends is not known
    return Steps()


def _of_working(events: Events, rows: list[int], rank: int) -> list[int]:
    """Ranges of the processes that gave the device its work, where they have any: a launcher has its own."""
    working = {events.process[row] for row in events.where(*DEVICE_WORK) if events.rank[row] == rank} - {ABSENT}
    return [row for row in rows if events.process[row] in working] or rows


def _marked(events: Events, rows: list[int]) -> tuple[list[Step], str]:
    named = {place: unnumbered(name) for place, name in enumerate(events.names) if is_step(name)}
    families: dict[str, list[Step]] = defaultdict(list)
    for row in rows:
        if events.name_id[row] in named:
            families[named[events.name_id[row]]].append(_step(events, row))
    if PROFILER in families:
        return _apart(families[PROFILER]), f"{PROFILER} ranges"
    if not families:
        return [], ""
    name = max(families, key=lambda each: total(union((one.start_ns, one.end_ns) for one in families[each])))
    return _apart(families[name]), f"ranges called {name!r}"


def _step(events: Events, row: int) -> Step:
    return Step(events.start_ns[row], events.end_ns[row], number_of(events.name(row)))


def _apart(steps: Iterable[Step]) -> list[Step]:
    """By start; those inside another are left out (a range is written once for each thread that sees it)."""
    kept: list[Step] = []
    for step in sorted(steps, key=lambda one: (one.start_ns, -one.end_ns)):
        if step.end_ns > step.start_ns and (not kept or step.end_ns > kept[-1].end_ns):
            kept.append(step)
    return kept


def _periods(ranges: list[Step]) -> tuple[Step, ...]:
    """Each to the start of the next; without the last, which has none."""
    return tuple(one._replace(end_ns=following.start_ns) for one, following in pairwise(ranges))
