import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.stats.stopping import enough, launches_needed, launches_to_decide
from perfproof.stats.student import quantile
from perfproof.stats.units import interval

STANDARD = {"beta": 0.002, "delta": 0.01, "level": 0.97, "least": 8, "most": 15}


def units_with_half_width(n, half_width):
    """Alternating units (n even) whose 97 % interval is 0 -/+ half_width."""
    unscaled = [1.0, -1.0] * (n // 2)
    return [unit * half_width / interval(unscaled).half_width for unit in unscaled]


def test_it_stops_when_the_half_width_is_what_finds_delta():
    width = (0.01 - 0.002) / 1.55
    assert enough(units_with_half_width(8, 0.999 * width), **STANDARD)
    assert not enough(units_with_half_width(8, 1.001 * width), **STANDARD)


def test_it_never_stops_below_the_least_and_always_at_the_most():
    assert not enough([0.0] * 7, **STANDARD)
    assert enough([0.0] * 8, **STANDARD)
    assert not enough([-1.0, 1.0] * 7, **STANDARD)
    assert enough([-1.0, 1.0] * 7 + [1.0], **STANDARD)


def test_it_never_stops_on_width_without_an_interval():
    assert not enough([0.0] * 4, beta=0.002, delta=0.01, level=0.97, least=1, most=15)
    assert enough([0.0], beta=0.002, delta=0.01, level=0.97, least=1, most=1)


def test_what_the_interval_says_does_not_stop_it():
    noisy = units_with_half_width(8, 0.02)
    assert enough([unit + 0.5 for unit in noisy], **STANDARD) == enough(noisy, **STANDARD) is False


def test_of_a_large_effect_a_fortieth_is_narrow_enough():
    noisy = units_with_half_width(8, 0.1)
    assert not enough([unit + 3.99 for unit in noisy], **STANDARD)
    assert enough([unit + 4.01 for unit in noisy], **STANDARD)
    assert enough([unit - 4.01 for unit in noisy], **STANDARD)


@pytest.mark.parametrize(("sd", "needed"), [(0.0, 5), (0.0046, 7), (0.007, 12), (0.0077, 14)])
def test_launches_needed_worked_from_the_table_of_t(sd, needed):
    assert launches_needed(sd, beta=0.002, delta=0.01) == needed


@given(st.floats(1e-4, 0.3), st.sampled_from([0.97, 0.99]))
def test_launches_needed_is_the_smallest_that_finds_delta(sd, level):
    n = launches_needed(sd, 0.002, 0.01, level)

    def reach(n):
        return (quantile(0.5 + level / 2, n - 1) + quantile(0.90, n - 1)) * sd / math.sqrt(n)

    assert reach(n) <= 0.008
    assert n == 5 or reach(n - 1) > 0.008


def test_no_number_of_launches_removes_the_systematic_band():
    assert launches_needed(0.001, beta=0.01, delta=0.01) is None


def test_launches_to_decide_an_effect_between_band_and_delta():
    """0.7 % is 0.5 % beyond the band: t(.985, n-1) 1 %/sqrt(n) < 0.5 % from n = 22 on (2.330/sqrt 22 = 0.497)."""
    assert launches_to_decide(0.007, 0.01, beta=0.002, delta=0.01) == 22
    assert launches_to_decide(-0.007, 0.01, beta=0.002, delta=0.01) == 22
    assert launches_to_decide(0.007, 0.01, beta=0.006, delta=0.01) is None
