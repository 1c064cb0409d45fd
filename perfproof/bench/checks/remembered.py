"""Is anything worked out before the call that is timed? Calls on values that another process drew show it."""

import contextlib
import os
import random
import tempfile
from collections.abc import Sequence

from perfproof.bench.job import Job
from perfproof.bench.launches import Launch, Worker
from perfproof.bench.preparation import open_worker
from perfproof.bench.record import ProcessRecord
from perfproof.stats.quads import BASELINE
from perfproof.worker.drawn_elsewhere import TRIES, sets_to_draw


def look_for_memories(
    job: Job,
    launch: Launch,
    record: ProcessRecord,
    rng: random.Random,
    stack: contextlib.ExitStack,
    workers: Sequence[Worker],
) -> None:
    """Single calls on values from elsewhere, other ones each time, until nobody is suspected. The last is judged."""
    elsewhere = None
    for number in range(TRIES):
        elsewhere = elsewhere or _elsewhere(job, launch, record, stack)
        path = _draw(job, record, rng, elsewhere, stack, launch) if elsewhere else ""
        asked = dict(drawn=path, last=number == TRIES - 1)
        workers = [worker for worker in workers if worker.ask("recall", job.deadline, **asked)["again"]]
        if not workers:
            break


def _elsewhere(job: Job, launch: Launch, record: ProcessRecord, stack: contextlib.ExitStack) -> Worker | None:
    """A process that draws; none if values are too large, or belong to several ranks."""
    if job.ranks > 1 or job.cold or not _sets_elsewhere(record) or record.room < 1:
        return None
    return open_worker(job, launch, [BASELINE], stack)  # it stays: values may be names of its files


def _draw(
    job: Job,
    record: ProcessRecord,
    rng: random.Random,
    elsewhere: Worker,
    stack: contextlib.ExitStack,
    launch: Launch,
) -> str:
    """A file with values for one look."""
    handle, path = tempfile.mkstemp(dir=stack.enter_context(tempfile.TemporaryDirectory(dir=launch.scratch)))
    os.close(handle)
    asked = dict(sizes=job.sizes, seed=rng.getrandbits(62), sets=_sets_elsewhere(record), path=path)
    elsewhere.ask("draw", job.deadline, **asked)
    return path


def _sets_elsewhere(record: ProcessRecord) -> int:
    return sets_to_draw(record.pool["set_bytes"], list(record.call_seconds.values()), record.draw_seconds)
