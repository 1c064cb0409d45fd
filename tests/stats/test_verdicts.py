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
        (0.0019, 0.0079, "same", None),
        (-0.0079, 0.0079, "same", None),
        (0.0019, 0.0081, "inconclusive", None),
        (-0.0081, 0.0079, "inconclusive", None),
        (0.0019, 0.0101, "inconclusive", None),
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
    """The bound is the far end of the interval and the band on top of it: 0.7 % and 0.2 %."""
    found = judged(-0.004, 0.007)
    assert found.verdict == "same"
    assert found.bound == pytest.approx(0.009)
    assert found.smallest_effect == pytest.approx(0.002 + 1.5473 * 0.0055, rel=1e-4)


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


def test_a_large_effect_in_much_noise_needs_fewer_launches_than_a_small_one():
    small, large = (
        judge(spread_units(8, theta, 0.1), beta=0.002, process_errors=[1.0]).more_launches for theta in (0.0, 0.05)
    )
    assert 0 < large < small / 10


def spread_units(n, theta, sd):
    """n units (n even) with this mean and standard deviation."""
    scale = sd / interval([1.0, -1.0] * (n // 2)).sd
    return [theta + scale * sign for sign in [1.0, -1.0] * (n // 2)]


UNDECIDED = [(0.00575, 0.005), (0.0045, 0.004), (0.0, 0.02), (-0.0055, 0.0049), (0.009, 0.012), (0.007, 0.03)]


@pytest.mark.parametrize("bias", [0.0, 0.001, 0.003])
@pytest.mark.parametrize(("theta", "sd"), UNDECIDED)
def test_what_inconclusive_asks_for_leads_to_a_decision(theta, sd, bias):
    """As many launches as asked for, with the same mean and sd: decided after two such rounds."""
    n = 8
    for _ in range(3):
        found = judge(spread_units(n, theta, sd), beta=0.002, bias=bias, process_errors=[1.0])
        if found.verdict != "inconclusive" or found.more_launches is None:
            break
        n += found.more_launches + found.more_launches % 2
    assert n > 8 and (found.verdict in ("faster", "slower", "same") or found.more_launches is None)


def test_no_number_of_launches_is_promised_where_switching_alone_is_too_much():
    found = judge(spread_units(8, 0.0, 0.003), beta=0.002, bias=0.009)
    assert (found.verdict, found.more_launches) == ("inconclusive", None)


def test_fewer_than_five_units_are_indicative_without_an_interval():
    found = judge([0.5, 0.51, 0.5, 0.49], beta=0.002)
    assert found.verdict == "indicative"
    assert found.ratio == pytest.approx(math.exp(0.5))
    assert (found.low, found.high, found.smallest_effect) == (None, None, None)
    assert found.note == "an interval needs 5 launches: 4 measured"


def test_no_units_are_inconclusive_without_a_ratio():
    found = judge([], beta=0.002)
    assert (found.verdict, found.ratio, found.note) == ("inconclusive", None, "no complete couple")
    assert judge([], beta=0.002, invalid_share=1.0).verdict == "unstable"


# one launch


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.051, 0.06, "faster"),
        (-0.06, -0.051, "slower"),
        (0.049, 0.06, "indicative"),
        (-0.06, -0.049, "indicative"),
        (0.02, 0.03, "indicative"),
        (-0.002, 0.003, "indicative"),
        (-0.02, 0.02, "indicative"),
    ],
)
def test_one_launch_says_a_word_only_beyond_what_its_layout_can_do(low, high, verdict):
    found = judged(low, high, one_launch=True)
    assert (found.verdict, found.beta) == (verdict, 0.05)
    assert (found.bound, found.more_launches) == (None, None)
    said = "one launch says nothing below 5 %: --effort standard does"
    assert found.note == (said if verdict == "indicative" else "")


def test_one_launch_is_not_unstable_for_a_twin_within_its_layout():
    assert judged(0.12, 0.13, one_launch=True, twin=interval([0.049] * 5)).verdict == "faster"
    assert judged(0.12, 0.13, one_launch=True, twin=interval([0.051] * 5)).verdict == "unstable"


# each cause of unstable, alone


def test_more_than_a_fifth_of_invalid_quads_is_unstable():
    assert judged(0.02, 0.03, invalid_share=0.20).verdict == "faster"
    found = judged(0.02, 0.03, invalid_share=0.21)
    assert (found.verdict, found.note) == ("unstable", "21 % of the samples were disturbed")
    why = judged(0.02, 0.03, invalid_share=0.21, load="the machine was busy").note
    assert why == "21 % of the samples were disturbed: the machine was busy"


def test_a_difference_that_a_quarter_of_the_units_denies_is_unstable():
    units = [0.01] * 5 + [-0.0001] * 3
    assert interval(units).low > 0.0
    found = judge(units, beta=0.0)
    assert (found.verdict, found.note) == ("unstable", "only 5 of 8 launches or blocks agree on which is faster")
    assert judge([0.01] * 6 + [-0.0001] * 2, beta=0.0).verdict == "faster"


def test_units_of_both_signs_around_zero_are_not_unstable():
    assert judged(-0.005, 0.005).verdict == "same"


def test_a_baseline_that_differs_from_its_twin_is_unstable():
    """Five units of 1 to 1.4 %: t(.9975, 4) = 5.5976, so 1.2 % - 0.396 % is surely beyond 0.8 %, not beyond 0.81 %."""
    twin = interval([0.010, 0.011, 0.012, 0.013, 0.014])
    found = judged(0.02, 0.03, beta=0.008, twin=twin)
    assert (found.verdict, found.note) == (
        "unstable",
        "the baseline and a copy of it differ by 1.20 %, so the measurement is off",
    )
    assert found.twin == pytest.approx(0.012)
    assert judged(0.02, 0.03, beta=0.0081, twin=twin).verdict == "faster"


def test_carry_over_of_the_variant_is_no_excuse_for_the_twin():
    twin = interval([0.004] * 5)
    assert judged(0.03, 0.04, beta=0.003, bias=0.002, twin=twin).verdict == "unstable"


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


# a bias that switching may have


def test_a_bias_widens_what_is_printed_and_what_is_judged():
    plain, widened = judged(0.010, 0.020), judged(0.010, 0.020, bias=0.004)
    assert (plain.verdict, widened.verdict) == ("faster", "faster")
    assert (widened.low, widened.high) == (pytest.approx(math.exp(0.006)), pytest.approx(math.exp(0.024)))
    assert widened.ratio == plain.ratio and widened.units == plain.units
    assert widened.smallest_effect > plain.smallest_effect


@pytest.mark.parametrize(
    ("low", "high", "bias", "verdict"),
    [
        (0.010, 0.020, 0.0079, "faster"),
        (0.010, 0.020, 0.0081, "inconclusive"),
        (-0.020, -0.010, 0.0081, "inconclusive"),
        (-0.003, 0.003, 0.0049, "same"),
        (-0.003, 0.003, 0.0051, "inconclusive"),
    ],
)
def test_no_word_is_said_that_the_bias_could_undo(low, high, bias, verdict):
    assert judged(low, high, bias=bias).verdict == verdict


# samples that were left out


@pytest.mark.parametrize("moved", [0.06, -0.06])
def test_leaving_out_that_moves_the_ratio_is_unstable(moved):
    found = judged(0.10, 0.11, with_left_out=[0.105 + moved] * 8)
    assert found.verdict == "unstable"
    assert found.note == "leaving disturbed samples out moves the ratio by 6 %: long calls are disturbed more"


def test_cold_caches_after_a_preemption_are_no_such_finding():
    assert judged(0.10, 0.11, with_left_out=[0.105 - 0.049] * 8).verdict == "faster"


def test_a_move_within_the_noise_is_no_such_finding():
    assert judged(0.2, 0.4, with_left_out=[0.3 - 0.19] * 8).verdict == "faster"
    assert judged(0.2, 0.4, with_left_out=[0.3 - 0.21] * 8).verdict == "unstable"


@pytest.mark.parametrize("moved", [0.012, -0.012])
def test_what_samples_that_were_left_out_move_the_ratio_by_widens_the_interval(moved):
    usual, found = judged(0.10, 0.11), judged(0.10, 0.11, with_left_out=[0.105 + moved] * 8)
    assert found.ratio == usual.ratio and found.verdict == "faster"
    assert math.log(usual.low / found.low) == pytest.approx(0.012)
    assert math.log(found.high / usual.high) == pytest.approx(0.012)


def test_without_samples_that_were_left_out_nothing_is_said():
    assert judged(0.10, 0.11, with_left_out=[]).verdict == "faster"


# typical calls and all calls together


def both(total, usual, **options):
    """Totals and typical calls with intervals of half a per cent to each side."""
    return judged(total - 0.005, total + 0.005, typical=eight(usual - 0.005, usual + 0.005), **options)


def test_typical_calls_that_agree_with_the_total_are_stored_and_not_talked_about():
    found = both(0.10, 0.109)
    assert (found.verdict, found.note) == ("faster", "")
    assert found.typical == pytest.approx(math.exp(0.109))
    assert found.typical_low == pytest.approx(math.exp(0.104)) and found.typical_high == pytest.approx(math.exp(0.114))


def test_where_they_differ_by_more_than_both_intervals_both_are_said():
    found = both(0.30, 0.40)
    assert (found.verdict, found.note) == ("faster", "typical call 1.49x, in all 1.35x")
    tail = "8 % of the samples of optimized take 30 % of its time"
    assert both(0.30, 0.40, tail=tail).note == f"typical call 1.49x, in all 1.35x: {tail}"


def test_the_total_gives_the_verdict():
    assert both(-0.30, 0.0).verdict == "slower"
    assert both(0.0, 0.30).verdict == "same"


@pytest.mark.parametrize("sign", [1, -1])
def test_a_typical_call_that_gets_faster_while_the_total_gets_slower_is_unstable(sign):
    found = both(-0.30 * sign, 0.40 * sign)
    assert found.verdict == "unstable"
    assert found.note.startswith("typical calls and all calls together disagree; typical call ")


def test_opposite_signs_within_the_band_are_no_disagreement():
    assert both(-0.006, 0.2, beta=0.002).verdict == "inconclusive"


def test_typical_calls_of_too_few_launches_say_nothing():
    found = judge([0.3] * 4, beta=0.002, typical=[-0.3] * 4)
    assert (found.verdict, found.note) == ("indicative", "an interval needs 5 launches: 4 measured")
    assert found.typical == pytest.approx(math.exp(-0.3)) and found.typical_low is None


def test_one_launch_says_so_and_says_what_typical_calls_say():
    found = both(0.02, 0.12, one_launch=True)
    assert found.verdict == "indicative"
    assert found.note == "typical call 1.13x, in all 1.020x; one launch says nothing below 5 %: --effort standard does"


# bands, levels, words


def test_the_systematic_band_is_the_machines_plus_tick():
    assert systematic_band("cuda:0", 8) == 0.001
    assert systematic_band("cpu", 5) == 0.002
    assert systematic_band("cpu", 1) == systematic_band("cpu", 4) == 0.05
    assert systematic_band("cpu", 8, tick_share=0.0005) == pytest.approx(0.0025)


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
        assert -delta < estimate.low - beta and estimate.high + beta < delta and delta >= 2 * beta
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


@settings(deadline=None)
@given(st.lists(effects, min_size=5, max_size=20), bands, deltas, st.floats(0.0, 0.05))
def test_a_bias_never_makes_a_word_and_no_interval_narrower(units, beta, delta, bias):
    plain, widened = judge(units, beta=beta, delta=delta), judge(units, beta=beta, delta=delta, bias=bias)
    assert widened.low <= plain.low and plain.high <= widened.high
    if plain.verdict not in ("faster", "slower", "unstable"):
        assert widened.verdict not in ("faster", "slower")
    if plain.verdict not in ("same", "unstable"):
        assert widened.verdict != "same"
