"""What the client spends its time on is told by its parts."""

import asyncio
import signal
from collections import Counter

import pytest

from perfproof.load import driver, plain_sockets, reply
from perfproof.load.arrivals import Arrivals
from perfproof.load.client_time import LOOP, Looks, part_of, seconds_of_parts
from perfproof.load.http_client import parse_address
from perfproof.load.own_server import started
from perfproof.load.profile import fixed
from perfproof.load.session import Plan, run_plan
from perfproof.load.workload import Service


@pytest.mark.parametrize(
    ("file", "part"),
    [
        (plain_sockets.__file__, "sockets"),
        (reply.__file__, "reading events"),
        (driver.__file__, "requests and records"),
        (asyncio.events.__file__, LOOP),
        (__file__, ""),
        ("/elsewhere/reply.py", ""),
    ],
)
def test_a_file_of_the_client_is_a_part_of_it(file, part):
    assert part_of(file) == part


def test_what_the_loop_waited_is_no_cost_and_the_largest_part_comes_first():
    found = seconds_of_parts(Counter({LOOP: 6, "sockets": 3, "reading events": 2}), used=0.6, waited=0.5)
    assert found == {"sockets": pytest.approx(0.3), "reading events": pytest.approx(0.2), LOOP: pytest.approx(0.1)}
    assert [*found] == ["sockets", "reading events", LOOP]


def test_nothing_is_told_without_a_look():
    assert seconds_of_parts(Counter(), 0.0, 0.0) == {}


def test_a_test_of_a_server_is_looked_at_in_its_parts_and_the_signal_is_given_back():
    before = signal.getsignal(signal.SIGPROF)
    with started(["--base", "0.001"]) as address:
        plan = Plan(
            Service(parse_address(address), "known"),
            fixed(32, 32),
            0.5,
            seed=1,
            salt="looks",
            arrivals=Arrivals("poisson", (200.0,)),
        )
        with Looks() as looks:
            found = run_plan(plan, lambda record: None)
    assert signal.getsignal(signal.SIGPROF) is before and signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert LOOP in looks.counts and {"sockets", "reading events", "requests and records"} & looks.counts.keys()
    assert all(one.outcome == "ok" for one in found.records)
