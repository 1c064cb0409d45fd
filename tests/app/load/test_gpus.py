"""Energy of the GPUs beside a load test: all of them or none, and over long enough."""

import pytest

from perfproof.app.load import gpus
from perfproof.app.load.gpus import Meter
from perfproof.core.load import Energy
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
    monkeypatch.setattr(gpus.time, "monotonic", lambda: float(next(times)))
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
    clock.setattr(gpus.time, "monotonic", lambda: 5.0)
    assert metered(Counter(1.0, 9.0)) is None
