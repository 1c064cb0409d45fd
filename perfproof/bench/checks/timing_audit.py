"""The same calls by other clocks, in the first process of a comparison: for the reader, and for the clock audit."""

import functools
from collections.abc import Callable

from perfproof.bench.checks import clock_audit
from perfproof.bench.job import Job
from perfproof.bench.launches import Worker
from perfproof.bench.record import ProcessRecord
from perfproof.bench.sampling import ask_samples, calls_in
from perfproof.core.documents import Check
from perfproof.stats.quads import BASELINE
from perfproof.worker.row import Row

RECORDED_MOST_CALLS = 500


def look_by_other_clocks(job: Job, workers: dict[str, Worker], record: ProcessRecord) -> None:
    """Latency of each side everywhere; on a GPU also calls back to back, hot caches and what the device recorded."""
    sides = (BASELINE, *job.variants)
    glanced = () if record.is_long else sides
    for side in glanced:
        record.latency[side] = _glance(job, workers[side], side, clock="latency", calls=1)
    if not job.device.startswith("cuda"):
        return
    for side in glanced:
        length = calls_in(job.sample_seconds, record.call_seconds[side])
        record.hot[side] = _glance(job, workers[side], side, clock="call", calls=length, hot=True)
        if job.clock == "latency":
            record.back_to_back[side] = _glance(job, workers[side], side, clock="call", calls=length)
    for worker in dict.fromkeys(workers[side] for side in sides):
        own = [side for side in sides if workers[side] is worker]
        # As many as between the events: calls that copy on another stream run into each other, one alone does not.
        calls = {side: calls_in(clock_audit.SECONDS, record.call_seconds[side], RECORDED_MOST_CALLS) for side in own}
        reply = worker.ask("kernels", job.deadline, calls=calls)
        record.kernel_by, record.kernel_why = reply["by"], reply["why"]
        record.kernels.update(reply["sides"])
        record.resources += [one for of_side in reply.get("resources", {}).values() for one in of_side]


def audit_clocks(job: Job, workers: dict[str, Worker], record: ProcessRecord) -> Check:
    """Long samples of each side and nothing else, held against the run's clock and the device's records.

    Several ranks have to be woken and to meet first: their samples are longer, so that it weighs as little.
    """
    seconds = clock_audit.SECONDS if job.ranks == 1 else 2 * job.ranks * clock_audit.SECONDS
    clock = "call" if job.clock == "kernel" else job.clock  # the run's clock knows nothing of a device's records
    problems, rulers, late = [], {}, ""
    for side in (BASELINE, *job.variants):
        worker, calls = workers[side], calls_in(seconds, record.call_seconds[side])

        def lay_out(calls: int, worker=worker) -> None:
            worker.ask("lay_out", job.deadline, calls=calls)

        def row(clock: str, calls: int, side=side, worker=worker) -> Row:
            return ask_samples(job, worker, [[side, calls, False]], clock=clock, warm=True)[0]

        def claimed(row=row, calls=calls) -> float:
            return row(clock, calls).seconds * calls

        try:
            problems.append(clock_audit.hidden_problem(side, lay_out, claimed, calls))
        except clock_audit.Late as error:
            late = str(error)
        if job.device.startswith("cuda"):
            problem, rulers[side] = _device_problem(job, worker, record, side, calls, functools.partial(row, "call"))
            if problem and job.shared:  # their turns on the device move its clocks apart
                late = f"others compute on {job.device}: its clocks cannot be held against each other"
            else:
                problems.append(problem)
    return clock_audit.conclude(problems, rulers, record.kernel_by, record.kernel_why, late)


def _device_problem(
    job: Job, worker: Worker, record: ProcessRecord, side: str, calls: int, row: Callable[[int], Row]
) -> tuple[str, clock_audit.Rulers]:
    """What the device's clocks disagree about in every try. `row(calls)` is one unheld sample.

    Each try has twice as many calls: escaped work grows with them, a device that begins late for others does not.
    """
    samples = 1 if record.is_long else clock_audit.SAMPLES
    for factor in clock_audit.DEVICE_TRIES:
        kernels = record.kernels.get(side) or {}
        sample = functools.partial(row, factor * calls)
        judged = record.call_seconds[side]
        rulers = clock_audit.rulers_of(sample, factor * calls, judged, kernels, samples, held=record.primed)
        problem = clock_audit.device_problem(side, rulers, factor * clock_audit.SECONDS)
        if not problem or factor == clock_audit.DEVICE_TRIES[-1]:
            break
        recorded = calls_in(clock_audit.SECONDS, record.call_seconds[side], RECORDED_MOST_CALLS)
        record.kernels.update(worker.ask("kernels", job.deadline, calls={side: recorded})["sides"])
    return problem, rulers


def _glance(job: Job, worker: Worker, side: str, *, clock: str, calls: int, hot: bool = False) -> float:
    return worker.ask("glance", job.deadline, side=side, clock=clock, calls=calls, hot=hot)["seconds"]
