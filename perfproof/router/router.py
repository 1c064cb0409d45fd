"""Place requests on workers, follow them, and refuse those that would miss the limit for their first token.

It has no clock and no connections: the caller tells it the time and what happened. The same object therefore stands
behind the HTTP front and behind the pairs of chapter 17.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from perfproof.router.job import Job
from perfproof.router.policies import Policy
from perfproof.router.worker import Worker


class TooLate(Exception):
    """No worker would give the first token in time; `seconds` is how much too late the best one would be."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the first token would come {seconds:.3g} s too late")
        self.seconds = seconds


class NoWorker(Exception):
    """No worker answers, or all have been tried."""


@dataclass
class Router:
    workers: list[Worker]
    policy: Policy
    first_token_limit: float | None = None  # seconds; None: nothing is refused
    counts: Counter[str] = field(default_factory=Counter)

    def place(self, job: Job, now: float, tried: Collection[Worker] = ()) -> Worker:
        """Raises NoWorker or TooLate. A request that was tried elsewhere has been accepted and is not refused."""
        candidates = [worker for worker in self.workers if worker.is_up and worker not in tried]
        if not candidates:
            raise NoWorker
        if self.first_token_limit is not None and not tried:
            waits = {worker: predicted_wait(worker, job) for worker in candidates}
            in_time = [worker for worker in candidates if waits[worker] <= self.first_token_limit]
            if not in_time:
                self.counts["rejected"] += 1
                raise TooLate(min(waits.values()) - self.first_token_limit)
            candidates = in_time
        chosen = self.policy(candidates, job)
        chosen.begin(job, now)
        self.counts["placed"] += 1
        chosen.turn = self.counts["placed"]
        return chosen


def predicted_wait(worker: Worker, job: Job) -> float:
    """Seconds to the first token: blocks to compute over the measured rate.

    An idle worker is predicted to be in time whatever was measured. Without that, one slow answer could close the
    router for good: nothing would be accepted, so nothing new would be measured.
    """
    if not worker.jobs or worker.blocks_per_second is None:
        return 0.0
    new = max(1, job.prompt_blocks - worker.known.overlap(job.names))
    return (worker.waiting_blocks + new) / worker.blocks_per_second
