"""Bounds of p values: never below the exact one, and close enough to it to be of use."""

import importlib
import itertools
import math

import numpy
import pytest

from perfproof.stats import chance


@pytest.fixture(scope="module")
def stats():
    """Imported when a test needs it: that takes a second, and every process that collects tests reads this file."""
    return importlib.import_module("scipy.stats")


@pytest.mark.parametrize(("statistic", "cells"), [(10.0, 2), (40.0, 8), (100.0, 16), (35.0, 1), (300.0, 200)])
def test_a_chi_square_bound_is_above_the_exact_tail_and_within_a_factor_of_a_hundred(stats, statistic, cells):
    exact = stats.chi2.sf(statistic, cells)
    assert exact <= chance.chi_square(statistic, cells) <= 100 * exact


def test_a_statistic_below_its_mean_says_nothing():
    assert chance.chi_square(3.0, 8) == 1.0


def test_the_bound_of_two_samples_holds_for_every_split_of_few_draws():
    """All ways to divide ten draws in three cells into two samples of five, against the exact share of each."""
    codes = numpy.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
    bounds = []
    for chosen in itertools.combinations(range(10), 5):
        mine = numpy.zeros(10, bool)
        mine[list(chosen)] = True
        bounds.append(chance.two_samples(codes[mine], codes[~mine]))
    bounds = numpy.array(bounds)
    assert all((bounds <= level).mean() <= level for level in bounds)


def test_two_samples_of_other_sources_are_told_apart():
    ours, theirs = (numpy.repeat([0, 1, 2], counts) for counts in ([100, 300, 600], [300, 400, 300]))
    assert chance.two_samples(ours, theirs) < 1e-20
    assert chance.two_samples(ours, ours) == 1.0


@pytest.mark.parametrize(
    ("count", "trials", "probability"), [(70, 100, 0.5), (3, 40, 0.5), (30, 100, 0.1), (9, 9, 0.5)]
)
def test_a_share_is_bounded_by_the_exact_binomial(stats, count, trials, probability):
    exact = stats.binomtest(count, trials, probability).pvalue
    assert exact <= chance.share(count, trials, probability) <= max(50 * exact, 50 * 2.0**-trials)


def test_a_share_of_nothing_says_nothing():
    assert chance.share(0, 0, 0.5) == 1.0


@pytest.mark.parametrize(("together", "ours", "theirs", "trials"), [(30, 40, 50, 100), (0, 20, 30, 60), (5, 5, 6, 80)])
def test_an_association_is_bounded_by_fisher_s_exact_test(stats, together, ours, theirs, trials):
    table = [[together, ours - together], [theirs - together, trials - ours - theirs + together]]
    exact = stats.fisher_exact(table).pvalue
    assert exact <= chance.association(*map(numpy.array, (ours, theirs, together, trials))) <= exact**0.4


def test_a_column_that_never_changes_goes_together_with_nothing():
    mine, other = numpy.array([50, 25]), numpy.array([25, 50])
    assert (chance.association(mine, other, numpy.array([25, 25]), numpy.array([50, 50])) == 1.0).all()


@pytest.mark.parametrize("values", [[0.5], [0.01, 0.2, 0.9], [1e-5] * 6, [1.0, 1.0]])
def test_combined_p_values_are_fisher_s(stats, values):
    expected = stats.combine_pvalues(values).pvalue
    assert math.isclose(chance.combined(values), expected, rel_tol=1e-9)
