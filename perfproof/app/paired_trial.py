"""Paired runs of one side of a target at two revisions, made and saved as `perfproof ab --rev A --rev worktree`."""

import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from perfproof.app.news import News
from perfproof.core.errors import PerfproofError
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.core.verification import Trial, short_revision
from perfproof.machine.worktrees import AS_THEY_ARE
from perfproof.pairs.pair import Pair

LEAST_SECONDS = 5.0  # a paired run that has less is not begun
MOST_SECONDS = 1200.0  # 20 launches of two new interpreters each: minutes on a busy machine


@dataclass
class PairedRuns:
    """Paired runs of flagged targets; each side of a target has one."""

    options: RunOptions
    facts: Facts
    machine: dict[str, Any]
    news: News
    end: float  # of time.monotonic(): the budget
    shared: bool = False  # others may compute on the GPU
    rows: int = 1  # of the whole verification: what Holm's correction counts
    done: dict[tuple[str, str, str], Trial] = field(default_factory=dict)

    def try_side(self, pair: Pair, side: str, earlier: str) -> Trial:
        """The side at the earlier revision against the files as they are."""
        key = (pair.name, side, earlier)
        if key not in self.done:
            self.done[key] = self._try(pair, side, earlier)
        return self.done[key]

    def _try(self, pair: Pair, side: str, earlier: str) -> Trial:
        left = self.end - time.monotonic()
        if left < LEAST_SECONDS:
            return Trial(side=side, earlier=earlier, verdict="not-run", note="the budget is spent: raise --budget")
        try:
            return self._measure(pair, side, earlier, None if left == float("inf") else left)
        except PerfproofError as error:
            return Trial(side=side, earlier=earlier, verdict="not-run", note=" ".join(str(error).split()))

    def _measure(self, pair: Pair, side: str, earlier: str, budget: float | None) -> Trial:
        from perfproof.app.ab.asked import Asked
        from perfproof.app.ab.form import choose_form
        from perfproof.app.session import begin_run, save_each
        from perfproof.history.outcomes import answered, read_trial

        label = f"{side} at {short_revision(earlier)}"
        asked = Asked((str(pair.path),), revisions=(earlier, AS_THEY_ARE), variant=side, label_a=label, label_b="now")
        timeout = max(self.options.timeout, MOST_SECONDS)
        options = replace(self.options, targets=asked.targets, effort="final", budget=budget, timeout=timeout)
        with ExitStack() as stack:
            enough = partial(answered, rows=self.rows, delta=options.delta) if pair.claim == "time" else None
            chosen = choose_form(asked, options, self.facts, stack, enough)
            saved = {**asdict(options), "ab": asdict(asked)}
            self.news.total += 1
            run, folder = begin_run([*chosen.names], f"verify-{pair.name}", saved, self.machine)
            if save_each(run, folder, chosen.measure(run.seed, self.news.notify), self.news):
                raise KeyboardInterrupt
        return read_trial(side, earlier, run.run, run.targets[0])
