"""The isolation test: does the baseline run beside the variant as it does alone?

A clean process that never loads a variant and a mixed one run the baseline in turn, a sample at a time. A difference
means that a variant changed something the baseline uses; then every side gets a process of its own.
"""

import contextlib
import math
import time
from statistics import median

from perfproof.bench.comparison import Comparison, Notify, measure
from perfproof.bench.job import IN_TURN, PLAIN, Job
from perfproof.bench.launches import Launch, Launches, Worker
from perfproof.bench.process import creation_order, make_ready, open_workers
from perfproof.bench.process_record import ProcessRecord
from perfproof.bench.sampling import ask_samples, choose_clock, choose_priming
from perfproof.core.documents import Check
from perfproof.stats.isolation import isolation_test
from perfproof.stats.quads import BASELINE, draw_orders

NAME = "isolation"
LAUNCHES = 5
QUADS, LEAST_QUADS = 40, 10
MOST_SECONDS = 0.6  # of samples in a launch, where calls are long
POOL_SECONDS = 0.02  # both processes rotate over the same few sets
BAND = 0.005  # two processes differ a little in layout; a sabotage worth anything is larger


def test_isolation(job: Job, launches: Launches, mixed: Comparison, notify: Notify) -> tuple[Check, Comparison | None]:
    """The check, and the comparison in processes of their own where the test alarmed."""
    if mixed.rung.isolated:
        return Check(name=NAME, result="pass", detail="every side ran in a process of its own"), None
    if mixed.one_launch or mixed.launches < LAUNCHES:
        return Check(name=NAME, result="not-run", detail=f"needs {LAUNCHES} launches: --effort standard"), None
    units, started = [], time.monotonic()
    for number in range(LAUNCHES):
        notify(f"isolation: {number + 1} of {LAUNCHES}", number / LAUNCHES, None)
        a_launch = (time.monotonic() - started) / number if number else mixed.seconds / mixed.launches
        if time.monotonic() + (LAUNCHES - number) * a_launch > job.deadline:
            return Check(name=NAME, result="not-run", detail="no time was left for it: --timeout gives it longer"), None
        units.append(_clean_against_mixed(job, launches.get(number), number))
    found = isolation_test(units, BAND)
    if not found.alarm:
        detail = f"the baseline alone and beside the variant: {100 * math.expm1(found.theta or 0.0):+.2f} %"
        return Check(name=NAME, result="pass", detail=detail), None
    return _in_turn(job, launches, mixed, found.theta or 0.0, notify)


def _in_turn(job: Job, launches: Launches, mixed: Comparison, theta: float, notify: Notify) -> tuple[Check, Comparison]:
    """The alarm's consequence: measure isolated; the claim stands only if both ways agree."""
    isolated = measure(job, IN_TURN, launches, notify)
    moved = f"the baseline takes {100 * math.expm1(-theta):+.1f} % beside the variant"
    for kind in job.variants:
        alone, beside = isolated.interval(kind), mixed.interval(kind)
        if alone is None or beside is None or alone.low is None or beside.low is None:
            return Check(name=NAME, result="not-run", detail=f"{moved}; too few launches to measure apart"), isolated
        if alone.low > beside.high or alone.high < beside.low:  # type: ignore[operator]
            detail = (
                f"{moved}; {kind} is {math.exp(beside.theta):.3f}x in a shared process and "
                f"{math.exp(alone.theta):.3f}x in processes of their own: one side changes what the other uses"
            )
            return Check(name=NAME, result="fail", detail=detail), isolated
    return Check(name=NAME, result="pass", detail=f"{moved}; measured in processes of their own instead"), isolated


def _clean_against_mixed(job: Job, launch: Launch, number: int) -> float:
    """log(t_clean / t_mixed) of the baseline in one launch."""
    rng = job.rng(NAME, number)
    mixed_sides = creation_order(job.variants, 1 if number % 2 else -1, number)
    with contextlib.ExitStack() as stack:
        groups = [[BASELINE], mixed_sides] if number % 2 else [mixed_sides, [BASELINE]]
        workers = [open_workers(job, launch, [group], stack)[BASELINE] for group in groups]
        clean, mixed = workers if number % 2 else workers[::-1]
        record = ProcessRecord(number, 0, 1)
        for worker in workers:
            make_ready(job, PLAIN, {BASELINE: worker}, job.rng(NAME, number, "values"), record, POOL_SECONDS)
        choose_priming(record)
        choose_clock(job, {BASELINE: clean}, record)
        calls = max(1, round(job.sample_seconds(PLAIN) / record.call_seconds[BASELINE]))
        ratios = []
        for index, order in enumerate(draw_orders(_quads(job, record), rng)):
            if index % 4 == 0:
                for kind in job.variants:  # what the variant leaves behind has to be there
                    count = max(1, round(job.sample_seconds(PLAIN) / record.call_seconds[kind]))
                    _sample(job, mixed, kind, count, record)
            ratios.append(_one_quad(job, {"A": clean, "B": mixed}, order, calls, record))
    return median(ratios)


def _quads(job: Job, record: ProcessRecord) -> int:
    quad = 4 * max(job.sample_seconds(PLAIN), record.call_seconds[BASELINE])
    return max(LEAST_QUADS, min(QUADS, int(MOST_SECONDS / quad)))


def _one_quad(job: Job, workers: dict, order: str, calls: int, record: ProcessRecord) -> float:
    logs = {"A": 0.0, "B": 0.0}
    for letter in order:
        logs[letter] += math.log(_sample(job, workers[letter], BASELINE, calls, record)) / 2
    return logs["A"] - logs["B"]


def _sample(job: Job, worker: Worker, side: str, calls: int, record: ProcessRecord) -> float:
    renew = job.sample_seconds(PLAIN)
    return ask_samples(job, worker, [[side, calls, 0, False]], renew, record.primed, record.clock)[0][2]
