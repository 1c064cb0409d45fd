"""Fit the step time of an engine to the tokens of a measured test.

All answers of a batch get a token at the end of a step, so the times of all tokens show when the steps ended. A step
is as long as the gap between two tokens of one answer. A prompt that is longer than a chunk took several steps; its
tokens are shared out among the steps before its first token, as an engine does it. An engine that launches a step
before it reads the tokens of the one before shows those late if launching takes long: part of a prompt's work then
lies in the gap before, and the fit tries which part.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

import numpy

from perfproof.core.errors import UnfitError
from perfproof.load.record import Record
from perfproof.load.step_model import StepModel

LEAST_STEPS = 200
ROUNDS = 20
LATE = numpy.linspace(0, 1.2, 13)  # parts that are tried; above 1 a step with prompts hides some of its own base
SAME_STEP = 0.3  # of a short gap: tokens of one step are read closer to each other than that
SOON = 0.5  # of a usual gap


@dataclass(frozen=True)
class Fit:
    model: StepModel
    steps: int
    median_error: float  # of a step's time, as a share
    p90_error: float


@dataclass(slots=True)
class Step:
    end: float
    gaps: list[float] = field(default_factory=list)  # to the token before, per answer that had one in the step before
    prompt_tokens: int = 0
    answers: int = 0
    context: int = 0  # tokens that the answers read


def fit_steps(records: Sequence[Record], chunk: int) -> Fit:
    """`chunk` is that of the measured engine."""
    good = [one for one in records if one.outcome == "ok" and len(one.times) > 1]
    steps = find_steps(good, chunk)
    known = [(step, after) for step, after in zip(steps, [*steps[1:], Step(0.0)], strict=True) if step.gaps]
    if len(known) < LEAST_STEPS:
        raise UnfitError(
            f"{len(known)} steps with one token per answer are too few for a model, {LEAST_STEPS} are needed: test "
            "longer, or at several rates (--arrivals steps --rate 2,4,8)"
        )
    times = numpy.array([median(step.gaps) for step, _ in known])
    own, after = (numpy.array([_prompts(pair[at]) for pair in known], float) for at in (0, 1))
    others = numpy.array([(1, step.answers, step.context) for step, _ in known], float)
    found = []
    for late in LATE:
        solution, errors = _least_errors(numpy.hstack([others, (1 - late) * own + late * after]), times)
        found.append((float(numpy.minimum(errors, 1).mean()), float(late), solution, errors))
    _, late, solution, errors = min(found, key=lambda one: one[0])
    base, sequence, context, mixed, prefill = (float(value) for value in solution)
    model = StepModel(base, prefill, sequence, context, mixed, late if mixed or prefill else 0.0)
    return Fit(model, len(known), float(numpy.median(errors)), float(numpy.quantile(errors, 0.9)))


def _prompts(step: Step) -> tuple[bool, int]:
    return step.prompt_tokens > 0, step.prompt_tokens


def _least_errors(features: numpy.ndarray, times: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Non-negative factors with the least relative errors, and these errors.

    Errors are relative to the fitted time: relative to the measured one, steps that ended early would count most. A few
    steps whose prompt tokens were shared out wrongly count no more than others: errors beyond the usual are no squares.
    """
    from scipy.optimize import nnls

    scales = numpy.maximum(numpy.abs(features).max(axis=0), 1e-12)
    rows, fitted = features / scales, numpy.full(len(times), times.mean())
    for _ in range(ROUNDS):
        errors = numpy.abs(times / fitted - 1)
        most = max(1e-3, 3 * float(numpy.median(errors)))
        weights = numpy.sqrt(most / numpy.maximum(errors, most)) / fitted
        solution, _ = nnls(rows * weights[:, None], times * weights)
        fitted = numpy.maximum(rows @ solution, 1e-9)
    return solution / scales, numpy.abs(times / fitted - 1)


def find_steps(records: Sequence[Record], chunk: int) -> list[Step]:
    """The steps of the engine in order, as far as tokens show them."""
    steps, last_step, is_late = list[Step](), [-1] * len(records), False
    for burst in _bursts(records):
        found = [Step(burst.end) for _ in range(max(map(len, burst.tokens.values())))]
        for number, places in burst.tokens.items():
            one, first = records[number], len(found) - len(places) if places[0] == 0 else 0
            for step, at in zip(found[first:], places, strict=False):
                if at:
                    step.answers += 1
                    step.context += (one.prompt_tokens or one.asked_prompt) + at
                    if len(found) == 1 and not is_late and one.tokens[at] == 1 and last_step[number] == len(steps) - 1:
                        step.gaps.append(one.times[at] - one.times[at - 1])
            last_step[number] = len(steps) + first + len(places) - 1
        steps += found
        is_late = len(found) > 1
    _share_out_prompts(records, steps, chunk)
    return steps


@dataclass(slots=True)
class Burst:
    """Tokens that were read together: those of one step, or of several if the client was held up."""

    start: float
    end: float
    tokens: dict[int, list[int]] = field(default_factory=dict)  # per answer, the places of its tokens


def _bursts(records: Sequence[Record]) -> list[Burst]:
    """Tokens close to each other, and those that soon follow of answers that have none of the burst yet."""
    tokens = sorted((time, at, number) for number, one in enumerate(records) for at, time in enumerate(one.times))
    gaps = [after - before for one in records for before, after in pairwise(one.times) if after > before]
    apart, soon = (SAME_STEP * float(numpy.quantile(gaps, 0.25)), SOON * median(gaps)) if gaps else (0.0, 0.0)
    bursts = list[Burst]()
    for time, at, number in tokens:
        last = bursts[-1] if bursts else None
        if last is None or (time - last.end > apart and (number in last.tokens or time - last.start > soon)):
            last = Burst(time, time)
            bursts.append(last)
        last.end = time
        last.tokens.setdefault(number, []).append(at)
    return bursts


def _share_out_prompts(records: Sequence[Record], steps: Sequence[Step], chunk: int) -> None:
    """Fill the chunks before each first token, in the order of the first tokens; a step takes what it has room for."""
    ends = [one.end for one in steps]
    room = [max(1, chunk - one.answers) for one in steps]
    for one in sorted(records, key=lambda one: one.times[0]):
        last, arrived = bisect_left(ends, one.times[0]), bisect_left(ends, one.intended)
        earliest = min(last, arrived + bool(steps[arrived].gaps))  # a step that has begun takes no prompt
        left, begin, before = one.computed_prompt, last, 0
        while begin > earliest and before + room[begin - 1] < left:  # it was not complete before its last step
            begin -= 1
            before += room[begin]
        hidden = left - before - room[last]
        left -= chunk * max(0, math.ceil(hidden / chunk))  # full steps that no answer shows
        for at in range(begin, last + 1):
            part = min(left, room[at])
            steps[at].prompt_tokens += part
            room[at], left = room[at] - part, left - part
