"""What if: replay recorded requests through a model of the engine, with another rate, batch, chunk or replica count.

The model is the step time (step_model.py), fitted to one measured test (step_fit.py). The results are a model's, never
a measurement: the residuals of the fit, and how well it repeats the measured test, stand beside them.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.core.errors import UnfitError
from perfproof.load.record import Record
from perfproof.load.step_model import StepModel

RUNAWAY = 5_000_000  # steps


@dataclass(frozen=True)
class Engine:
    slots: int = 256
    chunk: int = 8192
    replicas: int = 1


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
    waiting, running, now, arrived = deque[Record](), dict[int, int](), 0.0, 0  # running: prompt tokens still to do
    own = {one.index: one for one in records}
    for _ in range(RUNAWAY):
        while arrived < len(records) and records[arrived].intended <= now:
            waiting.append(records[arrived])
            arrived += 1
        while waiting and len(running) < engine.slots:
            one = waiting.popleft()
            running[one.index] = one.computed_prompt
        if not running:
            if arrived == len(records):
                return
            now = records[arrived].intended
            continue
        now = _step(running, own, model, engine, now)
    raise UnfitError(
        f"the simulation did not end within {RUNAWAY:,} steps: the rate is far above what the engine takes"
    )


def _step(running: dict[int, int], own: dict[int, Record], model: StepModel, engine: Engine, now: float) -> float:
    """One step: a token for each answer, prompt tokens while the chunk has room; the time after it."""
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
    now += model.seconds(done, len(answers), context)
    for index in (*answers, *ended_prompts):
        one = own[index]
        one.times.append(now)
        one.tokens.append(1)
        if len(one.times) >= one.asked_output:
            one.sent = one.intended
            one.first_token = one.first_answer = one.times[0]
            one.last_token = one.end = now
            one.output_tokens, one.outcome = len(one.times), "ok"
            del running[index]
    return now
