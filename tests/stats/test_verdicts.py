import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from perfproof.stats.stopping import launches_needed
from perfproof.stats.units import interval
from perfproof.stats.verdicts import judge, simultaneous_level, systematic_band, words

PATTERN = [-1.0, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1.0]  # eight units without a gap worth calling two modes


def eight(low, high):
    """Eight units whose 97 % interval is [low, high]."""
    scale = (high - low) / 2 / interval(PATTERN).half_width
    return [(low + high) / 2 + scale * unit for unit in PATTERN]


def judged(low, high, **options):
    return judge(eight(low, high), **{"beta": 0.002, "delta": 0.01, **options})


# the rule


@pytest.mark.parametrize(
    ("low", "high", "verdict", "size"),
    [
        (0.0201, 0.0301, "faster", "material"),
        (0.0101, 0.0301, "faster", "material"),
        (0.0099, 0.0301, "faster", "unclear"),
        (0.0021, 0.0101, "faster", "unclear"),
        (0.0021, 0.0099, "faster", "small"),
        (0.0019, 0.0099, "same", None),
        (-0.0099, 0.0099, "same", None),
        (0.0019, 0.0101, "inconclusive", None),
        (-0.0101, 0.0099, "inconclusive", None),
        (-0.0101, -0.0021, "slower", "unclear"),
        (-0.0301, -0.0101, "slower", "material"),
        (-0.0099, -0.0021, "slower", "small"),
    ],
)
def test_the_word_follows_from_where_the_interval_lies(low, high, verdict, size):
    found = judged(low, high)
    assert (found.verdict, found.size) == (verdict, size)
    assert found.ratio == pytest.approx(math.exp((low + high) / 2))
    assert (found.low, found.high) == (pytest.approx(math.exp(low)), pytest.approx(math.exp(high)))


def test_same_owes_a_bound_and_the_smallest_effect_it_would_have_found():
    found = judged(-0.004, 0.008)
    assert found.verdict == "same"
    assert found.bound == pytest.approx(0.008)
    assert found.smallest_effect == pytest.approx(0.002 + 1.5473 * 0.006, rel=1e-4)


def test_only_same_has_a_bound_and_only_inconclusive_asks_for_more():
    assert judged(0.02, 0.03).bound is None
    assert judged(0.02, 0.03).more_launches is None
    assert judged(-0.005, 0.005).more_launches is None


def test_same_is_not_offered_where_delta_is_below_twice_the_band():
    found = judged(-0.001, 0.001, delta=0.0039)
    assert found.verdict == "inconclusive"
    assert "`same` is not offered" in found.note
    assert judged(-0.001, 0.001, delta=0.004).verdict == "same"


def test_inconclusive_says_how_many_launches_it_still_needs():
    units = eight(-0.015, 0.015)
    found = judge(units, beta=0.002)
    assert found.more_launches == launches_needed(interval(units).sd, 0.002, 0.01) - 8 > 0


def test_inconclusive_asks_for_more_even_where_the_planned_precision_is_reached():
    """[0.1 %, 1.05 %]: narrow enough to find 1 %, yet neither clear of the band nor inside delta.

    The room around 0.575 % is 0.425 % and h is 0.475 %. t(.985, n-1)/sqrt(n) is 0.960 at 8 and has to fall below
    0.960 x 425/475 = 0.859: 0.878 at 9, 0.814 at 10.
    """
    found = judged(0.001, 0.0105)
    assert launches_needed(interval(eight(0.001, 0.0105)).sd, 0.002, 0.01) <= 8
    assert found.verdict == "inconclusive"
    assert found.more_launches == 2


def test_fewer_than_five_units_are_indicative_without_an_interval():
    found = judge([0.5, 0.51, 0.5, 0.49], beta=0.002)
    assert found.verdict == "indicative"
    assert found.ratio == pytest.approx(math.exp(0.5))
    assert (found.low, found.high, found.smallest_effect) == (None, None, None)
    assert "4 units" in found.note


def test_no_units_are_inconclusive_without_a_ratio():
    found = judge([], beta=0.002)
    assert (found.verdict, found.ratio, found.note) == ("inconclusive", None, "no complete couple")
    assert judge([], beta=0.002, invalid_share=1.0).verdict == "unstable"


# one launch


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.011, 0.02, "faster"),
        (-0.02, -0.011, "slower"),
        (0.005, 0.02, "indicative"),
        (-0.002, 0.003, "indicative"),
        (-0.02, 0.02, "indicative"),
    ],
)
def test_one_launch_says_a_word_only_beyond_what_its_layout_can_do(low, high, verdict):
    found = judged(low, high, one_launch=True)
    assert (found.verdict, found.beta) == (verdict, 0.01)
    assert (found.bound, found.more_launches) == (None, None)
    assert ("one launch" in found.note) == (verdict == "indicative")


def test_one_launch_is_not_unstable_for_a_twin_within_its_layout():
    twin = interval([0.005] * 5)
    assert judged(0.02, 0.03, one_launch=True, twin=twin, twin_beta=0.002).verdict == "faster"
    assert judged(0.02, 0.03, one_launch=True, twin=interval([0.011] * 5), twin_beta=0.002).verdict == "unstable"


# each cause of unstable, alone


def test_more_than_a_fifth_of_invalid_quads_is_unstable():
    assert judged(0.02, 0.03, invalid_share=0.20).verdict == "faster"
    found = judged(0.02, 0.03, invalid_share=0.21)
    assert (found.verdict, found.note) == ("unstable", "21 % of the quads are invalid")


def test_a_difference_that_a_quarter_of_the_units_denies_is_unstable():
    units = [0.01] * 5 + [-0.0001] * 3
    assert interval(units).low > 0.0
    found = judge(units, beta=0.0)
    assert (found.verdict, found.note) == ("unstable", "only 5 of 8 units agree in sign")
    assert judge([0.01] * 6 + [-0.0001] * 2, beta=0.0).verdict == "faster"


def test_units_of_both_signs_around_zero_are_not_unstable():
    assert judged(-0.005, 0.005).verdict == "same"


def test_a_baseline_that_differs_from_its_twin_is_unstable():
    """Five units of 1 to 1.4 %: t(.9975, 4) = 5.5976, so 1.2 % - 0.396 % is surely beyond 0.8 %, not beyond 0.81 %."""
    twin = interval([0.010, 0.011, 0.012, 0.013, 0.014])
    found = judged(0.02, 0.03, twin=twin, twin_beta=0.008)
    assert (found.verdict, found.note) == ("unstable", "the baseline differs from its own twin by 1.20 %")
    assert found.twin == pytest.approx(0.012)
    assert judged(0.02, 0.03, twin=twin, twin_beta=0.0081).verdict == "faster"


def test_the_twin_is_held_against_the_variants_band_unless_given_its_own():
    twin = interval([0.004] * 5)
    assert judged(0.03, 0.04, beta=0.005, twin=twin).verdict == "faster"
    assert judged(0.03, 0.04, beta=0.003, twin=twin).verdict == "unstable"


def test_a_twin_of_too_few_units_says_nothing():
    assert judged(0.02, 0.03, twin=interval([0.5] * 4)).verdict == "faster"


def test_modes_with_different_verdicts_are_unstable_and_both_are_listed():
    found = judge([math.log(1.9)] * 12 + [math.log(0.06)] * 2, beta=0.002, process_errors=[0.003] * 28)
    assert (found.verdict, found.note) == ("unstable", "modes: 12 of 14 at 1.90x, 2 of 14 at 0.06x")
    assert [(launches, round(ratio, 2)) for launches, ratio in found.modes] == [(2, 0.06), (12, 1.9)]


def test_modes_with_one_verdict_are_listed_and_judged():
    found = judge([0.60, 0.61, 0.62, 0.60, 0.61, 0.70, 0.71, 0.72], beta=0.002, process_errors=[0.003] * 16)
    assert found.verdict == "faster"
    assert [launches for launches, _ in found.modes] == [5, 3]


def test_a_gap_within_the_noise_of_a_process_is_no_mode():
    units = [0.0] * 6 + [0.03] * 2
    assert judge(units, beta=0.002, process_errors=[0.001]).verdict == "unstable"
    assert judge(units, beta=0.002, process_errors=[0.006]).verdict == "inconclusive"


# bands, levels, words


def test_the_systematic_band_is_the_machines_plus_tick_plus_carry():
    assert systematic_band("cuda:0", 8) == 0.001
    assert systematic_band("cpu", 5) == 0.002
    assert systematic_band("cpu", 1) == systematic_band("cpu", 4) == 0.01
    assert systematic_band("cpu", 8, tick_share=0.0005, carry=0.003) == pytest.approx(0.0055)


def test_three_variants_share_the_error_of_one():
    assert simultaneous_level(0.97, 1) == pytest.approx(0.97)
    assert simultaneous_level(0.97, 3) == pytest.approx(0.99)


@pytest.mark.parametrize("claim", ["memory", "energy", "startup"])
def test_other_claims_are_better_or_worse(claim):
    assert (words("faster", claim), words("slower", claim), words("same", claim)) == ("better", "worse", "same")
    assert (words("faster", "time"), words("slower", "time")) == ("faster", "slower")


# properties

effects = st.floats(-0.05, 0.05)
some_units = st.lists(effects, min_size=1, max_size=20)
bands = st.floats(0.0, 0.02)
deltas = st.floats(0.001, 0.05)
MIRROR = {"faster": "slower", "slower": "faster"}


@settings(deadline=None)
@given(some_units, bands, deltas, st.booleans())
def test_swapping_the_sides_mirrors_the_judgement(units, beta, delta, one_launch):
    gaps = sorted(b - a for a, b in zip(sorted(units), sorted(units)[1:], strict=False))
    assume(len(gaps) < 2 or gaps[-1] > gaps[-2])  # two equal widest gaps: which one splits is a matter of order
    found = judge(units, beta=beta, delta=delta, one_launch=one_launch)
    mirrored = judge([-unit for unit in units], beta=beta, delta=delta, one_launch=one_launch)
    assert mirrored.verdict == MIRROR.get(found.verdict, found.verdict)
    assert (mirrored.size, mirrored.bound, mirrored.smallest_effect, mirrored.more_launches) == (
        found.size,
        found.bound,
        found.smallest_effect,
        found.more_launches,
    )
    assert mirrored.ratio == pytest.approx(1 / found.ratio)
    if found.low is not None:
        assert mirrored.high == pytest.approx(1 / found.low)


@settings(deadline=None)
@given(some_units, bands, deltas, st.randoms(use_true_random=False))
def test_the_order_of_the_units_changes_nothing(units, beta, delta, rng):
    found = judge(units, beta=beta, delta=delta)
    shuffled = judge(rng.sample(units, len(units)), beta=beta, delta=delta)
    assert (shuffled.verdict, shuffled.low, shuffled.high, shuffled.modes) == (
        found.verdict,
        found.low,
        found.high,
        found.modes,
    )


@settings(deadline=None)
@given(st.lists(st.floats(-0.01, 0.01), min_size=5, max_size=20), bands, deltas)
def test_a_verdict_never_says_more_than_its_interval(units, beta, delta):
    found, estimate = judge(units, beta=beta, delta=delta), interval(units)
    if found.verdict == "same":
        assert -delta < estimate.low and estimate.high < delta and delta >= 2 * beta
        assert found.bound < delta
    if found.verdict == "faster":
        assert estimate.low > beta and sum(unit > 0 for unit in units) >= 0.75 * len(units)
    if found.verdict == "slower":
        assert estimate.high < -beta and sum(unit < 0 for unit in units) >= 0.75 * len(units)


@settings(deadline=None)
@given(st.lists(effects, min_size=5, max_size=20), bands, deltas, st.floats(1.01, 20.0))
def test_more_noise_alone_never_makes_a_difference(units, beta, delta, factor):
    """Spreading the units around their own mean widens the interval and nothing else: no claim can come of it."""
    centre = interval(units)
    assume(centre.sd > 1e-6)
    wider = [centre.theta + factor * (unit - centre.theta) for unit in units]
    before, after = judge(units, beta=beta, delta=delta), judge(wider, beta=beta, delta=delta)
    if before.verdict not in ("faster", "slower"):
        assert after.verdict not in ("faster", "slower")


@settings(deadline=None)
@given(st.lists(effects, min_size=5, max_size=20), bands, deltas)
def test_a_wider_band_never_makes_a_difference(units, beta, delta):
    if judge(units, beta=beta, delta=delta).verdict in ("same", "inconclusive"):
        assert judge(units, beta=beta + 0.01, delta=delta).verdict not in ("faster", "slower")
