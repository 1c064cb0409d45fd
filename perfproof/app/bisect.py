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
    known_good: str = ""  # and the ends that are left to search between
    known_bad: str = ""

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
        ends = _ends(state, good, bad, watch.measure)
        _refuse_small(ends, good, bad, delta)
        middle = math.log(ends.ratio or 1.0) / 2
        outcome = Outcome(state.good, state.bad, ends)
        say(f"good against bad: {described(ends)}; {_ahead(state.left(), watch.longest)}")
        while state.candidate and watch.has_time():
            commit = state.candidate
            mark, why = _judge(state.good, commit, middle, watch)
            outcome.steps.append(Step(commit, mark, why))
            named = state.subject(commit)
            state.mark(mark)
            more = f"; {_ahead(state.left(), watch.longest)}" if state.candidate else ""
            say(f"{mark:<4} {named}: {why}{more}")
        if state.candidate:
            outcome.left, (outcome.known_good, outcome.known_bad) = state.left(), state.ends()
        outcome.culprits = [state.subject(one) for one in state.culprits]
    return outcome


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
        return self.budget is None or time.monotonic() - self.started + self.longest <= self.budget


def _ahead(commits: int, longest: float) -> str:
    """What is left: halving finds one of n commits in log2 n steps."""
    steps = math.ceil(math.log2(commits)) if commits > 1 else 0
    time_left = f", {count(steps, 'step')} of {seconds(longest)} or less" if steps else ""
    return f"{count(commits, 'commit')} to search{time_left}"


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
    from perfproof.app.ab import choose_form

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
