"""Both geometric means: worked numbers, and the coverage published with their design (seeded)."""

import math

import numpy
import pytest

from perfproof.stats.suite import Estimate, difference, satterthwaite, this_suite, workload_like_these


def test_two_runs_differ_by_welch():
    found = difference(Estimate(0.05, 0.003, 7), Estimate(0.02, 0.004, 9))
    assert found.theta == pytest.approx(0.03) and found.error == pytest.approx(0.005)
    assert found.freedom == pytest.approx(25**2 / (9**2 / 7 + 16**2 / 9))


def test_freedom_without_any_spread_is_the_smaller_one():
    assert satterthwaite([0.0, 0.0], [4, 9]) == 4 and satterthwaite([1.0, 0.0], [4, 9]) == 4


def test_the_mean_of_this_suite_by_hand():
    found = this_suite([Estimate(0.1, 0.01, 9), Estimate(0.3, 0.01, 9)])
    half_width = (found.high - found.low) / 2
    assert found.theta == pytest.approx(0.2) and found.freedom == pytest.approx(18)
    assert half_width == pytest.approx(2.356 * math.sqrt(2) * 0.005, rel=2e-3)


def test_what_all_targets_share_is_not_averaged_away():
    estimates = [Estimate(0.1, 0.001, 9)] * 100
    alone, shared = this_suite(estimates), this_suite(estimates, shared=0.01)
    assert alone.high - alone.low < 0.001 < 0.04 < shared.high - shared.low


def test_another_workload_is_as_uncertain_as_targets_differ():
    found = workload_like_these([0.0, 0.1, 0.2, 0.3, 0.4])
    assert found.theta == pytest.approx(0.2) and found.freedom == 4
    assert (found.high - found.low) / 2 == pytest.approx(3.298 * 0.1581 / math.sqrt(5), rel=2e-3)


def test_fewer_than_five_targets_give_no_interval_and_none_no_mean():
    assert workload_like_these([0.1, 0.2]).low is None
    for mean in (this_suite, workload_like_these):
        with pytest.raises(ValueError, match="no targets"):
            mean([])


def covered(targets, n, shared, known, runs=1500):
    """How often the interval of this suite holds the truth; `shared` is what moves all targets of a run."""
    rng, hits = numpy.random.default_rng(6), 0
    for _ in range(runs):
        units = rng.normal(0, 0.007, (targets, n)) + rng.normal(0, shared)
        means, errors = units.mean(axis=1), units.std(axis=1, ddof=1) / math.sqrt(n)
        estimates = [Estimate(*pair, n - 1) for pair in zip(means.tolist(), errors.tolist(), strict=True)]
        found = this_suite(estimates, known)
        hits += found.low <= 0 <= found.high
    return hits / runs


@pytest.mark.parametrize(("targets", "n"), [(10, 5), (50, 10)])
def test_its_coverage_is_what_it_says(targets, n):
    assert covered(targets, n, shared=0.0, known=0.0) == pytest.approx(0.97, abs=0.013)


def test_a_shared_day_effect_breaks_it_unless_it_is_known():
    assert covered(50, 10, shared=0.002, known=0.0) < 0.6
    assert covered(50, 10, shared=0.002, known=0.002) == pytest.approx(0.972, abs=0.013)
