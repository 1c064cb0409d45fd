"""What the router knows of one worker: whether it answers, what it has to do, and how fast it has been."""

from dataclasses import dataclass, field

from perfproof.router.job import Job
from perfproof.router.prefixes import KnownPrefixes

DEFAULT_BLOCKS = 4096
REMEMBERED = 30.0  # busy seconds after which older ones count half


@dataclass(eq=False)
class Worker:
    name: str
    known: KnownPrefixes = field(default_factory=lambda: KnownPrefixes(DEFAULT_BLOCKS))
    is_up: bool = True
    jobs: set[Job] = field(default_factory=set)
    placed: int = 0
    turn: int = 0  # the number of the request that it got last
    failed: int = 0
    started_blocks: float = 0.0  # of prompts whose first token came, with `busy_seconds` in which they did
    busy_seconds: float = 0.0
    busy_since: float | None = None  # since when some prompt has been waiting

    @property
    def waiting_blocks(self) -> int:
        """Prompt blocks to compute before a new request has its turn."""
        return sum(job.new_blocks for job in self.jobs if not job.has_started)

    @property
    def held_blocks(self) -> int:
        return sum(job.blocks for job in self.jobs)

    @property
    def blocks_per_second(self) -> float | None:
        """How fast prompts got their first token while some were waiting; None before the first one did."""
        return self.started_blocks / self.busy_seconds if self.started_blocks and self.busy_seconds > 0 else None

    def begin(self, job: Job, now: float) -> None:
        job.new_blocks = max(1, job.prompt_blocks - self.known.overlap(job.names))
        job.placed_at, job.has_started = now, False
        self.known.add(job.names)
        self._note_time(now)
        self.jobs.add(job)
        self.placed += 1
        self.busy_since = now

    def note_first_token(self, job: Job, now: float) -> None:
        if job not in self.jobs or job.has_started:
            return
        self._note_time(now)
        job.has_started = True
        self.started_blocks += job.new_blocks
        self.busy_since = now if self.waiting_blocks else None
        if self.busy_seconds > REMEMBERED:
            self.started_blocks, self.busy_seconds = self.started_blocks / 2, self.busy_seconds / 2

    def end(self, job: Job, now: float) -> None:
        self._note_time(now)
        self.jobs.discard(job)
        self.busy_since = now if self.waiting_blocks else None

    def _note_time(self, now: float) -> None:
        if self.busy_since is not None:
            self.busy_seconds += now - self.busy_since
            self.busy_since = now
