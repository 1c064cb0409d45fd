"""Ask a worker for samples, and decide whether a device's queue is held while their calls are put into it."""

import time

from perfproof.bench.checks import clock_audit
from perfproof.bench.job import Job
from perfproof.bench.launches import Worker
from perfproof.bench.record import ProcessRecord
from perfproof.core.errors import WorkerCrashed
from perfproof.worker.row import Row

LAUNCH_BOUND = 0.9
GRAPH = "graph replay"  # as the worker calls it


def ask_samples(
    job: Job, worker: Worker, samples: list[list], primed: bool = False, clock: str | None = None, warm: bool = False
) -> list[Row]:
    """[side, calls, keep] each; the readings lie inside the time of the question, or the worker lied."""
    asked = time.perf_counter_ns()
    reply = worker.ask("run", job.deadline, samples=samples, clock=clock or job.clock, primed=primed, warm=warm)
    rows = [row if isinstance(row, Row) else Row(*row) for row in reply["rows"]]
    clock_audit.check_window(rows, [sample[1] for sample in samples], asked, time.perf_counter_ns())
    worker.repeated, worker.held_sets = reply["repeated"], reply["held_sets"]
    return rows


def calls_in(seconds: float, call_seconds: float, most: int = 10_000) -> int:
    """How many calls take about so many seconds."""
    return min(most, max(1, round(seconds / max(call_seconds, 1e-9))))


def choose_priming(record: ProcessRecord, primed: bool | None = None) -> None:
    """Hold the queue where the device is the slower one on every side; where launching is, a program pays for it."""
    held = record.held_seconds
    device_bound = bool(held) and not any(launch_bound(record, side) or record.waits.get(side) for side in held)
    record.primed = device_bound if primed is None else primed
    if record.primed:
        record.call_seconds.update(held)


def choose_clock(job: Job, workers: dict[str, Worker], record: ProcessRecord) -> None:
    """The kernel clock reads the device's records, replayed graphs where it has none, and is refused without either."""
    record.clock = job.clock
    if job.clock != "kernel":
        return
    for side, worker in workers.items():
        reply = worker.ask("kernels", job.deadline, calls={side: 2})
        if not reply["by"]:
            raise WorkerCrashed(f"the kernel clock cannot be read here: {reply['why']}")
        if reply["by"] == GRAPH:
            record.clock = "graph"


def launch_bound(record: ProcessRecord, side: str) -> bool:
    """Does the host need about as long to queue a call as the device to run it, or longer? Waiting is not queueing."""
    held = record.held_seconds.get(side)
    return held is not None and not record.waits.get(side) and record.enqueue_seconds[side] > LAUNCH_BOUND * held
