"""Find the commit that changed a measurement: git chooses commits, and each is measured in pairs against the good one.

First good against bad: their ratio has to have an interval clear of 1, and not surely within delta. A commit is bad
when its interval lies on the bad side of the half-way point between the two, good when on the other; where it covers
the point it is measured once more with the greatest effort, and then skipped. The threshold comes from the two ends, so
that a small change that has nothing to do with it misleads nobody.
"""

import math
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from perfproof.app.news import News
from perfproof.app.session import begin_run, look_at_machine, save_each
from perfproof.app.telemetry import watching
from perfproof.core.documents import RatioResult, TargetResult
from perfproof.core.errors import PerfproofError, UsageError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.core.units import count, seconds
from perfproof.machine.bisection import Bisection, Mark, bisection

Measure = Callable[[str, str, bool], TargetResult]  # (good, candidate, greatest effort)


@dataclass
class Step:
    commit: str
    mark: Mark
    why: str


@dataclass
class Outcome:
    good: str
    bad: str
    ends: RatioResult  # good over bad
    steps: list[Step] = field(default_factory=list)
    culprits: list[str] = field(default_factory=list)  # "abc1234 subject"; none if the budget ended the search
    left: int = 0  # commits that may still be the first bad one, if the budget ended the search
    steps_left: int = 0  # about so many comparisons would find it
    known_good: str = ""  # the latest commit that was found good
    known_bad: str = ""  # the earliest that was found bad
    last_good: str = ""  # `known_good` as "abc1234 subject"

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"ends": self.ends.model_dump()}


def search(
    repository: Path,
    good: str,
    bad: str,
    measure: Measure,
    say: Callable[[str], None],
    delta: float = 0.01,
    budget: float | None = None,
) -> Outcome:
    """`budget` in seconds: no further commit is measured if the longest comparison so far would not fit."""
    watch = _Stopwatch(measure, budget, time.monotonic())
    with bisection(repository, good, bad) as state:
        commits = state.left()
        say(
            f"{count(commits, 'commit')} after good {good} up to bad {bad}: these two are compared first, then about "
            f"{count(_steps(commits), 'commit')}"
        )
        ends = _ends(state, good, bad, watch.measure)
        _refuse_small(ends, good, bad, delta)
        middle = math.log(ends.ratio or 1.0) / 2
        outcome = Outcome(state.good, state.bad, ends)
        say(f"good against bad: {described(ends)}; {_ahead(commits, watch)}")
        try:
            while state.candidate and watch.has_time():
                commit = state.candidate
                mark, why = _judge(state.good, commit, middle, watch)
                outcome.steps.append(Step(commit, mark, why))
                named = state.subject(commit)
                state.mark(mark)
                more = f"; {_between(state)}; {_ahead(state.left(), watch)}" if state.candidate else ""
                say(f"{mark:<4} {named}: {why}{more}")
        except KeyboardInterrupt:
            say(f"stopped; {_between(state)}. {how_to_go_on(*state.ends())}")
            raise
        outcome.known_good, outcome.known_bad = state.ends()
        if state.candidate:
            outcome.left = state.left()
            outcome.steps_left = _steps(outcome.left)
        outcome.culprits = [state.subject(one) for one in state.culprits]
        outcome.last_good = state.subject(outcome.known_good)
    return outcome


def how_to_go_on(good: str, bad: str) -> str:
    """A search that ended early goes on between the ends that it has found."""
    return f"next: the same command with --good {good[:12]} --bad {bad[:12]}"


@dataclass
class _Stopwatch:
    """Measures, and knows how long one comparison took at most."""

    ask: Measure
    budget: float | None
    started: float
    longest: float = 0.0

    def measure(self, good: str, commit: str, greatest: bool) -> TargetResult:
        begun = time.monotonic()
        try:
            return self.ask(good, commit, greatest)
        finally:
            self.longest = max(self.longest, time.monotonic() - begun)

    def has_time(self) -> bool:
        left = self.left()
        return left is None or self.longest <= left

    def left(self) -> float | None:
        """Seconds of the budget; None without one."""
        return None if self.budget is None else self.budget - (time.monotonic() - self.started)


def _steps(commits: int) -> int:
    """Halving finds one of n commits in about log2 n steps."""
    return math.ceil(math.log2(commits)) if commits > 1 else 0


def _between(state: Bisection) -> str:
    good, bad = (state.subject(one).split()[0] for one in state.ends())
    return f"last good {good}, first bad {bad} so far"


def _ahead(commits: int, watch: _Stopwatch) -> str:
    """What is left: commits, steps, about how long they take, and the rest of the budget."""
    steps, left = _steps(commits), watch.left()
    said = f"{count(commits, 'commit')} to search"
    if steps:
        said += f", about {count(steps, 'step')}, {seconds(steps * watch.longest)}"
        said += f" ({seconds(max(0.0, left))} of the budget left)" if left is not None else ""
    return said


def side_of(judged: RatioResult, middle: float) -> Mark | None:
    """Which end a commit is with; None where its interval does not tell."""
    if not judged.low or not judged.high:
        return None
    low, high = math.log(judged.low), math.log(judged.high)
    if low > middle:
        return "bad" if middle > 0 else "good"
    if high < middle:
        return "good" if middle > 0 else "bad"
    return None


def described(judged: RatioResult) -> str:
    interval = f" ({judged.low:.4g} to {judged.high:.4g})" if judged.low and judged.high else ""
    return f"{judged.ratio:.4g}x{interval}" if judged.ratio else judged.verdict


def measurer(asked: Any, options: RunOptions, facts: Facts, news: News) -> Measure:
    """Each comparison is a saved run, as `perfproof ab TARGET --rev GOOD --rev COMMIT` makes it."""
    from perfproof.app.ab.form import choose_form

    def measure(good: str, commit: str, greatest: bool) -> TargetResult:
        own = replace(options, effort="final") if greatest else options
        two = replace(asked, revisions=(good, commit))
        machine = look_at_machine(facts, shared=True)  # it refuses nothing: every commit is measured alike
        news.total += 1
        with ExitStack() as stack:
            chosen = choose_form(two, own, facts, stack)
            run, folder = begin_run([*chosen.names], "bisect", {**asdict(own), "ab": asdict(two)}, machine)
            with watching(run, folder, options.telemetry) as watch:
                stopped = save_each(run, folder, watch.described(chosen.measure(run.seed, news.notify)), news)
        if stopped or not run.targets:
            raise KeyboardInterrupt
        return run.targets[0]

    return measure


def _ends(state: Bisection, good: str, bad: str, measure: Measure) -> RatioResult:
    result = measure(state.good, state.bad, False)
    if result.status != "ok":
        raise UsageError(f"good {good} against bad {bad} cannot be measured: {result.status}: {result.reason}")
    judged = next(iter(result.ratios.values()))
    if not judged.low or not judged.high or judged.low <= 1 <= judged.high:
        words = "do not differ" if judged.verdict == "same" else "cannot be told apart"
        raise PerfproofError(
            f"good {good} and bad {bad} {words} here: {described(judged)}, {judged.verdict}; there is nothing to "
            "search for. Name other revisions, or measure more with --effort final"
        )
    return judged


def _refuse_small(ends: RatioResult, good: str, bad: str, delta: float) -> None:
    if ends.low and ends.high and max(abs(math.log(ends.low)), abs(math.log(ends.high))) < delta:
        raise PerfproofError(
            f"good {good} and bad {bad} differ by less than --delta {100 * delta:g}%: {described(ends)}; there is "
            "nothing to search for. Give a smaller --delta to search all the same"
        )


def _judge(good: str, commit: str, middle: float, watch: _Stopwatch) -> tuple[Mark, str]:
    judged: RatioResult | None = None
    for greatest in (False, True):
        if greatest and not watch.has_time():
            break
        try:
            result = watch.measure(good, commit, greatest)
        except PerfproofError as error:
            return "skip", str(error)
        if result.status != "ok":
            return "skip", f"{result.status}: {result.reason}"
        judged = next(iter(result.ratios.values()))
        mark = side_of(judged, middle)
        if mark:
            return mark, described(judged)
    return "skip", f"{described(judged) if judged else 'nothing'} covers the half-way point {math.exp(middle):.4g}x"
