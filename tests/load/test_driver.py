"""The driver in simulated time: queues with known waiting times, and every request accounted for."""

import asyncio
import math

import numpy
import pytest

from perfproof.load.arrivals import Arrivals, draw_times
from perfproof.load.clock import LoopClock
from perfproof.load.driver import Driver, Limits, Planned
from tests.load.simulated_time import run


class OneSlot:
    """A server that answers one request at a time."""

    def __init__(self, service):
        self.service, self.slot = service, asyncio.Lock()

    async def send(self, request, record, keep_text):
        record.sent = asyncio.get_running_loop().time()
        async with self.slot:
            await asyncio.sleep(self.service())
        record.first_token = record.last_token = record.end = asyncio.get_running_loop().time()
        record.outcome = "ok"
        return "text"


def drive(times, service, limits=None, send=None):
    records = []

    async def go():
        driver = Driver(send or OneSlot(service).send, records.append, LoopClock(), limits or Limits(1e6, 1e6))
        await driver.open_loop(Planned(at, float(time), b"") for at, time in enumerate(times))

    run(go())
    return records


def one_slot(arrivals, work):
    """Latencies of one slot, first come first served (Lindley's recursion)."""
    done = numpy.cumsum(work)
    return numpy.maximum.accumulate(arrivals - (done - work)) + done - arrivals


@pytest.mark.parametrize("kind", ["fixed", "random"])
@pytest.mark.parametrize("load", [0.3, 0.6, 0.9])
def test_reported_latencies_are_those_of_the_queue_to_the_microsecond(load, kind):
    arrivals, rng = draw_times(Arrivals("poisson", (10 * load,)), 600 / (10 * load), 1), numpy.random.default_rng(2)
    work = numpy.full(len(arrivals), 0.1) if kind == "fixed" else rng.exponential(0.1, len(arrivals))
    records = sorted(drive(arrivals, iter(work.tolist()).__next__), key=lambda one: one.index)
    assert [one.latency for one in records] == pytest.approx(one_slot(arrivals, work).tolist(), abs=1e-6)


@pytest.mark.parametrize("load", [0.3, 0.5, 0.7])
def test_arrivals_at_three_loads_wait_as_queueing_theory_says(load):
    rate = 10 * load
    arrivals, rng = draw_times(Arrivals("poisson", (rate,)), 2_000_000 / rate, 1), numpy.random.default_rng(2)
    fixed = one_slot(arrivals, numpy.full(len(arrivals), 0.1))
    assert fixed.mean() - 0.1 == pytest.approx(load * 0.1 / (2 * (1 - load)), rel=0.03)  # M/D/1
    drawn = one_slot(arrivals, rng.exponential(0.1, len(arrivals)))
    assert drawn.mean() == pytest.approx(1 / (10 - rate), rel=0.03)  # M/M/1
    for share in (0.5, 0.99):
        assert numpy.quantile(drawn, share) == pytest.approx(-math.log(1 - share) / (10 - rate), rel=0.03)


def test_a_cap_does_not_hide_the_wait_and_it_stands_in_its_own_row():
    records = drive([0.1 * n for n in range(50)], lambda: 0.5, Limits(1e6, 1e6, cap=1))
    last = records[-1]
    assert last.latency == pytest.approx(50 * 0.5 - 4.9) and last.client_wait == pytest.approx(last.latency - 0.5)
    assert max(one.send_lag for one in records) == pytest.approx(0)  # the cap's wait, not the client's fault


def test_what_comes_above_the_cap_is_dropped_if_asked_for():
    records = drive([0.1 * n for n in range(50)], lambda: 0.5, Limits(1e6, 1e6, cap=1, shed=True))
    assert sum(one.outcome == "shed" for one in records) == 40 and len(records) == 50
    assert all(one.latency == pytest.approx(0.5) for one in records if one.outcome == "ok")


def test_a_server_that_hangs_leaves_timeouts_and_unfinished_requests_each_once():
    async def hang(request, record, keep_text):
        record.sent = asyncio.get_running_loop().time()
        await asyncio.sleep(1e9)

    timed_out = drive([0.0, 1.0, 2.0], None, Limits(timeout=5, drain=100), send=hang)
    assert [one.outcome for one in timed_out] == ["timeout"] * 3
    left = drive([0.0, 1.0, 2.0], None, Limits(timeout=1000, drain=4), send=hang)
    assert [one.outcome for one in left] == ["unfinished"] * 3 and len({one.index for one in left}) == 3


def test_stopping_early_keeps_what_was_measured_and_counts_the_rest_as_unfinished():
    records = []

    async def go():
        driver = Driver(OneSlot(lambda: 2.0).send, records.append, LoopClock(), Limits(1e6, 1e6))
        asyncio.get_running_loop().call_later(5.0, driver.stopping.set)
        await driver.open_loop(Planned(at, float(at), b"") for at in range(100))
        return driver.begun

    begun = run(go())
    outcomes = [one.outcome for one in records]
    assert len(records) == begun < 10 and set(outcomes) == {"ok", "unfinished"}


def test_a_closed_loop_keeps_each_user_waiting_and_thinking():
    records = []

    async def go():
        driver = Driver(OneSlot(lambda: 0.5).send, records.append, LoopClock(), Limits(1e6, 1e6))
        plans = (Planned(at, 0.0, b"") for at in range(10_000))
        await driver.closed_loop(plans, users=1, seconds=100, think=1.5)

    run(go())
    assert len(records) == 50 and all(one.latency == pytest.approx(0.5) for one in records)


def test_a_next_turn_is_intended_when_the_user_has_thought():
    def follow(text):
        return Planned(1, 0.0, b"", turn=1, think=3.0)

    records = []

    async def go():
        driver = Driver(OneSlot(lambda: 0.5).send, records.append, LoopClock(), Limits(1e6, 1e6))
        await driver.open_loop(iter([Planned(0, 1.0, b"", follow=follow)]))

    run(go())
    assert [one.intended for one in records] == [1.0, pytest.approx(4.5)]


def test_a_user_who_gives_up_is_no_failure_of_the_server():
    async def go():
        driver = Driver(OneSlot(lambda: 5.0).send, records.append, LoopClock(), Limits(1e6, 1e6))
        await driver.open_loop(iter([Planned(0, 0.0, b"", cancel_after=1.0)]))

    records = []
    run(go())
    assert [one.outcome for one in records] == ["cancelled"] and records[0].end == pytest.approx(1.0)
