"""A trial that is looked at on its way: whatever ends it, its errors stay what they are said to be."""

import math

import numpy as np
import pytest

from perfproof.stats.looks import EARLY, looked_level, looked_p, share
from perfproof.stats.multiple import ALPHA, one_sided_p
from perfproof.stats.student import two_sided
from perfproof.stats.units import LEVEL

TRIALS = 4000
LAST = 20


def test_the_shares_of_all_looks_make_the_whole():
    assert math.fsum(share(n) for n in (*EARLY, LAST)) == pytest.approx(1)


def test_an_end_that_no_look_came_before_has_the_whole_error():
    assert share(5) == share(7) == 1 and looked_level(7) == pytest.approx(LEVEL)
    assert share(10) == pytest.approx(0.9)


def test_the_price_at_the_end_is_small():
    assert two_sided(looked_level(LAST), LAST - 1) / two_sided(LEVEL, LAST - 1) == pytest.approx(1.07, abs=0.005)


def test_one_look_costs_its_share_and_the_best_look_counts():
    units = [0.1, 0.11, 0.09, 0.1, 0.12, 0.1, 0.09, 0.11]
    error = np.std(units, ddof=1) / math.sqrt(8)
    assert looked_p(units) == pytest.approx(one_sided_p(np.mean(units), error, 7) / 0.1)
    assert looked_p([*units, -3.0]) == pytest.approx(looked_p(units))  # what a look has shown stays shown
    assert looked_p([-unit for unit in units]) == 1.0


def test_fewer_than_five_units_show_nothing():
    assert looked_p([0.1, 0.1, 0.1, 0.1]) == 1.0


@pytest.mark.parametrize("heavy", [False, True])
def test_looking_at_every_chance_confirms_no_more_often_than_it_may(heavy):
    """The worst rule there is: stop at the first look that shows something."""
    random = np.random.default_rng(7)
    draw = random.standard_t(3, (TRIALS, LAST)) if heavy else random.standard_normal((TRIALS, LAST))
    shown = sum(looked_p(list(units)) <= ALPHA for units in draw)
    assert 0.2 * ALPHA < shown / TRIALS < ALPHA


def test_the_interval_at_whichever_look_a_trial_is_worst_still_covers():
    random = np.random.default_rng(8)
    draw = random.standard_normal((TRIALS, LAST))
    missed = np.zeros(TRIALS, dtype=bool)
    for n in (*EARLY, LAST):
        error = draw[:, :n].std(axis=1, ddof=1) / math.sqrt(n)
        missed |= abs(draw[:, :n].mean(axis=1)) > two_sided(looked_level(n), n - 1) * error
    assert missed.mean() < 1 - LEVEL


def test_a_tenth_slower_is_shown_at_the_first_look():
    random = np.random.default_rng(9)
    draw = 0.095 + 0.02 * random.standard_normal((500, 8))
    assert sum(looked_p(list(units), beta=0.002) <= ALPHA / 2 for units in draw) >= 495
