"""The whole rule by simulation: equal sides called different, intervals that miss the truth, differences found.

First from units: eight to fifteen launches, band 0.2 %, delta 1 %, stopping on width. Then from samples: eight launches
of two processes, with noise, spikes, drift and a cost of switching. Seeded, so that a failure is a change of the rule.
benchmarks/verdict_rates.py simulates three to seven times as many runs from samples.
"""

import math
from collections import Counter
from statistics import fmean

import numpy
import pytest

from benchmarks.verdict_rates import EQUAL, KNOWN, called_different, missed
from perfproof.stats.stopping import enough
from perfproof.stats.verdicts import judge

RUNS = 4000
BETA, DELTA = 0.002, 0.01


def standard_runs(theta, sd, seed):
    """(verdict, units used, does the interval miss the truth) of each simulated run."""
    for draws in numpy.random.default_rng(seed).normal(theta, sd, (RUNS, 15)).tolist():
        n = next(n for n in range(8, 16) if enough(draws[:n], BETA, DELTA, 0.97, least=8, most=15))
        found = judge(draws[:n], beta=BETA, delta=DELTA, process_errors=[sd] * (2 * n))
        yield found.verdict, n, not found.low <= numpy.exp(theta) <= found.high


def shares(theta, sd, seed):
    verdicts, units, misses = zip(*standard_runs(theta, sd, seed), strict=True)
    counted = Counter(verdicts)
    different = (counted["faster"] + counted["slower"]) / RUNS
    return different, counted["same"] / RUNS, fmean(units), fmean(misses)


def test_equal_bodies_are_called_different_in_about_one_run_of_a_thousand():
    different, same, units, misses = shares(0.0, 0.0046, seed=1)
    assert different <= 0.003
    assert same == pytest.approx(0.978, abs=0.007)
    assert units == pytest.approx(8.4, abs=0.1)
    assert misses == pytest.approx(0.029, abs=0.008)


def test_a_true_one_per_cent_is_found_in_about_988_of_1000_runs():
    different, _, units, _ = shares(0.01, 0.0046, seed=2)
    assert different == pytest.approx(0.988, abs=0.006)
    assert units == pytest.approx(8.4, abs=0.1)


def test_a_quiet_machine_finds_half_a_per_cent():
    different, _, units, _ = shares(0.005, 0.002, seed=3)
    assert different == pytest.approx(0.91, abs=0.015)
    assert units == pytest.approx(8.0, abs=0.01)


@pytest.mark.parametrize("sd", [0.01, 0.015, 0.02, 0.04])
def test_of_a_twofold_gain_the_interval_covers_the_truth_however_early_it_stops(sd):
    different, _, units, misses = shares(numpy.log(2.0), sd, seed=6)
    assert different == 1.0
    assert misses <= 0.05
    assert units < 14 or sd > 0.02


def test_a_noisy_machine_uses_more_launches_and_stays_honest():
    different, same, units, misses = shares(0.0, 0.008, seed=4)
    assert different <= 0.01
    assert same == pytest.approx(0.772, abs=0.02)
    assert units == pytest.approx(12.5, abs=0.15)
    assert misses <= 0.05


# one launch


def quick_runs(gain, layout, seed):
    """Verdicts over five couples of one launch, whose layout moves the ratio by up to `layout`."""
    rng = numpy.random.default_rng(seed)
    for launch in rng.uniform(-layout, layout, RUNS).tolist():
        units = rng.normal(math.log(gain) + launch, 0.005, 5).tolist()
        yield judge(units, beta=BETA, delta=DELTA, process_errors=[0.005] * 10, one_launch=True).verdict


def test_what_a_layout_does_to_equal_bodies_is_not_called_a_difference_by_one_launch():
    counted = Counter(quick_runs(1.0, 0.045, seed=7))
    assert (counted["faster"] + counted["slower"]) / RUNS <= 0.01
    assert counted["same"] == counted["inconclusive"] == 0, "one launch cannot say that"


def test_below_five_per_cent_one_launch_says_no_word():
    counted = Counter(quick_runs(1.04, 0.0, seed=8))
    assert (counted["faster"] + counted["slower"]) / RUNS <= 0.01


def test_a_gain_of_a_quarter_is_found_by_one_launch():
    assert Counter(quick_runs(1.25, 0.045, seed=9))["faster"] / RUNS >= 0.99


# from samples


@pytest.mark.parametrize("name", EQUAL)
def test_equal_sides_are_called_different_in_none_of_twenty_runs(name):
    assert called_different(20, EQUAL[name]) == 0


@pytest.mark.parametrize("name", KNOWN)
def test_the_interval_covers_a_known_ratio_in_19_of_20_runs(name):
    assert missed(30, KNOWN[name]) <= 1
