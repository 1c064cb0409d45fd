"""The screen of `verify`: worked numbers, and the flag rates and powers published with its design (seeded)."""

import math

import numpy
import pytest

from perfproof.stats.expectation import (
    PRIOR_TAU,
    Measured,
    detectable_errors,
    one_a_date,
    own_variance,
    pooled_variance,
    screen,
    shrunk_variance,
)
from perfproof.stats.multiple import holm, one_sided_p

ERROR = 0.0025  # s of the tables: the standard error of one run's ratio


def days(*thetas, error=0.0, n=10):
    return [Measured(theta, error, n) for theta in thetas]


def test_what_days_differ_by_is_their_variance_less_their_own_errors():
    assert own_variance(days(0.0, 0.02, error=0.01)) == pytest.approx(0.0002 - 0.0001)
    assert own_variance(days(0.0, 0.001, error=0.01)) == 0.0
    assert own_variance(days(0.5)) is None


def test_few_days_are_drawn_towards_the_kind_of_machine():
    prior = PRIOR_TAU**2
    assert shrunk_variance(days(0.1), prior) == prior
    assert shrunk_variance(days(0.0, 0.0), prior) == pytest.approx(4 * prior / 5)
    many = days(*([0.0, 0.04] * 50))
    assert shrunk_variance(many, prior) == pytest.approx(0.0004, rel=0.1)


def test_the_kind_has_one_per_cent_until_five_targets_have_three_days():
    spread = days(0.0, 0.02, 0.04)
    assert pooled_variance([spread] * 4) == PRIOR_TAU**2
    assert pooled_variance([days(0.0, 0.02)] * 9) == PRIOR_TAU**2
    assert pooled_variance([spread] * 5) == pytest.approx(0.0004)


def test_a_screen_by_hand():
    seen = screen(days(0.10, 0.10, error=0.003), Measured(0.04, 0.004, 9), prior=0.0001)
    tau2 = (4 * 0.0001 + 1 * 0.0) / 5
    assert seen.error == pytest.approx(math.sqrt(0.004**2 + 0.003**2 / 2 + tau2 * 1.5))
    assert seen.freedom == 5 and seen.difference == pytest.approx(-0.06) and seen.expected == pytest.approx(0.10)
    assert seen.limit == pytest.approx(3.365 * seen.error, rel=1e-3) and seen.flagged
    assert not screen(days(0.10, 0.10, error=0.003), Measured(0.07, 0.004, 9), prior=0.0001).flagged


def test_another_machine_makes_the_gate_wider():
    here = screen(days(0.1), Measured(0.1, 0.001, 9), 0.0001)
    there = screen(days(0.1), Measured(0.1, 0.001, 9), 0.0001, machine=0.0001)
    assert there.error**2 - here.error**2 == pytest.approx(0.0001) and there.detectable > here.detectable


def test_a_screen_without_days_or_with_one_unit_is_refused():
    with pytest.raises(ValueError, match="measuring day"):
        screen([], Measured(0.1, 0.001, 9), 0.0001)
    with pytest.raises(ValueError, match="two units"):
        screen(days(0.1), Measured(0.1, 0.001, 1), 0.0001)


def test_several_runs_of_one_date_are_one_day():
    found = one_a_date([("2025-01-02", Measured(0.3, 0.03, 8)), ("2025-01-01", Measured(0.1, 0.04, 9))] * 2)
    assert [one.theta for one in found] == [0.1, 0.3]
    assert found[0].error == pytest.approx(0.04 / math.sqrt(2)) and found[1].n == 8


def test_about_four_standard_errors_are_seen():
    assert detectable_errors(12) == pytest.approx(4.1, abs=0.02)
    assert detectable_errors(1e6) == pytest.approx(2.326 + 1.282, abs=0.01)


def known(tau, n=10):
    """The screen of five days whose spread is exactly what tau and their errors make it."""
    steps = numpy.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    thetas = steps / steps.std(ddof=1) * math.sqrt(tau**2 + ERROR**2)
    return screen(days(*thetas.tolist(), error=ERROR, n=n), Measured(0.0, ERROR, n), tau**2)


def differences(tau, count, seed):
    """Today less the mean of five days, for a target that did not change."""
    rng = numpy.random.default_rng(seed)
    today = rng.normal(0, math.hypot(tau, ERROR), count)
    return today - rng.normal(0, math.hypot(tau, ERROR) / math.sqrt(5), count)


@pytest.mark.parametrize("tau", [0.0025, 0.005, 0.01])
def test_half_a_target_of_150_unchanged_ones_is_flagged_whatever_days_differ_by(tau):
    flagged = numpy.abs(differences(tau, 150 * 2000, seed=3)) > known(tau).limit
    assert 150 * flagged.mean() == pytest.approx(0.45, abs=0.15)


@pytest.mark.parametrize(
    ("tau", "powers"),
    [
        (0.0025, {0.01: 0.38, 0.015: 0.85, 0.02: 0.99, 0.03: 1.0}),
        (0.005, {0.01: 0.11, 0.015: 0.36, 0.02: 0.67, 0.03: 0.98, 0.05: 1.0}),
        (0.01, {0.01: 0.02, 0.015: 0.07, 0.02: 0.15, 0.03: 0.44, 0.05: 0.95}),
    ],
)
def test_the_power_of_the_screen(tau, powers):
    drawn = differences(tau, 50_000, seed=4)
    for effect, power in powers.items():
        assert (numpy.abs(drawn - effect) > known(tau).limit).mean() == pytest.approx(power, abs=0.04), effect


def test_a_suite_of_150_unchanged_targets_is_flagged_now_and_then_and_never_confirmed():
    """Five days each, tau estimated from them; of what is flagged twenty launches are drawn, corrected by Holm."""
    rng, tau, flags, confirmed = numpy.random.default_rng(8), 0.005, 0, 0
    for _ in range(20):
        past = rng.normal(0, math.hypot(tau, ERROR), (150, 5)).tolist()
        today = rng.normal(0, math.hypot(tau, ERROR), 150).tolist()
        seen = [
            screen(days(*thetas, error=ERROR), Measured(theta, ERROR, 10), tau**2)
            for thetas, theta in zip(past, today, strict=True)
        ]
        trials = rng.normal(0, 0.007, (sum(one.flagged for one in seen), 20))
        errors = trials.std(axis=1, ddof=1) / math.sqrt(20)
        values = [one_sided_p(-t, e, 19, 0.001) for t, e in zip(trials.mean(axis=1), errors, strict=True)]
        flags, confirmed = flags + len(values), confirmed + sum(holm(values, total=300))
    assert confirmed == 0 and 0.2 < flags / 20 < 2


def test_what_it_says_it_can_see_it_flags_in_nine_of_ten():
    """With everything estimated as in use: errors from units, tau from the days."""
    rng, found, count = numpy.random.default_rng(5), 0, 2000
    for _ in range(count):
        past = [Measured(float(theta), 0.002, 20) for theta in rng.normal(0, math.hypot(0.01, 0.002), 10)]
        today = rng.normal(0, 0.01) + rng.normal(0, 0.002)
        seen = screen(past, Measured(today, 0.002, 20), 0.01**2)
        found += abs(today - seen.detectable - seen.expected) > seen.limit
    assert found / count == pytest.approx(0.92, abs=0.03)
