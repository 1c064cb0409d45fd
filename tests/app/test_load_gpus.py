"""Energy of the GPUs beside a load test: all of them or none, over long enough, and in what is said."""

import pytest

from perfproof.app import load, load_gpus
from perfproof.app.load_gpus import Meter
from perfproof.core.load import Energy, SloResult, SloStep
from perfproof.load.record import Record


class Counter:
    def __init__(self, *readings):
        self.readings = list(readings)

    def joules(self):
        return self.readings.pop(0)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Every look at the clock is two seconds later."""
    times = iter(range(0, 1000, 2))
    monkeypatch.setattr(load_gpus.time, "monotonic", lambda: float(next(times)))
    return monkeypatch


RECORDS = [Record(0, 0.0, output_tokens=100), Record(1, 0.0, output_tokens=50)]


def metered(*counters):
    meter = Meter(counters)
    meter.start()
    return meter.stop(RECORDS, "the whole test")


def test_the_tokens_of_all_answers_are_divided_by_what_all_gpus_used():
    found = metered(Counter(1000.0, 1200.0), Counter(50.0, 150.0))
    assert found == Energy(joules=300, seconds=2, output_tokens=150, tokens_per_joule=0.5, at="the whole test")


@pytest.mark.parametrize(
    "counters",
    [(), (Counter(None, None),), (Counter(1.0, 9.0), Counter(None, None)), (Counter(9.0, 9.0),), (Counter(9.0, 1.0),)],
    ids=["no GPU", "no counter", "one of two", "nothing used", "counted backwards"],
)
def test_without_all_counters_there_is_no_figure(counters):
    assert metered(*counters) is None


def test_a_test_of_a_moment_has_no_figure(clock):
    clock.setattr(load_gpus.time, "monotonic", lambda: 5.0)
    assert metered(Counter(1.0, 9.0)) is None


def step(rate, verdict, tokens_per_joule):
    energy = Energy(joules=10, seconds=5, output_tokens=10, tokens_per_joule=tokens_per_joule, at=f"{rate} per second")
    figures = dict(
        seconds=5, requests=9, shares=[1.0], request_goodput=rate, token_goodput=1, output_tokens_per_second=1
    )
    return SloStep(rate=rate, verdict=verdict, energy=energy, **figures)


def test_a_search_says_the_energy_of_the_highest_rate_that_met_the_limits():
    slo = SloResult(terms=[], sentence="", steps=[step(1, "meets", 1.0), step(4, "meets", 3.1), step(8, "misses", 5.0)])
    assert load._energy_at_best(slo).tokens_per_joule == 3.1
    assert load._energy_at_best(SloResult(terms=[], sentence="", steps=[step(8, "misses", 5.0)])) is None
