"""What if: replay recorded requests through a model of the engine, with another rate, batch, chunk or replica count.

The model is the step time (step_model.py), fitted to the gaps between tokens of one measured test. Each gap is about
one step, in which so many answers were in the batch, with so much context, and so many prompt tokens were processed.
The results are a model's, never a measurement: the residuals of the fit, and how well it repeats the measured test,
stand beside them.
"""

import bisect
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy

from perfproof.core.errors import UnfitError
from perfproof.load.record import Record
from perfproof.load.step_model import StepModel

LEAST_GAPS = 200
MOST_GAPS = 4000  # that are fitted; a sample of more
RUNAWAY = 5_000_000  # steps


@dataclass(frozen=True)
class Fit:
    model: StepModel
    gaps: int
    median_error: float  # of a gap's time, as a share
    p90_error: float


@dataclass(frozen=True)
class Engine:
    slots: int = 256
    chunk: int = 8192
    replicas: int = 1


def fit_steps(records: Sequence[Record]) -> Fit:
    """Non-negative least squares, weighted by 1 / time so that errors are relative."""
    good = [one for one in records if one.outcome == "ok" and len(one.times) > 1]
    gaps, features = _gaps(good)
    if len(gaps) < LEAST_GAPS:
        raise UnfitError(
            f"{len(gaps)} gaps between tokens are too few for a model, {LEAST_GAPS} are needed: test longer, or at "
            "several rates (--arrivals steps --rate 2,4,8)"
        )
    from scipy.optimize import nnls

    weights = 1 / gaps
    scales = numpy.maximum(features.max(axis=0), 1e-12)
    solution, _ = nnls(features / scales * weights[:, None], gaps * weights)
    base, prefill, sequence, context = (float(value) for value in solution / scales)
    errors = numpy.abs(features @ (solution / scales) / gaps - 1)
    model = StepModel(base, prefill, sequence, context)
    return Fit(model, len(gaps), float(numpy.median(errors)), float(numpy.quantile(errors, 0.9)))


def _gaps(records: Sequence[Record]) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Times between tokens, and for each: 1, prompt tokens in it, answers in the batch, their context."""
    firsts = sorted((one.times[0], one.prompt_tokens or one.asked_prompt) for one in records)
    starts = [time for time, _ in firsts]
    prompts = numpy.concatenate([[0], numpy.cumsum([tokens for _, tokens in firsts])])
    begins = numpy.sort([one.times[0] for one in records])
    ends = numpy.sort([one.times[-1] for one in records])
    tokens = numpy.sort(numpy.concatenate([one.times for one in records]))
    sizes = sorted((one.times[-1], (one.prompt_tokens or one.asked_prompt) + len(one.times)) for one in records)
    left = numpy.concatenate([[0], numpy.cumsum([size for _, size in sizes])])
    wanted = [(one, at) for one in records for at in range(1, len(one.times)) if one.tokens[at] == 1]
    wanted = wanted[:: max(1, len(wanted) // MOST_GAPS)]
    gaps, rows = [], []
    for one, at in wanted:
        before, after = one.times[at - 1], one.times[at]
        gap = after - before
        if gap <= 0:
            continue
        middle = (before + after) / 2
        batch = numpy.searchsorted(begins, middle, "right") - numpy.searchsorted(ends, middle, "left")
        arrived = prompts[bisect.bisect_right(starts, middle)] + numpy.searchsorted(tokens, middle, "right")
        context = arrived - left[numpy.searchsorted(ends, middle)]
        prompt = prompts[bisect.bisect_right(starts, after)] - prompts[bisect.bisect_right(starts, before)]
        gaps.append(gap)
        rows.append((1.0, float(prompt), float(max(1, int(batch))), float(max(0, int(context)))))
    return numpy.array(gaps), numpy.array(rows).reshape(-1, 4)


def simulate(requests: Sequence[Record], model: StepModel, engine: Engine, speed: float = 1.0) -> list[Record]:
    """The same lengths at `speed` times the rate; replicas take arrivals in turn."""
    ordered = sorted(requests, key=lambda one: one.intended)
    first = ordered[0].intended if ordered else 0.0
    planned = [
        Record(
            number,
            (one.intended - first) / speed,
            prompt_tokens=one.prompt_tokens or max(1, one.asked_prompt),
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
            running[one.index] = one.prompt_tokens or 1
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


def repeated(records: Sequence[Record], fit: Fit, engine: Engine) -> list[Record]:
    """The measured test itself, simulated: to see how far the model is off."""
    return simulate([replace(one) for one in records if one.outcome == "ok"], fit.model, engine)
