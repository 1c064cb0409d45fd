"""What if several replicas stood behind a router: the router of `perfproof route` before models of an engine.

A fleet is replicas that do everything, or two pools: some compute prompts and hand the cache of each over to others,
which make the answers. If the measured server had a prefix cache, each replica has one of its own: which beginnings of
prompts are equal is known from the workload's groups and from the turns of conversations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from perfproof.load.record import Record
from perfproof.load.step_model import StepModel
from perfproof.load.what_if import Engine, Replica, replay
from perfproof.router.job import Job
from perfproof.router.policies import POLICIES
from perfproof.router.prefixes import BLOCK_TOKENS, KnownPrefixes
from perfproof.router.router import Router, TooLate
from perfproof.router.worker import DEFAULT_BLOCKS, Worker


@dataclass(frozen=True)
class Fleet:
    replicas: int = 1
    policy: str = "round-robin"
    prefill: int = 0  # replicas beside these that compute prompts and hand them over
    handover: float = 0.0  # s per 1,000 tokens of a prompt, from one pool to the other
    first_token_limit: float | None = None  # s; requests that would miss it are refused
    blocks: int = DEFAULT_BLOCKS  # of the prefix cache of a replica

    @property
    def is_plain(self) -> bool:
        """One engine without a router, as it was measured."""
        return self.replicas == 1 and not self.prefill and self.first_token_limit is None


def simulate_fleet(
    requests: Sequence[Record], model: StepModel, engine: Engine, fleet: Fleet, speed: float = 1.0
) -> list[Record]:
    """The requests as the fleet would answer them; refused ones end as "shed"."""
    has_cache = any(one.cached_tokens for one in requests)
    replicas = [Replica(model, engine) for _ in range(fleet.prefill + fleet.replicas)]
    front = RoutedFront(fleet, replicas, has_cache)
    return replay(requests, replicas, front, engine.delay, speed)


@dataclass
class RoutedFront:
    """Tells the router what happens and when, and gives its requests to the replicas."""

    fleet: Fleet
    replicas: Sequence[Replica]
    has_cache: bool
    first: Router = field(init=False)  # where requests arrive
    second: Router | None = field(init=False)  # where answers are made, if that is elsewhere
    _places: dict[int, tuple[Worker, Job]] = field(default_factory=dict)
    _of: dict[Worker, Replica] = field(default_factory=dict)
    _caches: dict[Worker, KnownPrefixes] = field(default_factory=dict)  # what is in them; routers suppose that

    def __post_init__(self) -> None:
        workers = [Worker(str(number), KnownPrefixes(self.fleet.blocks)) for number in range(len(self.replicas))]
        self._of = dict(zip(workers, self.replicas, strict=True))
        self._caches = {worker: KnownPrefixes(self.fleet.blocks) for worker in workers}
        policy, pools = POLICIES[self.fleet.policy], (workers[: self.fleet.prefill], workers[self.fleet.prefill :])
        self.first = Router(pools[0] or pools[1], policy, self.fleet.first_token_limit)
        self.second = Router(pools[1], POLICIES["least-loaded"]) if self.fleet.prefill else None

    def arrived(self, record: Record, now: float) -> None:
        job = Job(record.prompt_tokens or 1, record.asked_output, self._names(record))
        try:
            worker = self.first.place(job, now)
        except TooLate:
            record.outcome, record.end = "shed", now
            return
        record.cached_tokens = self._caches[worker].overlap(job.names) * BLOCK_TOKENS
        self._places[record.index] = worker, job
        until = record.asked_output if self.second is None else 1
        self._of[worker].add(record, now, record.computed_prompt, until)

    def first_token(self, record: Record, now: float) -> float | None:
        worker, job = self._places[record.index]
        worker.note_first_token(job, now)
        self._caches[worker].add(job.names)
        if self.second is None or record.asked_output == 1:
            return None
        worker.end(job, now)
        return now + self.fleet.handover * (record.prompt_tokens or 1) / 1000

    def handed_over(self, record: Record, now: float) -> None:
        assert self.second is not None
        job = Job(record.prompt_tokens or 1, record.asked_output, has_started=True)
        worker = self.second.place(job, now)
        worker.note_first_token(job, now)
        self._places[record.index] = worker, job
        self._of[worker].add(record, now, 0, record.asked_output)

    def ended(self, record: Record, now: float) -> None:
        worker, job = self._places.pop(record.index)
        worker.end(job, now)
        if self.second is None:
            self._caches[worker].add(self._names(record, record.asked_output))

    def _names(self, record: Record, answer: int = 0) -> list[bytes]:
        return names_of(record, answer) if self.has_cache else []


def names_of(record: Record, answer: int = 0) -> list[bytes]:
    """Names of the blocks of a prompt and its answer: those of its group first, then those of its conversation."""
    whole = ((record.prompt_tokens or 0) + answer) // BLOCK_TOKENS
    shared = min(whole, record.begins_with // BLOCK_TOKENS)
    group = [b"group %d %d" % (record.group, at) for at in range(shared)]
    return group + [b"conversation %d %d" % (record.conversation, at) for at in range(shared, whole)]
