"""A solver whose steps are too short for most of its time is found; one whose error sets the step is not."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.short_steps import find
from tests.diagnose.test_sampled import stacks

BENEATH = "main (ode.py:9);scipy.integrate._ivp.ivp:solve_ivp;scipy.integrate._ivp.rk:_step_impl;rhs (ode.py:4)"


def solved(short, usual, other=100):
    lines = [
        f"[explicit solver] RK45;[short steps] RK45;{BENEATH} {short}",
        f"[explicit solver] RK45;{BENEATH} {usual}",
    ]
    return find(Evidence(stacks=stacks(*lines, f"main (ode.py:20) {other}")))


def test_steps_that_change_less_than_the_error_allows_are_told_with_the_solver():
    found = solved(short=800, usual=100)
    assert "RK45" in found.title and found.confidence == "high" and found.share == pytest.approx(0.9)


@pytest.mark.parametrize(("short", "usual", "other"), [(200, 700, 100), (100, 10, 900)])
def test_a_solver_that_makes_them_seldom_or_takes_little_time_is_not(short, usual, other):
    assert solved(short, usual, other) is None


def test_without_stacks_it_abstains():
    assert isinstance(find(Evidence()), Abstained)
