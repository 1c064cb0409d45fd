"""The isolation test: does the baseline run beside the variant as it does alone?

A clean process that never loads a variant and the mixed one run the baseline in turn, a sample at a time. A difference
means that a variant changed something the baseline uses; then every side gets a process of its own.
"""

import math
import random
import time
from collections.abc import Sequence

from perfproof.bench.job import Job
from perfproof.bench.launches import Worker
from perfproof.bench.record import ProcessRecord
from perfproof.bench.sampling import ask_samples, calls_in
from perfproof.core.documents import Check
from perfproof.core.units import percent
from perfproof.stats.isolation import Isolation, isolation_test
from perfproof.stats.quads import BASELINE, draw_orders
from perfproof.stats.units import LEAST_UNITS, Interval

NAME = "isolation"
QUADS, LEAST_QUADS = 40, 2
MOST_SECONDS, LONG_SECONDS = 0.4, 2.0  # of samples in a launch, and of a quad, where calls are long
SPENT_SECONDS, ENOUGH_QUADS = 0.8, 8  # where copies for the calls take longer than the calls
BAND = 0.005  # two processes differ a little in layout; a sabotage worth anything is larger


def clean_against_mixed(job: Job, clean: Worker, mixed: Worker, record: ProcessRecord, rng: random.Random) -> float:
    """log(t_clean / t_mixed) of the baseline in one launch: median over quads, on the few sets of the warm-up."""
    quad = 4 * max(job.sample_seconds, record.call_seconds[BASELINE])
    quads = max(LEAST_QUADS, min(QUADS, int(MOST_SECONDS / quad)))
    workers = {"A": clean, "B": mixed}
    ratios = []
    pair = [rng.choice(("AB", "BA"))]  # where a quad would take too long, one sample of each
    started = time.perf_counter()
    for index, order in enumerate(draw_orders(quads, rng) if quad < LONG_SECONDS else pair):
        if index >= ENOUGH_QUADS and time.perf_counter() - started > SPENT_SECONDS:
            break
        if index % 4 == 0:
            for kind in job.variants:  # what the variant leaves behind has to be there
                _sample(job, mixed, kind, record)
        logs = {"A": 0.0, "B": 0.0}
        for letter in order:
            logs[letter] += math.log(_sample(job, workers[letter], BASELINE, record)) * 2 / len(order)
        ratios.append(logs["A"] - logs["B"])
    return sorted(ratios)[len(ratios) // 2]


def test_isolation(job: Job, units: Sequence[float], room: float = math.inf) -> tuple[Check, Isolation]:
    """The check, and what was found: an alarm asks for processes of their own.

    `room` is how many more processes there is memory for.
    """
    found = isolation_test(units, BAND)
    if not units and room < 1:
        return Check(name=NAME, result="not-run", detail="no memory for a second process beside this one"), found
    if len(units) < LEAST_UNITS:
        why = "one launch" if job.effort.launches < LEAST_UNITS else f"{len(units)} of {LEAST_UNITS} launches"
        return Check(name=NAME, result="not-run", detail=f"{why}: --effort standard runs it"), found
    moved = f"the baseline beside the variant against alone: {100 * math.expm1(-(found.theta or 0.0)):+.2f} %"
    return Check(name=NAME, result="pass", detail=f"{moved}, moved by less than {percent(found.bound)}"), found


def moved_little(found: Isolation) -> Check:
    """No verdict turns on the shift: the intervals are widened by it."""
    return Check(name=NAME, result="pass", detail=f"{_moved(found)}; intervals are widened by {percent(found.bound)}")


def not_apart(found: Isolation) -> Check:
    detail = f"{_moved(found)}; no time to measure apart, so intervals are widened by {percent(found.bound)}"
    return Check(name=NAME, result="not-run", detail=detail)


def compare_ways(
    job: Job, found: Isolation, mixed: dict[str, Interval | None], alone: dict[str, Interval | None]
) -> Check:
    """After an alarm processes of their own are judged, unless a variant slows the baseline and profits from it.

    Other effects of one side on the other are honest: memory that one leaves to the other, a cache that one fills.
    """
    moved, apart = _moved(found), []
    for kind in job.variants:
        one, other = alone[kind], mixed[kind]
        if one is None or other is None or one.low is None or other.low is None:
            return Check(name=NAME, result="not-run", detail=f"{moved}; too few launches to measure apart")
        both = (
            f"{kind} is {math.exp(other.theta):.3f}x in a shared process and "
            f"{math.exp(one.theta):.3f}x in processes of their own"
        )
        profits = (one.high or 0.0) < other.low
        if profits and (found.theta or 0.0) < 0:
            return Check(name=NAME, result="fail", detail=f"{moved}; {both}: one side changes what the other uses")
        if profits or one.low > (other.high or 0.0):
            apart.append(both)
    said = "; ".join([moved, *apart])
    return Check(name=NAME, result="pass", detail=f"{said}; processes of their own are judged")


def _moved(found: Isolation) -> str:
    return f"the baseline takes {100 * math.expm1(-(found.theta or 0.0)):+.1f} % beside the variant"


def _sample(job: Job, worker: Worker, side: str, record: ProcessRecord) -> float:
    calls = calls_in(job.sample_seconds, record.call_seconds[side])
    return ask_samples(job, worker, [[side, calls, False]], record.primed, record.clock, warm=True)[0].seconds
