"""Where a request goes. Each policy takes the workers that answer and the request, and returns one of them.

round-robin   the worker whose last turn is longest ago: equal counts, whatever the requests cost
least-loaded  the worker with the fewest blocks: prompts that wait, and cache that running requests hold
kv-aware      the same sum, without the blocks of this prompt that the worker has in its cache already
"""

from collections.abc import Callable, Sequence

from perfproof.router.job import Job
from perfproof.router.worker import Worker

Policy = Callable[[Sequence[Worker], Job], Worker]


def round_robin(workers: Sequence[Worker], job: Job) -> Worker:
    return min(workers, key=lambda worker: worker.turn)


def least_loaded(workers: Sequence[Worker], job: Job) -> Worker:
    return min(workers, key=lambda worker: (worker.waiting_blocks + worker.held_blocks, worker.turn))


def kv_aware(workers: Sequence[Worker], job: Job) -> Worker:
    def blocks(worker: Worker) -> tuple[int, int]:
        new = job.prompt_blocks - worker.known.overlap(job.names)
        return worker.waiting_blocks + worker.held_blocks + new, worker.turn

    return min(workers, key=blocks)


POLICIES: dict[str, Policy] = {"round-robin": round_robin, "least-loaded": least_loaded, "kv-aware": kv_aware}
