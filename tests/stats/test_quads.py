import itertools
import math
import random
from collections import Counter
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.stats.carryover import carry_over_test
from perfproof.stats.quads import (
    ORDERS,
    STAY_ORDERS,
    Quad,
    Sample,
    carry_over,
    draw_orders,
    log_ratio,
    process_value,
    schedule,
    stay_value,
)


def quad(order, *seconds, kind="optimized", invalid=()):
    sides = ["baseline" if letter == "A" else kind for letter in order]
    samples = [
        Sample(side, value, start_ns=at, end_ns=at + 1, calls=1, valid=at not in invalid)
        for at, (side, value) in enumerate(zip(sides, seconds, strict=True))
    ]
    return Quad(kind, tuple(samples))


def quads_with_ratios(*ratios):
    return [quad("ABBA", math.exp(ratio), 1.0, 1.0, math.exp(ratio)) for ratio in ratios]


def synthetic_process(rng, *, theta, cost, noise=0.005, drift=0.0, quads=50, variants=("optimized",), among=ORDERS):
    """Samples with a known speed-up `theta` of every variant and a known cost of switching to a side, all in logs."""
    before, made, at = None, [], 0
    for kind, order in schedule(variants, quads, rng, among):
        samples = []
        for letter in order:
            side = "baseline" if letter == "A" else kind
            log_seconds = rng.gauss(0, noise) + drift * at / (4 * quads) - (theta if side in variants else 0.0)
            if before not in (None, side):
                log_seconds += cost.get(side, 0.0)
            samples.append(Sample(side, 1e-3 * math.exp(log_seconds), at, at + 1, 1))
            before, at = side, at + 1
        made.append(Quad(kind, tuple(samples)))
    return made


def of(kind, quads):
    return [one for one in quads if one.kind == kind]


# orders and schedule


@pytest.mark.parametrize("count", [0, 1, 4, 50])
def test_every_group_of_four_orders_holds_each_once(count):
    orders = draw_orders(count, random.Random(7))
    assert len(orders) == count
    for start in range(0, count - 3, 4):
        assert sorted(orders[start : start + 4]) == sorted(ORDERS)


def test_orders_are_shuffled_and_repeat_with_the_seed():
    assert draw_orders(40, random.Random(1)) == draw_orders(40, random.Random(1)) != draw_orders(40, random.Random(2))
    assert len({tuple(draw_orders(4, random.Random(seed))) for seed in range(200)}) == 24


def test_the_stay_scheme_draws_only_orders_whose_samples_repeat():
    assert Counter(draw_orders(10, random.Random(3), STAY_ORDERS)) == {"AABB": 5, "BBAA": 5}


@pytest.mark.parametrize("variants", [("optimized",), ("one", "two", "three")])
def test_one_quad_in_five_is_the_twins_and_the_others_are_shared_evenly(variants):
    planned = schedule(variants, 50, random.Random(5))
    kinds = [kind for kind, _ in planned]
    assert kinds.count("twin") == 10
    counts = [kinds.count(variant) for variant in variants]
    assert sum(counts) == 40 and max(counts) - min(counts) <= 1


def test_a_comparison_is_one_block_and_the_blocks_come_in_any_order():
    first = set()
    for seed in range(50):
        kinds = [kind for kind, _ in schedule(("one", "two"), 50, random.Random(seed))]
        assert sum(a != b for a, b in itertools.pairwise(kinds)) == 2
        first.add(kinds[0])
    assert first == {"one", "two", "twin"}


def test_the_orders_are_balanced_inside_each_comparison():
    planned = schedule(("one", "two"), 50, random.Random(5))
    assert Counter(order for kind, order in planned if kind == "one") == dict.fromkeys(ORDERS, 5)


# what a quad and a process say


@pytest.mark.parametrize("order", ORDERS)
def test_a_variant_that_takes_half_the_time_has_a_log_ratio_of_log_two(order):
    seconds = [2e-3 if letter == "A" else 1e-3 for letter in order]
    assert log_ratio(quad(order, *seconds)) == pytest.approx(math.log(2))


def test_the_log_ratio_is_mean_of_logs_minus_mean_of_logs():
    assert log_ratio(quad("AABB", 4.0, 1.0, 1.0, 1.0)) == pytest.approx(math.log(4) / 2)


def test_one_invalid_sample_makes_the_whole_quad_invalid():
    assert log_ratio(quad("ABBA", 1, 1, 1, 1, invalid=[2])) is None


def test_an_invalid_sample_may_hold_any_number_a_valid_one_may_not():
    Sample("baseline", 0.0, 0, 1, 1, valid=False)
    for seconds in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="no clock reads that"):
            Sample("baseline", seconds, 0, 1, 1)


def test_a_quad_holds_two_samples_of_each_side():
    with pytest.raises(ValueError, match="not two samples of each side"):
        quad("AAAB", 1, 1, 1, 1)


def test_the_process_value_is_the_median_with_its_error_from_the_mad():
    value = process_value([*quads_with_ratios(0.01, 0.02, 0.03, 0.04, 0.10), quad("AABB", 1, 1, 1, 9, invalid=[3])])
    assert value.median == pytest.approx(0.03)
    assert value.standard_error == pytest.approx(1.2533 * 1.4826 * 0.01 / math.sqrt(5), rel=1e-4)
    assert (value.valid, value.total) == (5, 6)


def test_a_process_without_a_valid_quad_has_no_value():
    value = process_value([quad("AABB", 1, 1, 1, 1, invalid=[0])])
    assert math.isnan(value.median) and math.isnan(value.standard_error) and value[2:] == (0, 1)


def test_the_error_from_the_mad_is_the_spread_of_the_median():
    rng = random.Random(11)
    values = [process_value(quads_with_ratios(*(rng.gauss(0, 0.02) for _ in range(40)))) for _ in range(600)]
    spread = math.sqrt(fmean(value.median**2 for value in values))
    assert fmean(value.standard_error for value in values) == pytest.approx(spread, rel=0.1)


def test_quads_of_two_comparisons_are_not_mixed_in_one_value():
    mixed = [quad("AABB", 1, 1, 1, 1), quad("AABB", 1, 1, 1, 1, kind="twin")]
    for value in (process_value, stay_value):
        with pytest.raises(ValueError, match="optimized and twin"):
            value(mixed)


def test_the_stay_value_reads_only_samples_that_follow_their_own_kind():
    quads = [
        quad("AABB", 99, 2, 99, 1),
        quad("BBAA", 99, 1, 99, 2),
        quad("ABBA", 99, 99, 99, 99),
        quad("AABB", 1, 1, 1, 1, invalid=[1]),
    ]
    value = stay_value(quads)
    assert value.median == pytest.approx(math.log(2))
    assert (value.valid, value.total) == (2, 3)


# carry-over


@pytest.mark.parametrize("cost", [{"optimized": 0.02}, {"baseline": 0.02}, {"baseline": 0.01, "optimized": 0.01}])
def test_carry_over_is_found_it_biases_the_plain_ratio_by_half_and_not_the_stay_ratio(cost):
    rng = random.Random(17)
    processes = [synthetic_process(rng, theta=0.05, cost=cost, drift=0.1) for _ in range(60)]
    expected = cost.get("optimized", 0.0) - cost.get("baseline", 0.0)
    measured = fmean(carry_over(quads, "optimized") for quads in processes)
    plain = fmean(process_value(of("optimized", quads)).median for quads in processes)
    stay = fmean(stay_value(of("optimized", quads)).median for quads in processes)
    assert measured == pytest.approx(expected, abs=0.0015)
    assert plain == pytest.approx(0.05 - expected / 2, abs=0.0008)
    assert stay == pytest.approx(0.05, abs=0.0008)


def test_a_side_that_burdens_what_follows_it_is_seen_over_processes():
    rng = random.Random(19)
    found = [carry_over(synthetic_process(rng, theta=0.0, cost={"baseline": 0.15}), "optimized") for _ in range(10)]
    verdict = carry_over_test(found, theta=0.075)
    assert verdict.significant and verdict.notable
    assert verdict.d == pytest.approx(-0.15, abs=0.005)


@pytest.mark.parametrize("drift", [0.0, 0.2, -0.2])
def test_a_drifting_clock_does_not_hide_carry_over_in_any_process(drift):
    rng = random.Random(23)
    for _ in range(10):
        quads = synthetic_process(rng, theta=0.05, cost={"optimized": 0.02}, noise=0.0005, drift=drift)
        assert carry_over(quads, "optimized") == pytest.approx(0.02, abs=0.004)


@pytest.mark.parametrize("other", ["twin", "optimized_tiled"])
def test_what_follows_neither_side_of_the_comparison_is_left_out(other):
    """The only A that does not follow B follows the other comparison: no A stays, so there is nothing to contrast."""
    quads = [quad("AABB", 1, 1, 1, 1, kind=other), quad("ABBA", 1, 1, 1, 1)] * 5
    assert carry_over(quads, "optimized") is None


def test_a_baseline_sample_of_another_comparison_counts_as_what_ran_before():
    quads = [quad("BBAA", 1, 1, 1, 1, kind="twin"), quad("ABBA", 1, 1, 1, 3)] * 9
    assert carry_over(quads, "optimized") == pytest.approx(-math.log(3))


def test_an_invalid_quad_gives_no_values_but_is_still_what_ran_before():
    slow_after_b = [quad("AABB", 1, 1, 1, 1), quad("ABBA", 2, 1, 1, 2), quad("BBAA", 1, 1, 2, 1)] * 8
    invalid = [
        Quad(one.kind, tuple(Sample(s.side, 50.0, 0, 1, 1, valid=False) for s in one.samples)) for one in slow_after_b
    ]
    mixed = [one for couple in zip(slow_after_b, invalid, strict=True) for one in couple]
    assert carry_over(invalid, "optimized") is None
    assert carry_over(mixed, "optimized") == pytest.approx(-math.log(2), rel=0.3)


def test_without_samples_of_every_sequence_there_is_no_carry_over():
    assert carry_over([], "optimized") is None
    assert carry_over([quad("AABB", 1, 1, 1, 1)], "optimized") is None


# properties

seconds = st.floats(1e-7, 10.0)
orders = st.sampled_from(ORDERS)
some_quads = st.lists(
    st.builds(lambda order, four: quad(order, *four), orders, st.tuples(*[seconds] * 4)), min_size=4, max_size=20
)


def swapped(one):
    other = {"baseline": one.kind, one.kind: "baseline"}
    return Quad(one.kind, tuple(Sample(other[s.side], s.seconds, s.start_ns, s.end_ns, s.calls) for s in one.samples))


def scaled(one, factor):
    return Quad(one.kind, tuple(Sample(s.side, s.seconds * factor, s.start_ns, s.end_ns, s.calls) for s in one.samples))


def close(value):
    return None if value is None else pytest.approx(value, abs=1e-9)


@settings(deadline=None)
@given(some_quads)
def test_swapping_the_sides_mirrors_everything(quads):
    mirrored = [swapped(one) for one in quads]
    assert process_value(mirrored).median == close(-process_value(quads).median)
    assert process_value(mirrored).standard_error == close(process_value(quads).standard_error)
    if stay_value(quads).valid:
        assert stay_value(mirrored).median == close(-stay_value(quads).median)
    d = carry_over(quads, "optimized")
    assert carry_over(mirrored, "optimized") == close(None if d is None else -d)


@settings(deadline=None)
@given(some_quads, st.floats(1e-3, 1e3))
def test_a_slower_clock_for_both_sides_changes_nothing(quads, factor):
    slower = [scaled(one, factor) for one in quads]
    assert process_value(slower).median == close(process_value(quads).median)
    assert carry_over(slower, "optimized") == close(carry_over(quads, "optimized"))
