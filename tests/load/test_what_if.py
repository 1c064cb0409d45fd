"""The engine's model: a fit finds the step times that made the records, and the simulation repeats known queues."""

import numpy
import pytest

from perfproof.core.errors import UnfitError
from perfproof.load.record import Record
from perfproof.load.step_model import StepModel
from perfproof.load.what_if import Engine, fit_steps, repeated, simulate

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
    fit = fit_steps(made)
    assert fit.median_error < 0.02
    assert fit.model.base == pytest.approx(MODEL.base, rel=0.1)
    assert fit.model.prefill == pytest.approx(MODEL.prefill, rel=0.1)
    assert fit.model.sequence == pytest.approx(MODEL.sequence, rel=0.3)
    again = repeated(made, fit, Engine())
    for read in (lambda one: one.ttft, lambda one: one.latency):
        ours, theirs = ([numpy.median([read(one) for one in side])] for side in (again, made))
        assert ours == pytest.approx(theirs, rel=0.05)


def test_one_slot_with_equal_requests_waits_as_m_d_1():
    rng = numpy.random.default_rng(3)
    times = numpy.cumsum(rng.exponential(1 / 7, 6000))
    plan = [Record(n, float(at), asked_prompt=1, asked_output=10) for n, at in enumerate(times)]
    found = simulate(plan, StepModel(base=0.01), Engine(slots=1))
    assert all(one.outcome == "ok" for one in found)
    wait = numpy.mean([one.latency for one in found]) - 0.1
    assert wait == pytest.approx(0.7 * 0.1 / (2 * 0.3), rel=0.1)


def test_replicas_rate_and_slots_move_latency_the_way_they_must():
    plan = requests((12,))
    latency = lambda *args: numpy.mean([one.latency for one in simulate(plan, MODEL, *args)])  # noqa: E731
    assert latency(Engine(slots=4, replicas=2)) < latency(Engine(slots=4))
    assert latency(Engine(slots=4), 2.0) > latency(Engine(slots=4))
    assert latency(Engine(slots=64)) < latency(Engine(slots=4))


def test_too_few_tokens_are_no_basis_for_a_model():
    with pytest.raises(UnfitError, match="too few"):
        fit_steps(simulate(requests((1,), seconds=2.0), MODEL, Engine()))
