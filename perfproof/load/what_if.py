"""What if: replay recorded requests through a model of the engine, with another rate, batch, chunk or replica count.

The model is the step time (step_model.py), fitted to one measured test (step_fit.py), and what passes before a request
is part of a step (`matched`). The results are a model's, never a measurement: the residuals of the fit, and how well it
repeats the measured test, stand beside them.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy

from perfproof.core.errors import UnfitError
from perfproof.load.record import Record
from perfproof.load.step_model import StepModel

RUNAWAY = 5_000_000  # steps


@dataclass(frozen=True)
class Engine:
    slots: int = 256
    chunk: int = 8192
    replicas: int = 1
    ahead: bool = False  # a step is planned while the one before it runs: who arrives then waits for the one after it
    delay: float = 0.0  # s of a request outside of the engine: the network, reading it, sending its first token


def matched(requests: Sequence[Record], model: StepModel, engine: Engine) -> Engine:
    """The engine with the planning and the delay that repeat the measured first tokens best."""
    ordered = sorted((one for one in requests if one.ttft), key=lambda one: one.intended)
    measured = numpy.array([one.ttft for one in ordered])
    found = list[tuple[float, Engine]]()
    for ahead in (False, True) if ordered else ():
        planned = replace(engine, ahead=ahead, delay=0.0)
        short = float(numpy.median(measured - _first_tokens(ordered, model, planned)))
        planned = replace(planned, delay=max(0.0, short))
        errors = numpy.abs(_first_tokens(ordered, model, planned) / measured - 1)
        found.append((float(numpy.median(errors)), planned))
    return min(found, key=lambda one: one[0])[1] if found else engine


def _first_tokens(requests: Sequence[Record], model: StepModel, engine: Engine) -> numpy.ndarray:
    return numpy.array([one.ttft for one in simulate(requests, model, engine)])


def simulate(requests: Sequence[Record], model: StepModel, engine: Engine, speed: float = 1.0) -> list[Record]:
    """The same lengths at `speed` times the rate; replicas take arrivals in turn."""
    ordered = sorted(requests, key=lambda one: one.intended)
    first = ordered[0].intended if ordered else 0.0
    planned = [
        Record(
            number,
            (one.intended - first) / speed,
            prompt_tokens=one.prompt_tokens or max(1, one.asked_prompt),
            cached_tokens=one.cached_tokens,
            asked_output=max(1, one.made or one.asked_output),
        )
        for number, one in enumerate(ordered)
    ]
    for replica in range(engine.replicas):
        _run(planned[replica :: engine.replicas], model, engine)
    return planned


def _run(records: Sequence[Record], model: StepModel, engine: Engine) -> None:
    waiting, now, arrived, before = deque[Record](), 0.0, 0, list[Record]()
    running, coming = dict[int, int](), dict[int, int]()  # prompt tokens still to do; `coming` is of the step after
    own = {one.index: one for one in records}
    for _ in range(RUNAWAY):
        while arrived < len(records) and records[arrived].intended + engine.delay <= now:
            waiting.append(records[arrived])
            arrived += 1
        running, coming = running | coming, {}
        joined = coming if engine.ahead and running else running  # what runs was planned before they came
        while waiting and len(running) + len(coming) < engine.slots:
            one = waiting.popleft()
            joined[one.index] = one.computed_prompt
        if not running:
            if arrived == len(records):
                break
            now = records[arrived].intended + engine.delay
            continue
        now, before = _step(running, own, before, model, engine, now)
    else:
        raise UnfitError(
            f"the simulation did not end within {RUNAWAY:,} steps: the rate is far above what the engine takes"
        )
    for one in records:
        one.sent = one.intended
        one.first_token = one.first_answer = one.times[0]
        one.last_token = one.end = one.times[-1]
        one.output_tokens, one.outcome = len(one.times), "ok"


def _step(
    running: dict[int, int],
    own: dict[int, Record],
    before: Sequence[Record],
    model: StepModel,
    engine: Engine,
    now: float,
) -> tuple[float, list[Record]]:
    """One step: a token for each answer, prompt tokens while the chunk has room; the time after it, and who got one.

    Tokens of the step `before` are shown when the prompts of this one are on their way.
    """
    answers = [index for index, left in running.items() if left == 0]
    room, done = max(1, engine.chunk - len(answers)), 0
    ended_prompts = []
    for index, left in running.items():
        if left and room > 0:
            part = min(left, room)
            running[index], room, done = left - part, room - part, done + part
            if left == part:
                ended_prompts.append(index)
    context = sum((own[index].prompt_tokens or 0) + len(own[index].times) for index in answers)
    seconds = model.seconds(done, len(answers), context)
    for one in before:
        one.times[-1] += min(seconds, model.late * model.prompt_seconds(done))
    now += seconds
    for index in (*answers, *ended_prompts):
        one = own[index]
        one.times.append(now)
        one.tokens.append(1)
        if len(one.times) >= one.asked_output:
            del running[index]
    return now, [own[index] for index in (*answers, *ended_prompts)]
