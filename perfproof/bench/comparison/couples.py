"""Measure couples of processes until the intervals are narrow enough, the launches are used up, or the budget ends."""

import contextlib
import functools
import math
import time
from dataclasses import replace

from perfproof.bench.comparison.comparison import Comparison
from perfproof.bench.comparison.progress import Notify, plan, tell
from perfproof.bench.comparison.steps import Step, steps_after, steps_of
from perfproof.bench.job import IN_TURN, PLAIN, Job, Rung
from perfproof.bench.launches import Launch, Launches
from perfproof.bench.preparation import SLOW_START_SECONDS, Prepared, at_once, begin, wait
from perfproof.bench.process import run_process
from perfproof.bench.ranks.torchrun import start_torchrun
from perfproof.core.errors import WorkerTimeout
from perfproof.stats.stopping import enough

APART_TIMES = 1.6  # allowed for a launch whose sides have processes of their own: each of them loads and warms up


def measure(job: Job, rung: Rung, launches: Launches, notify: Notify) -> Comparison:
    """Couples of processes until the width is reached, the launches are used up, or the budget ends."""
    found, started = Comparison(job, rung, alone=job.is_slow), time.monotonic()
    ready: dict[Step, Prepared] = {}
    with contextlib.ExitStack() as stack:
        stack.callback(_close, ready)
        for number in range(job.effort.most_launches):
            with _launch(launches, job, number) as launch:
                for step in steps_of(found, number):
                    if _measure_process(found, launches, launch, step, ready):
                        found.seconds = time.monotonic() - started
                    if _is_over(found, step, ready, notify):
                        return found
                    if found.alone:
                        break
    return found


def _measure_process(
    found: Comparison, launches: Launches, launch: Launch, step: Step, ready: dict[Step, Prepared]
) -> bool:
    """Measure one process, and say whether it ended in time. Others may be got ready together with it."""
    following = [step, *steps_after(found, step)]
    where = (found.job, launch, found.rung, step.number, step.couple, step.slot)
    try:
        if step not in ready:
            ready.update(_prepare(found, launches, following))
        record = run_process(
            *where,
            before=found.records[0] if found.records else None,
            isolation=step.isolation,
            sampled=functools.partial(_fork_ahead, launches, found.job, following[1:2], ready),
            prepared=ready.pop(step, None),
        )
    except WorkerTimeout:
        if not (found.alone and found.records):
            raise
        found.out_of_budget = True  # one process more did not fit: what there is counts
        return False
    found.records.append(record)
    launches.no_room = found.records[0].room < 1
    starts_slowly = found.records[0].ready_seconds > SLOW_START_SECONDS
    if len(found.records) == 1 and starts_slowly and found.job.may_have_one_process:
        found.alone = True  # there is time for one process per launch
        found.job = replace(found.job, budget_end=max(found.job.budget_end, found.job.slow_end))
    return True


def _is_over(found: Comparison, step: Step, ready: dict[Step, Prepared], notify: Notify) -> bool:
    """After a process: is no other needed, or none of use? After a couple, say how far it is."""
    if found.out_of_budget or found.failed:
        return True  # no number can be trusted if a check failed
    if not (step.ends_couple or found.alone):
        return False
    next_is_ready = any(one in ready for one in steps_after(found, step)[:1])
    if len(found.records) == found.processes_each:
        notify("measuring", None, None, line=f"{found.job.target}: {plan(found)}")
    tell(found, notify)
    return _enough(found) or _spent(found, next_is_ready)


def _prepare(found: Comparison, launches: Launches, steps: list[Step]) -> dict[Step, Prepared]:
    """Get the next processes ready, together if that takes long; none where they do it one after the other."""
    job = found.job
    if not found.records:
        return {}
    first = found.records[0]
    wanted = [step for step in steps if step.number < job.effort.launches] or steps[:2]
    count = at_once(job, found.rung, first, len(wanted))
    if count == 1:
        return {}
    begun: dict[Step, Prepared] = {}
    started = time.monotonic()
    try:
        for step in wanted[:count]:
            where = (launches.get(step.number), found.rung, step.number, step.couple, step.slot)
            begun[step] = begin(job, *where, first, step.isolation, beside=True)
        for one in begun.values():
            wait(job, one, first, beside=True)
    except BaseException:
        for one in begun.values():
            one.abandon()
        raise
    found.preparing += time.monotonic() - started
    found.prepared += len(begun)
    return begun


def _close(processes: dict[Step, Prepared]) -> None:
    for one in processes.values():
        one.stack.close()


def arrangement(job: Job, launches: Launches) -> Rung:
    """Both sides in one process; each in its own for a final run, where they cannot share an interpreter, and where
    calls take seconds, if there is memory for it: then no call is needed to show that they leave each other alone.
    """
    sides = 1 + len(job.variants)
    apart = job.effort.new_interpreters or launches.apart or (job.is_slow and job.room >= sides)
    return IN_TURN if apart else PLAIN


def _fork_ahead(launches: Launches, job: Job, following: list[Step], ready: dict[Step, Prepared]) -> None:
    for step in following:
        if step not in ready and job.ranks == 1 and not launches.no_room:  # ranks have a device each
            launches.fork_ahead(step.number)


def can_repeat(found: Comparison) -> bool:
    """Is there time for as many launches once more, with a process for each side?"""
    return time.monotonic() + APART_TIMES * found.seconds < found.job.budget_end


class _launch:
    """The warm parent of launch `number`, or an interpreter of its own that ends after its couple."""

    def __init__(self, launches: Launches, job: Job, number: int):
        self._own = job.effort.new_interpreters
        if self._own and job.ranks > 1 and not launches.apart:
            self._launch = start_torchrun(launches, job.ranks)
        else:
            self._launch = launches.new() if self._own else launches.get(number)
        if not self._own and number + 1 < job.effort.most_launches:
            launches.begin(number + 2)  # the next one starts while this one prepares

    def __enter__(self) -> Launch:
        return self._launch

    def __exit__(self, *_: object) -> None:
        if self._own:
            self._launch.close()


def _enough(found: Comparison) -> bool:
    if found.one_launch:
        return False  # a fixed number of couples
    effort = found.job.effort
    if found.answered:
        return True
    if found.launches >= effort.launches and found.seconds > effort.patience:
        return True  # more is what a larger effort is for
    return all(
        enough(
            found.units(kind),
            found.band + found.moved,
            found.job.delta,
            found.level,
            effort.launches,
            effort.most_launches,
        )
        for kind in found.job.variants
    )


def _spent(found: Comparison, next_is_ready: bool = False) -> bool:
    """Would another couple end after the budget? One that is ready takes as long as the last one took to be timed."""
    a_couple = found.couple_seconds
    if next_is_ready:
        a_couple = math.fsum(record.seconds for record in found.records[-found.processes_each :])
    found.out_of_budget = time.monotonic() + a_couple > found.job.budget_end
    return found.out_of_budget
