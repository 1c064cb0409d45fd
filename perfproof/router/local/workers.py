"""Engine workers as processes of this machine, with pipes instead of HTTP: for pairs about routing.

Each worker has a CPU engine with one thread. A call gives all its requests to a `Router`, which places them, and
returns the answers. Requests of different calls have different salts, so no call finds the cache of an earlier one.

With two pools, one worker computes prompts and hands their blocks to the other, which computes the answers.
"""

import itertools
import multiprocessing
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from typing import Any

import torch

from perfproof.core.parent_death import end_with_parent
from perfproof.engine.engine import Engine, Settings
from perfproof.engine.request import Request, Sampling
from perfproof.router.job import job_of_tokens
from perfproof.router.local.handoff import Handed, hand_over, take_over
from perfproof.router.local.model import small_model, small_weights
from perfproof.router.policies import POLICIES
from perfproof.router.prefixes import KnownPrefixes
from perfproof.router.router import Router, TooLate
from perfproof.router.worker import Worker


@dataclass
class Wanted:
    prompt: list[int]
    answer: int  # tokens


@dataclass
class Outcome:
    tokens: list[int] = field(default_factory=list)
    first: float = 0.0  # seconds after the call began, of the first token
    end: float = 0.0


class LocalWorkers:
    """Started with the object; they end with this process, or with `stop`."""

    def __init__(self, count: int, settings: Settings) -> None:
        fork = multiprocessing.get_context("fork")  # importing torch again would take seconds per worker
        self.settings = settings
        self.links, self.processes = [], []
        to_first, to_second = fork.Pipe()
        for number in range(count):
            mine, theirs = fork.Pipe()
            between = (to_first, to_second)[number] if count == 2 else None
            process = fork.Process(target=_work, args=(theirs, between, settings, os.getpid()), daemon=True)
            process.start()
            theirs.close()
            self.links.append(mine)
            self.processes.append(process)
        to_first.close()
        to_second.close()
        self.calls = itertools.count(os.getpid() << 32)
        for link in self.links:
            link.recv()  # it is ready

    def router(self, policy: str, first_token_limit: float | None = None) -> Router:
        """A new one: it knows nothing of earlier calls, as the salted requests share nothing with them."""
        workers = [Worker(str(number), KnownPrefixes(self.settings.blocks)) for number in range(len(self.links))]
        return Router(workers, POLICIES[policy], first_token_limit)

    def answer(self, wanted: Sequence[Wanted], router: Router) -> list[Outcome]:
        """All at once, and all are answered: the router must have no limit."""
        return [one for one in self.answer_once(wanted, router) if one is not None]

    def answer_once(self, wanted: Sequence[Wanted], router: Router) -> list[Outcome | None]:
        """All at once; None for a request that the router refused."""
        call = _Call(self, wanted, router)
        placed = [call.place(number) for number in range(len(wanted))]
        call.collect(sum(placed))
        return [outcome if was else None for outcome, was in zip(call.outcomes, placed, strict=True)]

    def answer_in_pools(self, wanted: Sequence[Wanted]) -> list[Outcome]:
        """The first of two workers computes all prompts and hands them over; the second computes all answers."""
        call = _PooledCall(self, wanted, self.router("round-robin"))
        for number in range(len(wanted)):
            call.place(number)
        call.collect(len(wanted))
        return call.outcomes

    def stop(self) -> None:
        for link in self.links:
            with suppress(OSError):
                link.send(None)
        for process in self.processes:
            process.join(5)
            if process.is_alive():
                process.kill()


class _Call:
    def __init__(self, workers: LocalWorkers, wanted: Sequence[Wanted], router: Router) -> None:
        self.workers, self.wanted, self.router = workers, wanted, router
        self.salt = str(next(workers.calls)).encode()
        self.jobs = [job_of_tokens(one.prompt, one.answer) for one in wanted]
        self.outcomes = [Outcome() for _ in wanted]
        self.places: dict[int, Worker] = {}
        self.started = time.monotonic()

    def collect(self, left: int) -> None:
        while left:
            for link in wait(self.workers.links):
                assert isinstance(link, Connection)
                for number, tokens, finish in link.recv():
                    left -= self.note(number, tokens, finish)

    def place(self, number: int) -> bool:
        try:
            worker = self.router.place(self.jobs[number], self._now())
        except TooLate:
            return False
        self.places[number] = worker
        self.send(worker, "add", number, self.wanted[number].answer)
        return True

    def note(self, number: int, tokens: list[int], finish: str | None) -> bool:
        """True if this was the end of a request."""
        job, outcome, now = self.jobs[number], self.outcomes[number], self._now()
        outcome.first = outcome.first or now
        outcome.tokens += tokens
        self.places[number].note_first_token(job, now)
        if finish is None:
            return False
        outcome.end = now
        self.places[number].end(job, now)
        return True

    def send(self, worker: Worker, what: str, number: int, answer: int) -> None:
        link = self.workers.links[self.router.workers.index(worker)]
        link.send((what, number, self.wanted[number].prompt, answer, self.salt))

    def _now(self) -> float:
        return time.monotonic() - self.started


class _PooledCall(_Call):
    def place(self, number: int) -> bool:
        self.places[number] = self.router.workers[0]
        self.send(self.router.workers[0], "hand over", number, 1)
        return True

    def note(self, number: int, tokens: list[int], finish: str | None) -> bool:
        if self.places[number] is self.router.workers[0]:  # its blocks are on their way to the second worker
            self.places[number] = self.router.workers[1]
            self.send(self.router.workers[1], "take over", number, self.wanted[number].answer)
            return False
        return super().note(number, tokens, finish)


def _work(link: Connection, between: Any, settings: Settings, parent: int) -> None:
    """The process of a worker, until `None` comes or the parent has gone."""
    end_with_parent()
    if os.getppid() != parent:
        return
    torch.set_default_device("cpu")
    torch.set_num_threads(1)  # a forked process must not enter a parallel region
    engine = Engine(small_model(), small_weights(), settings)
    link.send("ready")
    while _take_all(link, between, engine):
        said, handed = [], []
        for progress in engine.step():
            request = progress.request
            if request.finish is not None and request.id.startswith("hand over"):
                handed.append(hand_over(engine, request.prompt, request.salt))
            said.append((int(request.id.rpartition(" ")[2]), progress.tokens, request.finish))
        if said:
            link.send(said)
        for one in handed:  # after `said`: the other worker reads only when it has been told
            between.send(one)


def _take_all(link: Connection, between: Any, engine: Engine) -> bool:
    """False if the worker has to end. It waits if there is nothing to compute."""
    while not engine.is_busy or link.poll():
        try:
            message = link.recv()
        except EOFError:
            return False
        if message is None:
            return False
        what, number, prompt, answer, salt = message
        if what == "take over":
            handed: Handed = between.recv()
            take_over(engine, handed)
        sampling = Sampling(temperature=0, max_tokens=answer, ignore_eos=True)
        engine.add(Request(f"{what} {salt.hex()} {number}", prompt, sampling, salt=salt))  # an id is never used again
    return True
