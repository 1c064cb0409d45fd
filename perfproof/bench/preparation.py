"""Get processes ready to be timed: fork, load the sides, prepare and warm them; several at once where that takes long.

Nothing is timed meanwhile, so it needs no quiet machine. What comes out of it is a process whose sides are warm.
"""

import contextlib
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from perfproof.bench.job import Job, Rung
from perfproof.bench.launches import Launch, Worker
from perfproof.bench.ranks.ranks import fork_ranks
from perfproof.bench.record import ProcessRecord
from perfproof.stats.quads import BASELINE, TWIN

SIDE_FIGURES = ("call_seconds", "first_call_seconds", "setup_seconds", "held_seconds", "enqueue_seconds")
SLOW_START_SECONDS = 5.0  # until a process is ready: then a launch has one
WORTH_SECONDS = 0.3  # to get a process ready: below that the next one is not got ready beside it
MOST_AT_ONCE = 16


@dataclass
class Prepared:
    """One process of a couple, with nothing of it timed yet."""

    record: ProcessRecord
    rng: random.Random
    sides: list[str]  # in the order in which they are loaded, prepared and warmed
    stack: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    workers: dict[str, Worker] = field(default_factory=dict)
    clean: Worker | None = None  # without the variants, for the isolation test
    opened: float = 0.0  # seconds until the pair was loaded
    is_ready: bool = False

    @property
    def all_workers(self) -> list[Worker]:
        return [*unique(self.workers), *([self.clean] if self.clean else [])]

    def abandon(self) -> None:
        """End it at once, whatever it is at."""
        for worker in self.all_workers:
            worker.kill()
        self.stack.close()


def begin(
    job: Job,
    launch: Launch,
    rung: Rung,
    number: int,
    couple: int,
    slot: int,
    before: ProcessRecord | None = None,
    isolation: bool = False,
    beside: bool = False,
) -> Prepared:
    """Fork the workers of a process and tell them to load their sides; `beside` others also to get them ready."""
    sides = creation_order(job.variants, slot, number)
    if job.is_slow or (before is not None and before.is_long):
        sides.remove(TWIN)
    found = Prepared(ProcessRecord(number, couple, slot), job.rng(rung.name, number, couple, slot), sides)
    try:
        for group in [[side] for side in sides] if rung.isolated else [sides]:
            found.workers.update(dict.fromkeys(group, _begin_worker(job, launch, group, found)))
        if isolation and (before is None or before.room >= 1):
            found.clean = _begin_worker(job, launch, [BASELINE], found)
        if beside:
            for worker in found.all_workers:
                worker.tell("ready", **_readiness(job, found.rng, before))
    except BaseException:
        found.abandon()
        raise
    return found


def wait(job: Job, found: Prepared, before: ProcessRecord | None = None, beside: bool = False) -> Prepared:
    """Until all workers are ready, one after the other if no other process is beside it.

    What they read `beside` others is not kept: the first process read it alone.
    """
    if found.is_ready:
        return found
    started = time.perf_counter()
    for worker in found.all_workers:
        worker.hear("open", job.deadline)
    found.opened = time.perf_counter() - started
    for worker in found.all_workers:
        if not beside:
            worker.tell("ready", **_readiness(job, found.rng, before))
        reply = worker.hear("ready", job.deadline)
        if worker is not found.clean:
            _take_ready(reply, found.record)
    if before is not None and beside:
        for name in SIDE_FIGURES:
            usual = getattr(before, name)
            setattr(found.record, name, {side: usual[side] for side in found.sides if side in usual})
        found.record.draw_seconds = before.draw_seconds
    found.record.ready_seconds = time.perf_counter() - started
    found.is_ready = True
    return found


def at_once(job: Job, rung: Rung, first: ProcessRecord, left: int) -> int:
    """How many processes are got ready together: as many as have cores and memory, if it takes long at all.

    Two, if it takes seconds: much of that may be waiting, for a disk say.
    """
    if first.ready_seconds < WORTH_SECONDS or job.ranks > 1 or job.effort.new_interpreters:
        return 1
    cores = 2 if first.ready_seconds > SLOW_START_SECONDS else 1
    workers = len(job.variants) + 2 if rung.isolated else 2  # with the one of the isolation test
    return max(1, min(left, max(cores, len(job.cpus)), int(first.room) // workers, MOST_AT_ONCE))


def creation_order(variants: Sequence[str], slot: int, number: int) -> list[str]:
    """Who is loaded, prepared and warmed first. The slots of a couple exchange the places of baseline and variant.

    The twin stays out of that exchange, or a variant would keep the middle in both; it is last in one launch and first
    in the next.
    """
    sides = [BASELINE, *variants][::slot]
    return [TWIN, *sides] if number % 2 else [*sides, TWIN]


def open_workers(job: Job, launch: Launch, groups: list[list[str]], stack: contextlib.ExitStack) -> dict[str, Worker]:
    """Fork one worker for each group of sides; returns the worker of each side."""
    workers: dict[str, Worker] = {}
    for sides in groups:
        workers.update(dict.fromkeys(sides, open_worker(job, launch, sides, stack)))
    return workers


def open_worker(job: Job, launch: Launch, sides: list[str], stack: contextlib.ExitStack) -> Worker:
    """Fork a worker that loads these sides, in this order, in an empty folder of its own."""
    worker, opening = _fork(job, launch, sides, stack)
    worker.ask("open", job.deadline, **opening)
    return worker


def make_ready(job: Job, workers: dict[str, Worker], rng: random.Random, record: ProcessRecord) -> None:
    """Prepare and warm all sides."""
    for worker in unique(workers):
        _take_ready(worker.ask("ready", job.deadline, **_readiness(job, rng, None)), record)


def unique(workers: dict[str, Worker]) -> list[Worker]:
    return list(dict.fromkeys(workers.values()))


def _begin_worker(job: Job, launch: Launch, sides: list[str], found: Prepared) -> Worker:
    worker, opening = _fork(job, launch, sides, found.stack)
    worker.tell("open", **opening)
    return worker


def _fork(job: Job, launch: Launch, sides: list[str], stack: contextlib.ExitStack) -> tuple[Worker, dict[str, Any]]:
    scratch = stack.enter_context(tempfile.TemporaryDirectory(dir=launch.scratch, ignore_cleanup_errors=True))
    ranked = job.ranks > 1 and not launch.apart  # a launch apart forks ranks when it is told the side
    worker = stack.enter_context(cast(Worker, fork_ranks(job, launch)) if ranked else launch.fork())
    opening = dict(spec=job.spec, sides=sides, cpus=list(job.cpus), threads=job.threads, scratch=scratch)
    return worker, opening


def _readiness(job: Job, rng: random.Random, before: ProcessRecord | None) -> dict[str, Any]:
    """What sides took in a process `before` tells a long call from one that sets something up."""
    usual = job.verified_seconds if job.is_slow else {}
    return dict(
        sizes=job.sizes,
        seed=rng.getrandbits(62),
        clock=job.clock,
        sample_seconds=job.sample_seconds,
        usual=before.call_seconds if before else usual,
    )


def _take_ready(reply: dict[str, Any], record: ProcessRecord) -> None:
    for name in (*SIDE_FIGURES, "waits"):
        getattr(record, name).update(reply[name])
    record.draw_seconds = max(record.draw_seconds, reply["draw_seconds"])
    record.floor, record.pool = max(record.floor, reply["floor"]), reply["pool"]
    record.room = min(record.room, reply["room"])
