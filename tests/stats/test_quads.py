import itertools
import math
import random
import re
from statistics import fmean, median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.stats.carryover import carry_over_of
from perfproof.stats.quads import (
    ORDERS,
    STAY_ORDERS,
    Quad,
    Sample,
    carry_over,
    corrected_value,
    draw_orders,
    draw_runs,
    log_ratio,
    process_value,
    running_medians,
    schedule,
    stay_value,
    value_with_left_out,
)


def quad(order, *seconds, kind="optimized", invalid=()):
    sides = ["baseline" if letter == "A" else kind for letter in order]
    samples = [
        Sample(side, value, start_ns=at, end_ns=at + 1, calls=1, valid=at not in invalid)
        for at, (side, value) in enumerate(zip(sides, seconds, strict=True))
    ]
    return Quad(kind, tuple(samples))


SWITCHES = 5 / 16  # of the samples


def synthetic_process(rng, *, theta, cost, noise=0.005, drift=0.0, quads=50, variants=("optimized",)):
    """Samples with a known speed-up `theta` of every variant and a known cost of switching to a side, all in logs."""
    before, made, at = None, [], 0
    for kind, order in schedule(variants, quads, rng):
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


@pytest.mark.parametrize("seed", range(20))
def test_most_samples_of_a_comparison_follow_their_own_side(seed):
    """Three quads of four change sides once, the fourth there and back; between quads nothing changes."""
    steps = "".join(order for kind, order in schedule(("one", "two"), 100, random.Random(seed)) if kind == "one")
    assert len(steps) == 160 and steps.count("A") == steps.count("B")
    assert sum(one != other for one, other in itertools.pairwise(steps)) == 50
    assert {len(run) for run in re.findall("A+|B+", steps)} <= {1, 2, 3, 4, 5, 6, 7, 8}


@pytest.mark.parametrize(("period", "processes"), [(2, 300), (3, 100), (4, 150), (12, 20)])
def test_a_cost_that_is_paid_now_and_then_is_not_taken_for_one_of_switching(period, processes):
    """B pays in every nth of its samples. Where in the row a process begins is drawn: before it are untimed calls.

    The more the values of single processes differ, the more of them the mean is of.
    """
    rng, cost, found = random.Random(3), 0.3, []
    for _ in range(processes):
        calls, quads = rng.randrange(period), []
        for _, order in schedule(("optimized",), 40, rng, twins=False):
            four = []
            for letter in order:
                calls += letter == "B"
                four.append(1.0 + cost * (letter == "B" and calls % period == 0) + rng.gauss(0, 0.005))
            quads.append(quad(order, *four))
        found.append(corrected_value(quads).value)
    assert fmean(found) == pytest.approx(-math.log1p(cost / period), abs=0.006)


def test_runs_repeat_with_the_seed_and_begin_with_either_side():
    assert draw_runs(40, random.Random(1)) == draw_runs(40, random.Random(1)) != draw_runs(40, random.Random(2))
    assert {draw_runs(1, random.Random(seed))[0][0] for seed in range(20)} == {"A", "B"}


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


def test_the_process_value_is_the_ratio_of_the_sums_over_valid_quads():
    """Sums of the valid ones: 2 + 4 + 3 + 3 = 12 and 1 + 1 + 2 + 2 = 6; the invalid one would change both."""
    quads = [quad("AABB", 2, 4, 1, 1), quad("BAAB", 2, 3, 3, 2), quad("AABB", 1, 1, 1, 90, invalid=[3])]
    value = process_value(quads)
    assert value.value == pytest.approx(math.log(12 / 6))
    assert (value.valid, value.total) == (2, 3)
    assert value.baseline == pytest.approx(math.log(12 / 4)), "mean seconds per call of the baseline"
    assert value.typical == pytest.approx((log_ratio(quads[0]) + log_ratio(quads[1])) / 2)


def test_its_error_is_that_of_a_ratio_of_means():
    """A is 2 and 4, B is 1 and 1: apart by 2/3 - 1 = -1/3 and 4/3 - 1 = 1/3; sqrt(2/9 / 1 / 2) = 1/3."""
    value = process_value([quad("AABB", 2, 2, 1, 1), quad("AABB", 4, 4, 1, 1)])
    assert value.standard_error == pytest.approx(1 / 3)
    assert math.isnan(process_value([quad("AABB", 2, 2, 1, 1)]).standard_error)


@pytest.mark.parametrize("value_of", [process_value, stay_value])
@pytest.mark.parametrize("cost", [6.0, 0.12])
def test_a_cost_that_is_paid_in_every_twelfth_call_moves_the_ratio_by_its_full_weight(value_of, cost):
    """24 quads of AABB and BBAA hold 48 samples of B; every twelfth takes `cost` longer, on average cost/12 a call."""
    quads, own = [], itertools.count(1)
    for _ in range(24):
        for order in STAY_ORDERS:
            four = [1.0 if letter == "A" else 1.0 + cost * (next(own) % 12 == 0) for letter in order]
            quads.append(quad(order, *four))
    value = value_of(quads)
    # Every twelfth sample of B is a second one: samples that follow their own kind are half of all and hold all costs.
    paid = cost / 12 if value_of is process_value else cost / 6
    assert value.value == pytest.approx(-math.log1p(paid))
    assert value.typical == pytest.approx(0.0), "most calls do not pay it"


def test_a_sample_counts_once_however_many_calls_it_holds():
    samples = [Sample("baseline", 1.0, 0, 1, 1), Sample("baseline", 3.0, 0, 1, 1000)]
    samples += [Sample("optimized", 1.0, 0, 1, calls) for calls in (5, 7)]
    assert process_value([Quad("optimized", tuple(samples))]).value == pytest.approx(math.log(2))


def test_a_process_without_a_valid_quad_has_no_value():
    value = process_value([quad("AABB", 1, 1, 1, 1, invalid=[0])])
    assert (value.valid, value.total) == (0, 1)
    assert all(map(math.isnan, (value.value, value.standard_error, value.baseline, value.typical)))


@pytest.mark.parametrize("rare", [0.0, 0.05])
def test_the_standard_error_is_the_spread_of_the_value_with_and_without_rare_long_samples(rare):
    rng = random.Random(11)

    def seconds():
        return math.exp(rng.gauss(0, 0.02)) + (3.0 if rng.random() < rare else 0.0)

    values = [process_value([quad("ABBA", *(seconds() for _ in range(4))) for _ in range(20)]) for _ in range(600)]
    spread = math.sqrt(fmean(value.value**2 for value in values))
    assert math.sqrt(fmean(value.standard_error**2 for value in values)) == pytest.approx(spread, rel=0.1)


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
    assert (value.value, value.baseline) == (pytest.approx(math.log(2)), pytest.approx(math.log(2)))
    assert (value.valid, value.total) == (2, 3)


# samples that were left out


def disturbed(side, seconds, cpu):
    return Sample(side, seconds, 0, 1, 1, valid=False, cpu_seconds=cpu)


def with_disturbed(cpu, seconds=50.0):
    """Nine quads of equal sides, and one in which a call of B was put aside for long and used `cpu` seconds."""
    own = [Sample("baseline", 1.0, 0, 1, 1)] * 2 + [
        disturbed("optimized", seconds, cpu),
        Sample("optimized", 1.0, 0, 1, 1),
    ]
    return [quad("ABBA", 1, 1, 1, 1) for _ in range(9)] + [Quad("optimized", tuple(own))]


def test_a_disturbed_sample_counts_by_its_cpu_time_where_it_is_asked_what_leaving_it_out_does():
    """20 samples of B: 19 of 1 s and one of 5 s of CPU time are 1.2 s on average."""
    quads = with_disturbed(cpu=5.0)
    assert process_value(quads).value == pytest.approx(0.0) and process_value(quads).valid == 9
    assert value_with_left_out(quads).value == pytest.approx(-math.log(1.2))
    assert value_with_left_out(quads).valid == 10


def test_waiting_for_the_core_does_not_count():
    assert value_with_left_out(with_disturbed(cpu=1.0)).value == pytest.approx(0.0)


def test_cpu_time_never_makes_a_call_longer_than_it_was():
    assert value_with_left_out(with_disturbed(cpu=9.0, seconds=1.0)).value == pytest.approx(0.0)


@pytest.mark.parametrize("cpu", [None, 0.0])
def test_a_disturbed_sample_whose_cpu_time_is_not_known_stays_left_out(cpu):
    assert value_with_left_out(with_disturbed(cpu)).valid == 9


@pytest.mark.parametrize("cpu", [0.01, 3.0], ids=["it waits", "it has threads"])
def test_a_second_of_cpu_time_counts_as_in_the_valid_samples_of_the_same_side(cpu):
    """Both sides take 1 s and `cpu` seconds of CPU time; the disturbed sample of B did as much work, in 50 s."""

    def sample(side, seconds=1.0, valid=True):
        return Sample(side, seconds, 0, 1, 1, valid, cpu)

    usual = [sample("baseline"), sample("optimized"), sample("optimized"), sample("baseline")]
    spoilt = [sample("baseline"), sample("optimized", 50.0, valid=False), *usual[2:]]
    quads = [Quad("optimized", tuple(four)) for four in [usual] * 9 + [spoilt] * 3]
    assert value_with_left_out(quads).value == pytest.approx(0.0)


def test_valid_samples_count_by_their_time_whatever_their_cpu_time():
    samples = [Sample(side, 1.0, 0, 1, 1, cpu_seconds=0.1) for side in ("baseline",) * 2 + ("optimized",) * 2]
    assert value_with_left_out([Quad("optimized", tuple(samples))]).baseline == pytest.approx(0.0)


# carry-over


@pytest.mark.parametrize("cost", [{"optimized": 0.02}, {"baseline": 0.02}, {"baseline": 0.01, "optimized": 0.01}])
def test_carry_over_is_found_it_biases_the_plain_ratio_and_not_the_corrected_one(cost):
    rng = random.Random(17)
    processes = [synthetic_process(rng, theta=0.05, cost=cost, drift=0.1) for _ in range(60)]
    expected = cost.get("optimized", 0.0) - cost.get("baseline", 0.0)
    measured = fmean(carry_over(quads, "optimized") for quads in processes)
    plain = fmean(process_value(of("optimized", quads)).value for quads in processes)
    corrected = fmean(corrected_value(of("optimized", quads)).value for quads in processes)
    assert measured == pytest.approx(expected, abs=0.0015)
    assert plain == pytest.approx(0.05 - expected * SWITCHES, abs=0.0008)
    assert corrected == pytest.approx(0.05, abs=0.0008)


def test_a_side_that_burdens_what_follows_it_is_seen_over_processes():
    rng = random.Random(19)
    processes = [synthetic_process(rng, theta=0.0, cost={"baseline": 0.15}) for _ in range(10)]
    found = carry_over_of(carry_over(quads, "optimized") for quads in processes)
    assert found.notable and found.d == pytest.approx(-0.15, abs=0.005)
    off, corrected = (
        fmean(summarise(of("optimized", quads)).value for quads in processes)
        for summarise in (process_value, corrected_value)
    )
    assert off == pytest.approx(0.0495, abs=0.005) and corrected == pytest.approx(0.0, abs=0.003)


@pytest.mark.parametrize("cost", [{}, {"baseline": 0.1, "optimized": 0.1}])
def test_what_switching_costs_both_sides_alike_moves_the_times_and_not_the_ratio(cost):
    rng = random.Random(29)
    quads = of("optimized", synthetic_process(rng, theta=0.05, cost=cost, noise=0.001))
    plain, corrected = process_value(quads), corrected_value(quads)
    assert corrected.value == pytest.approx(plain.value, abs=0.004)
    assert plain.baseline - corrected.baseline == pytest.approx(0.0323 if cost else 0.0, abs=0.003)
    assert corrected.typical == pytest.approx(corrected.value, abs=0.002)


def test_what_is_taken_off_has_an_error_of_its_own():
    quads = of("optimized", synthetic_process(random.Random(31), theta=0.05, cost={}, noise=0.02))
    assert process_value(quads).standard_error < corrected_value(quads).standard_error


def test_where_nothing_tells_what_a_switch_costs_nothing_is_taken_off():
    alone = [quad("ABBA", 2, 1, 1, 2)]
    assert corrected_value(alone) == process_value(alone)


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
    assert process_value(mirrored).value == close(-process_value(quads).value)
    assert process_value(mirrored).typical == close(-process_value(quads).typical)
    assert process_value(mirrored).standard_error == close(process_value(quads).standard_error)
    if stay_value(quads).valid:
        assert stay_value(mirrored).value == close(-stay_value(quads).value)
    d = carry_over(quads, "optimized")
    assert carry_over(mirrored, "optimized") == close(None if d is None else -d)


@settings(deadline=None)
@given(some_quads, st.floats(1e-3, 1e3))
def test_a_slower_clock_for_both_sides_changes_nothing(quads, factor):
    slower = [scaled(one, factor) for one in quads]
    assert process_value(slower).value == close(process_value(quads).value)
    assert process_value(slower).typical == close(process_value(quads).typical)
    assert process_value(slower).baseline == close(process_value(quads).baseline + math.log(factor))
    assert carry_over(slower, "optimized") == close(carry_over(quads, "optimized"))


@settings(deadline=None)
@given(some_quads)
def test_the_two_times_of_a_process_divide_to_its_value(quads):
    value = process_value(quads)
    own = [sample.seconds for one in quads for sample in one.samples if sample.side == "optimized"]
    assert math.exp(value.baseline) / fmean(own) == pytest.approx(math.exp(value.value), rel=1e-12)


@given(st.lists(st.integers(-3, 3), max_size=40), st.integers(1, 12))
def test_the_running_median_of_a_value_is_that_of_the_values_around_it(values, reach):
    around = [values[max(0, at - reach) : at + reach + 1] for at in range(len(values))]
    assert running_medians(values, reach) == [median(window) for window in around]
