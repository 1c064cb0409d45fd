"""The engine's model: a fit finds the step times that made the records, and the simulation repeats known queues."""

import asyncio
from itertools import pairwise

import numpy
import pytest

from perfproof.core.errors import UnfitError
from perfproof.load import known_server
from perfproof.load.record import Record
from perfproof.load.step_fit import fit_steps
from perfproof.load.step_model import StepModel
from perfproof.load.what_if import Engine, matched, simulate, sum_error
from tests.load.simulated_time import run

MODEL = StepModel(base=0.008, prefill=2e-5, sequence=2e-4, context=1e-7)


def requests(rates, seconds=20.0, seed=1):
    rng = numpy.random.default_rng(seed)
    found, start = [], 0.0
    for rate in rates:
        for at in numpy.sort(rng.uniform(0, seconds, int(rate * seconds))):
            lengths = {"asked_prompt": int(rng.integers(50, 1500)), "asked_output": int(rng.integers(10, 80))}
            found.append(Record(len(found), start + float(at), **lengths))
        start += 2 * seconds
    return found


def test_a_fit_to_a_sweep_finds_the_step_times_that_made_it():
    made = simulate(requests((1, 4, 10), seconds=10.0), MODEL, Engine())
    fit = fit_steps(made, 8192)
    assert fit.median_error < 0.02
    assert fit.model.base == pytest.approx(MODEL.base, rel=0.1)
    assert fit.model.prefill == pytest.approx(MODEL.prefill, rel=0.1)
    assert fit.model.sequence == pytest.approx(MODEL.sequence, rel=0.3)
    again = simulate(made, fit.model, Engine())
    for read in (lambda one: one.ttft, lambda one: one.latency):
        ours, theirs = ([numpy.median([read(one) for one in side])] for side in (again, made))
        assert ours == pytest.approx(theirs, rel=0.05)


class Bent(StepModel):
    """An engine whose long steps take longer than any sum of parts says."""

    def seconds(self, prompt_tokens, answers, context):
        return super().seconds(prompt_tokens, answers, context) * (1.08 if prompt_tokens > 900 else 1.0)


def test_what_a_model_misses_in_steps_of_one_kind_stays_when_many_are_added_up():
    asked = requests((1, 4, 10), seconds=20.0)
    right, bent = (simulate(asked, one, Engine()) for one in (MODEL, Bent(**vars(MODEL))))
    assert sum_error(right, fit_steps(right, 8192).model, Engine()) < 0.002
    assert 0.003 < sum_error(bent, fit_steps(bent, 8192).model, Engine()) < 0.08
    assert 0.1 < sum_error(right, MODEL.times(0.9), Engine()) < 0.2


def test_small_errors_of_all_steps_move_first_tokens_far_only_near_the_limit():
    def first_tokens(rate, factor):
        asked = [Record(n, n / rate, asked_prompt=500, asked_output=20) for n in range(round(20 * rate))]
        return numpy.median([one.ttft for one in simulate(asked, MODEL.times(factor), Engine(slots=16))])

    near, far = (first_tokens(rate, 1.03) / first_tokens(rate, 0.97) - 1 for rate in (43.0, 4.0))
    assert far < 0.1 < 0.5 < near


def test_steps_of_a_range_are_never_shorter_than_nothing_and_a_model_that_does_not_fit_has_none():
    from perfproof.app.what_if import LONGER, SHORTER, WHAT_IF, models_of, step_range

    fit = fit_steps(simulate(requests((1, 4, 10), seconds=20.0), MODEL, Engine()), 8192)
    found = models_of(fit, step_range(0.4))
    base = [found[name].base for name in (SHORTER, WHAT_IF, LONGER)]
    assert 0 < base[0] < base[1] < base[2] and base[1] / base[0] == pytest.approx(1.4)
    assert list(models_of(fit, step_range(2.5))) == [WHAT_IF]
    assert step_range(0.0) == 0.01


class Reader:
    """The connection of a request to the built-in server: keeps when its tokens came, read up to half a ms late."""

    def __init__(self, record, rng):
        self.record, self.rng = record, rng

    def token(self, job, last):
        self.record.times.append(asyncio.get_running_loop().time() + float(self.rng.uniform(0, 5e-4)))
        self.record.tokens.append(1)
        if last:
            self.record.first_token, self.record.last_token = self.record.times[0], self.record.times[-1]
            self.record.outcome = "ok"


def served(plan, settings):
    """The requests as the built-in server answers them, in simulated time."""

    async def go():
        engine, loop, rng = known_server.Engine(settings), asyncio.get_running_loop(), numpy.random.default_rng(5)
        steps = asyncio.create_task(engine.run())
        for one in plan:
            job = known_server.Job(Reader(one, rng), one.asked_prompt, one.asked_output, True, False, False)
            loop.call_at(one.intended, engine.add, job, ())
        while any(one.outcome != "ok" for one in plan):
            await asyncio.sleep(1.0)
        steps.cancel()
        return plan

    return run(go())


@pytest.mark.parametrize(
    ("model", "chunk"),
    [
        (MODEL, 8192),
        (StepModel(base=0.002, prefill=5e-6, sequence=1e-3), 512),  # prompts take up to three steps
        (StepModel(base=0.004, prefill=1e-4, sequence=5e-5, context=2e-8), 2048),  # several prompts share a chunk
        (StepModel(base=0.006, prefill=3e-5, sequence=1e-4, context=5e-8), 256),
    ],
)
def test_rates_that_were_not_fitted_are_predicted_within_ten_per_cent(model, chunk):
    settings = known_server.Settings(model, slots=64, chunk=chunk)
    fit = fit_steps(served(requests((1, 3, 6), seconds=10.0), settings), chunk)
    for rate in (2, 8):
        measured = served(requests((rate,), seconds=30.0, seed=7), settings)
        said = simulate(measured, fit.model, Engine(64, chunk))
        for read in (lambda one: one.ttft, lambda one: one.tpot, lambda one: one.latency):
            for share in (0.5, 0.9):
                ours, theirs = (numpy.quantile([read(one) for one in side], share) for side in (said, measured))
                assert ours == pytest.approx(theirs, rel=0.1)


@pytest.mark.parametrize("late", [0.0, 0.5, 1.0])
def test_prompts_that_hold_up_the_tokens_of_the_step_before_are_found(late):
    """As an engine does that launches a step with prompts, kernel by kernel, before it reads the tokens before it."""
    model = StepModel(base=0.006, prefill=5e-6, sequence=5e-5, mixed=0.02, late=late)
    made = simulate(requests((1, 4, 8), seconds=15.0), model, Engine())
    gaps = [b - a for one in made for a, b in pairwise(one.times)]
    assert min(gaps) > 0 and max(gaps) > 0.02
    found = fit_steps(made, 8192).model
    assert found.late == pytest.approx(late, abs=0.11)
    assert found.base == pytest.approx(0.006, rel=0.1) and found.mixed == pytest.approx(0.02, rel=0.15)
    again = simulate(made, found, Engine())
    for read in (lambda one: one.ttft, lambda one: one.tpot):
        ours, theirs = ([numpy.median([read(one) for one in side])] for side in (again, made))
        assert ours == pytest.approx(theirs, rel=0.05)


def test_tokens_that_were_read_at_once_do_not_break_the_fit():
    made = simulate(requests((1, 4), seconds=10.0), MODEL, Engine())
    for one in made[::2]:  # the client was held up now and then, and found two tokens of an answer
        one.times[5:-1:10] = one.times[6::10]
    fit = fit_steps(made, 8192)
    assert fit.model.base == pytest.approx(MODEL.base, rel=0.1)
    assert fit.model.prefill == pytest.approx(MODEL.prefill, rel=0.2)


@pytest.mark.parametrize("seed", range(4))
def test_a_client_that_is_held_up_at_any_time_does_not_break_the_fit(seed):
    """It reads the tokens of several steps at once, in the order of its connections, and single answers late."""
    made, rng = simulate(requests((1, 4, 9), seconds=10.0, seed=seed), MODEL, Engine()), numpy.random.default_rng(seed)
    pauses = numpy.sort(rng.uniform(0, 60, 250))
    for one in made:
        for at, time in enumerate(one.times):
            begin = pauses[max(0, int(numpy.searchsorted(pauses, time)) - 1)]
            read = max(time, begin + 0.04) if begin <= time else time  # 40 ms in which nothing is read
            read += float(rng.uniform(0, 4e-4)) + (rng.random() < 0.1) * float(rng.uniform(0, 3e-3))
            one.times[at] = max(read, one.times[at - 1] if at else 0.0)
        one.first_token, one.last_token = one.times[0], one.times[-1]
    fit = fit_steps(made, 8192)
    assert fit.model.base == pytest.approx(MODEL.base, rel=0.06)
    assert fit.model.prefill == pytest.approx(MODEL.prefill, rel=0.15)
    assert fit.median_error < 0.1


def test_tokens_from_a_cache_take_no_time_to_compute():
    plan = [Record(n, 1.0 * n, prompt_tokens=1000, cached_tokens=n % 2 * 900, asked_output=5) for n in range(4)]
    found = simulate(plan, StepModel(base=0.01, prefill=1e-4), Engine())
    assert [one.ttft for one in found] == pytest.approx([0.11, 0.02, 0.11, 0.02])


def test_who_arrives_within_a_step_that_is_planned_already_waits_for_the_one_after_it():
    plan = [Record(n, at, asked_prompt=1, asked_output=10) for n, at in enumerate((0.0, 0.005, 1.0))]
    for engine, wanted in (
        (Engine(), [0.01, 0.015, 0.01]),
        (Engine(ahead=True), [0.01, 0.025, 0.01]),  # an engine without work begins at once
        (Engine(ahead=True, delay=0.002), [0.012, 0.027, 0.012]),
        (Engine(ahead=True, slots=1), [0.01, 0.105, 0.01]),  # no step was planned when the only slot became free
    ):
        found = simulate(plan, StepModel(base=0.01), engine)
        assert [one.ttft for one in found] == pytest.approx(wanted)
        assert [one.tpot for one in found] == pytest.approx([0.01] * 3)


@pytest.mark.parametrize("ahead", [False, True])
def test_what_passes_outside_of_the_engine_is_found_in_the_first_tokens(ahead):
    measured = simulate(requests((1, 4, 10), seconds=10.0), MODEL, Engine(32, 512, ahead=ahead, delay=0.004))
    found = matched(measured, fit_steps(measured, 512).model, Engine(32, 512))
    assert found.ahead == ahead and found.delay == pytest.approx(0.004, abs=0.001)
    assert (found.slots, found.chunk) == (32, 512) and matched([], MODEL, Engine(8)) == Engine(8)


def test_a_queue_that_the_model_misses_is_not_taken_for_time_outside_of_the_engine():
    """At the limit of a server: the steps of the model are two per cent too short, so most requests wait longer."""
    slower = StepModel(**{name: 1.02 * value for name, value in vars(MODEL).items()})
    measured = simulate(requests((1, 30), seconds=20.0), slower, Engine(16, 512, delay=0.004))
    assert numpy.median([one.ttft for one in measured]) > 1.0
    assert matched(measured, MODEL, Engine(16, 512)).delay < 0.05


def test_one_slot_with_equal_requests_waits_as_m_d_1():
    rng = numpy.random.default_rng(3)
    times = numpy.cumsum(rng.exponential(1 / 7, 6000))
    plan = [Record(n, float(at), asked_prompt=1, asked_output=10) for n, at in enumerate(times)]
    found = simulate(plan, StepModel(base=0.01), Engine(slots=1))
    assert all(one.outcome == "ok" for one in found)
    wait = numpy.mean([one.latency for one in found]) - 0.1
    assert wait == pytest.approx(0.7 * 0.1 / (2 * 0.3), rel=0.1)


def test_rate_and_slots_move_latency_the_way_they_must():
    plan = requests((12,))
    latency = lambda *args: numpy.mean([one.latency for one in simulate(plan, MODEL, *args)])  # noqa: E731
    assert latency(Engine(slots=4), 2.0) > latency(Engine(slots=4))
    assert latency(Engine(slots=64)) < latency(Engine(slots=4))


def test_too_few_tokens_are_no_basis_for_a_model():
    with pytest.raises(UnfitError, match="too few"):
        fit_steps(simulate(requests((1,), seconds=2.0), MODEL, Engine()), 8192)
