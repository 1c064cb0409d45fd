"""The whole rule as `standard` uses it, against the error rates and the power published with its design.

Eight to fifteen launches, band 0.2 %, delta 1 %, stopping on width; seeded, so that a failure is a change of the rule.
"""

from collections import Counter
from statistics import fmean

import numpy
import pytest

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
    assert same >= 0.995
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
    assert same == pytest.approx(0.956, abs=0.012)
    assert units == pytest.approx(12.5, abs=0.15)
    assert misses <= 0.05
