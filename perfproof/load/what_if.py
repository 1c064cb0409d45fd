"""What if: replay recorded requests through a model of the engine, with another rate, batch or chunk.

The model is the step time (step_model.py), fitted to one measured test (step_fit.py), and what passes before a request
is part of a step (`matched`). The results are a model's, never a measurement: the residuals of the fit, and how well it
repeats the measured test, stand beside them. Several replicas behind a router are in perfproof/router/what_if.py.
"""

import heapq
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal, Protocol

import numpy

from perfproof.core.errors import UnfitError
from perfproof.load.record import Record
from perfproof.load.step_model import StepModel

RUNAWAY = 5_000_000  # steps
LEAST_SOON = 30  # requests
PARTS = 4  # of the answers, from those whose tokens came fast to those whose tokens came slowly


@dataclass(frozen=True)
class Engine:
    slots: int = 256
    chunk: int = 8192
    ahead: bool = False  # a step is planned while the one before it runs: who arrives then waits for the one after it
    delay: float = 0.0  # s of a request outside of the engine: the network, reading it, sending its first token


class Front(Protocol):
    """What stands before the engines and decides which of them gets a request."""

    def arrived(self, record: Record, now: float) -> None: ...

    def handed_over(self, record: Record, now: float) -> None: ...

    def first_token(self, record: Record, now: float) -> float | None:
        """When its cache is at the engine that goes on with it; None if it stays."""

    def ended(self, record: Record, now: float) -> None: ...


@dataclass
class Replica:
    """One engine: what it runs, what waits for it, and when its next step begins."""

    model: StepModel
    engine: Engine
    now: float = 0.0
    waiting: deque[tuple[Record, int, int]] = field(default_factory=deque)
    running: dict[int, int] = field(default_factory=dict)  # prompt tokens still to do
    coming: dict[int, int] = field(default_factory=dict)  # of the step after the next
    records: dict[int, tuple[Record, int]] = field(default_factory=dict)  # with the tokens it makes of each
    before: list[tuple[Record, int]] = field(default_factory=list)  # tokens of the step before, by their places

    @property
    def begins(self) -> float:
        """When its next step begins: never, if it has nothing to do."""
        return self.now if self.running or self.waiting else math.inf

    def add(self, record: Record, now: float, prompt: int, until: int) -> None:
        """`prompt` tokens are to be computed; it ends when the answer has `until` tokens."""
        if self.begins == math.inf:
            self.now, self.before = max(self.now, now), []  # without a step to launch, tokens are shown at once
        self.waiting.append((record, prompt, until))

    def step(self) -> list[Record]:
        """A token for each answer, prompt tokens while the chunk has room; returns the requests that got a token.

        Tokens of the step before are shown when the prompts of this one are on their way.
        """
        running = self._join()
        answers = [index for index, left in running.items() if left == 0]
        ended_prompts, done = self._compute_prompts(running, max(1, self.engine.chunk - len(answers)))
        own = [self.records[index][0] for index in answers]
        context = sum((one.prompt_tokens or 0) + len(one.times) for one in own)
        seconds = self.model.seconds(done, len(answers), context)
        for one, place in self.before:
            one.times[place] += min(seconds, self.model.late * self.model.prompt_seconds(done))
        self.now += seconds
        self.before, got = [], []
        for index in (*answers, *ended_prompts):
            one, until = self.records[index]
            one.times.append(self.now)
            one.tokens.append(1)
            got.append(one)
            self.before.append((one, len(one.times) - 1))
            if len(one.times) >= until:
                del running[index], self.records[index]
        self.running, self.coming = running | self.coming, {}
        return got

    def _join(self) -> dict[int, int]:
        running = self.running
        joined = self.coming if self.engine.ahead and running else running  # what runs was planned before they came
        while self.waiting and len(running) + len(self.coming) < self.engine.slots:
            one, prompt, until = self.waiting.popleft()
            joined[one.index], self.records[one.index] = prompt, (one, until)
        return running

    def _compute_prompts(self, running: dict[int, int], room: int) -> tuple[list[int], int]:
        done, ended = 0, []
        for index, left in running.items():
            if left and room > 0:
                part = min(left, room)
                running[index], room, done = left - part, room - part, done + part
                if left == part:
                    ended.append(index)
        return ended, done


@dataclass
class OneEngine:
    """The front of an engine that is alone."""

    replica: Replica

    def arrived(self, record: Record, now: float) -> None:
        self.replica.add(record, now, record.computed_prompt, record.asked_output)

    def handed_over(self, record: Record, now: float) -> None: ...

    def first_token(self, record: Record, now: float) -> float | None:
        return None

    def ended(self, record: Record, now: float) -> None: ...


def matched(requests: Sequence[Record], model: StepModel, engine: Engine) -> Engine:
    """The engine with the planning and the delay that repeat the measured first tokens best.

    The delay is that of the requests that the model lets wait least before their prompts: what others wait in a queue
    depends on small errors of every step before them.
    """
    ordered = sorted((one for one in requests if one.ttft), key=lambda one: one.intended)
    measured = numpy.array([one.ttft for one in ordered])
    found = list[tuple[float, Engine]]()
    for ahead in (False, True) if ordered else ():
        planned = replace(engine, ahead=ahead, delay=0.0)
        said = _first_tokens(ordered, model, planned)
        waits = said - [model.prompt_seconds(one.computed_prompt) for one in ordered]
        soonest = numpy.argsort(waits)[: max(LEAST_SOON, len(ordered) // 10)]
        planned = replace(planned, delay=max(0.0, float(numpy.median((measured - said)[soonest]))))
        errors = numpy.abs(_first_tokens(ordered, model, planned) / measured - 1)
        found.append((float(numpy.median(errors)), planned))
    return min(found, key=lambda one: one[0])[1] if found else engine


def sum_error(requests: Sequence[Record], model: StepModel, engine: Engine) -> float:
    """How far the time between first and last tokens is off for many answers together, where it is off most.

    Single steps are off by more, and average out. Those that no token shows, as when a client was held up, are in here.
    Answers are taken in parts by how long a token took in the model: a load is made of steps of one kind.
    """
    ordered = sorted((one for one in requests if one.tpot), key=lambda one: one.intended)
    pairs = [(one, said) for one, said in zip(ordered, simulate(ordered, model, engine), strict=True) if said.tpot]
    pairs.sort(key=lambda pair: pair[1].tpot or 0.0)
    sums = [
        [sum(one.times[-1] - one.times[0] for one in side) for side in zip(*part, strict=True)]
        for part in (pairs[len(pairs) * at // PARTS : len(pairs) * (at + 1) // PARTS] for at in range(PARTS))
        if part
    ]
    return max((abs(measured / said - 1) for measured, said in sums), default=0.0)


def _first_tokens(requests: Sequence[Record], model: StepModel, engine: Engine) -> numpy.ndarray:
    return numpy.array([one.ttft for one in simulate(requests, model, engine)])


def simulate(requests: Sequence[Record], model: StepModel, engine: Engine, speed: float = 1.0) -> list[Record]:
    """The same lengths at `speed` times the rate, on one engine."""
    replica = Replica(model, engine)
    return replay(requests, [replica], OneEngine(replica), engine.delay, speed)


Happening = Literal["arrived", "handed_over", "first_token", "ended"]


def replay(
    requests: Sequence[Record], replicas: Sequence[Replica], front: Front, delay: float, speed: float
) -> list[Record]:
    """The requests that were sent, in their order. A later turn of a conversation follows the answer before it."""
    planned, following = _plan(requests, speed)
    numbers, happening, sent = count(), list[tuple[float, int, Happening, Record]](), list[Record]()

    def tell(at: float, what: Happening, record: Record) -> None:
        heapq.heappush(happening, (at, next(numbers), what, record))

    for one in planned:
        tell(one.intended + delay, "arrived", one)
    for _ in range(RUNAWAY):
        replica = min(replicas, key=lambda one: one.begins)
        if happening and happening[0][0] <= replica.begins:
            now, _, what, record = heapq.heappop(happening)
            sent += [record] if what == "arrived" else []
            there = getattr(front, what)(record, now)
            if there is not None:
                tell(there, "handed_over", record)
            if what == "ended" and record.index in following:
                after, think = following[record.index]
                after.intended = now + think
                tell(after.intended + delay, "arrived", after)
        elif replica.begins < math.inf:
            for record in replica.step():
                if len(record.times) == 1:
                    tell(replica.now, "first_token", record)
                if len(record.times) >= record.asked_output:
                    tell(replica.now, "ended", record)
        else:
            break
    else:
        raise UnfitError(
            f"the simulation did not end within {RUNAWAY:,} steps: the rate is far above what the engine takes"
        )
    return [_complete(one) for one in sorted(sent, key=lambda one: one.index)]


def _plan(requests: Sequence[Record], speed: float) -> tuple[list[Record], dict[int, tuple[Record, float]]]:
    """Requests that arrive by the clock, and those that follow another one, with how long the user thinks."""
    ordered = sorted(requests, key=lambda one: one.intended)
    first = ordered[0].intended if ordered else 0.0
    conversations = list[int]()
    seen, planned, following = dict[tuple[int, int], int](), list[Record](), dict[int, tuple[Record, float]]()
    for number, one in enumerate(ordered):
        again = Record(
            number,
            (one.intended - first) / speed,
            prompt_tokens=one.prompt_tokens or max(1, one.asked_prompt),
            cached_tokens=one.cached_tokens,
            asked_output=max(1, one.made or one.asked_output),
            begins_with=one.begins_with,
            group=one.group,
            conversation=number,  # steps of a search count from 0 again
            turn=one.turn,
        )
        before = seen.get((one.conversation, one.turn - 1)) if one.turn else None
        if before is None or before in following:
            planned.append(again)
        else:
            again.conversation = conversations[before]
            following[before] = again, max(0.0, one.intended - (ordered[before].end or 0.0))
        seen[one.conversation, one.turn] = number
        conversations.append(again.conversation)
    return planned, following


def _complete(one: Record) -> Record:
    one.sent = one.intended
    if len(one.times) == one.asked_output:
        one.first_token = one.first_answer = one.times[0]
        one.last_token = one.end = one.times[-1]
        one.output_tokens, one.outcome = len(one.times), "ok"
    return one
