import math
import random

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.stats.units import ProcessValue, couple_units, interval, placement_sensitive, slot_effect


def process(launch, couple, slot, value, valid=40, total=40, **more):
    return ProcessValue(launch, couple, slot, value, standard_error=0.003, valid=valid, total=total, **more)


TWO_LAUNCHES = [
    process(0, 0, +1, 0.05),
    process(0, 0, -1, 0.01),
    process(0, 1, +1, 0.06),
    process(0, 1, -1, 0.02),
    process(1, 0, +1, 0.10),
    process(1, 0, -1, 0.08),
]


def test_a_unit_is_the_mean_over_couples_of_the_mean_of_two_slots():
    assert couple_units(TWO_LAUNCHES) == pytest.approx([0.035, 0.09])
    assert couple_units(TWO_LAUNCHES, by="couple") == pytest.approx([0.03, 0.04, 0.09])


@pytest.mark.parametrize("lost", [None, process(0, 1, -1, math.nan, valid=0)])
def test_a_couple_with_a_process_missing_is_dropped(lost):
    values = [value for value in TWO_LAUNCHES if (value.launch, value.couple, value.slot) != (0, 1, -1)]
    assert couple_units(values + ([lost] if lost else [])) == pytest.approx([0.03, 0.09])


def test_the_baseline_s_time_and_the_typical_ratio_are_averaged_over_the_same_couples():
    values = [
        process(launch, 0, slot, 0.1 * launch, baseline=launch + slot / 4, typical=0.2 * launch + slot / 8)
        for launch in range(3)
        for slot in (1, -1)
    ]
    values += [process(3, 0, +1, 0.1, baseline=9.0, typical=9.0)]  # its couple is incomplete
    assert couple_units(values) == pytest.approx([0.0, 0.1, 0.2])
    assert couple_units(values, of="baseline") == pytest.approx([0.0, 1.0, 2.0])
    assert couple_units(values, of="typical") == pytest.approx([0.0, 0.2, 0.4])


def test_a_launch_without_a_complete_couple_gives_no_unit_beside_one_that_has_it():
    assert couple_units([process(3, 0, +1, 0.5), process(4, 0, +1, 0.2), process(4, 0, -1, 0.4)]) == pytest.approx(
        [0.3]
    )


def test_where_launches_have_one_process_each_is_a_unit_and_slots_are_not_told_apart():
    values = [process(launch, 0, (-1) ** launch, 0.1 * launch, baseline=float(launch)) for launch in range(4)]
    assert couple_units(values) == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert couple_units(values, of="baseline") == pytest.approx([0.0, 1.0, 2.0, 3.0])
    assert slot_effect(values) == (None, None) and not placement_sensitive(values)


def test_a_launch_of_one_process_that_read_nothing_gives_no_unit():
    assert couple_units([process(0, 0, +1, 0.5), process(1, 0, -1, math.nan, valid=0)]) == [0.5]


def test_the_same_slot_twice_is_refused():
    with pytest.raises(ValueError, match=r"couple 0 of launch 0 has slot \+1 twice"):
        couple_units([process(0, 0, +1, 0.1), process(0, 0, +1, 0.1)])


def test_the_slot_effect_is_half_the_difference_of_the_slots():
    values = [process(launch, 0, slot, 0.01 + slot * (0.40 + launch / 100)) for launch in range(5) for slot in (1, -1)]
    effect, half_width = slot_effect(values)
    assert effect == pytest.approx(0.42)
    assert half_width == pytest.approx(3.29763 * 0.0158114 / math.sqrt(5), rel=1e-4)
    assert placement_sensitive(values)
    assert couple_units(values) == pytest.approx([0.01] * 5)


def test_a_slot_effect_of_few_couples_has_no_half_width_and_none_without_couples():
    effect, half_width = slot_effect(TWO_LAUNCHES)
    assert effect == pytest.approx((0.02 + 0.02 + 0.01) / 3) and half_width is None
    assert slot_effect([]) == (None, None)
    assert not placement_sensitive(TWO_LAUNCHES)


def test_an_interval_worked_by_hand():
    """1 to 5 %: mean 3 %, sd 1.5811 %, t(.985, 4) = 3.2976."""
    found = interval([0.01, 0.02, 0.03, 0.04, 0.05])
    assert (found.theta, found.sd, found.n) == (pytest.approx(0.03), pytest.approx(0.0158114, rel=1e-5), 5)
    assert found.half_width == pytest.approx(3.29763 * 0.0158114 / math.sqrt(5), rel=1e-5)
    assert (found.low, found.high) == (pytest.approx(0.0066822, abs=1e-7), pytest.approx(0.0533178, abs=1e-7))


@pytest.mark.parametrize("n", [1, 2, 4])
def test_fewer_than_five_units_give_no_interval(n):
    found = interval([0.01 * number for number in range(n)])
    assert (found.low, found.high, found.half_width) == (None, None, None)
    assert (found.sd is None) == (n == 1)


def test_five_identical_units_give_a_half_width_of_zero():
    assert interval([0.25] * 5).half_width == 0.0


def test_a_bias_widens_the_interval_on_both_sides_and_moves_nothing():
    found = interval([0.01, 0.02, 0.03, 0.04, 0.05])
    wider = found.widened(0.004)
    assert (wider.theta, wider.sd, wider.n) == (found.theta, found.sd, found.n)
    assert (wider.low, wider.high) == (pytest.approx(found.low - 0.004), pytest.approx(found.high + 0.004))
    assert wider.half_width == pytest.approx(found.half_width + 0.004)
    assert found.widened(0.0) == found


def test_what_has_no_interval_cannot_be_widened():
    assert interval([0.01, 0.02]).widened(0.5) == interval([0.01, 0.02])


def test_no_units_is_an_error():
    with pytest.raises(ValueError, match="no units"):
        interval([])


@pytest.mark.parametrize("n", [5, 8, 20])
def test_the_interval_covers_the_truth_in_97_of_100_runs(n):
    units = numpy.random.default_rng(n).normal(0.02, 0.005, (5000, n))
    covered = sum(abs(found.theta - 0.02) <= found.half_width for found in map(interval, units.tolist()))
    assert covered / 5000 == pytest.approx(0.97, abs=0.0075)  # three standard errors


effects = st.floats(-1.0, 1.0)
launches = st.lists(st.tuples(effects, effects), min_size=5, max_size=12)


@settings(deadline=None)
@given(launches, st.floats(-5.0, 5.0))
def test_a_constant_slot_effect_moves_nothing(pairs, slot):
    def values(shift):
        return [
            process(launch, 0, sign, value + sign * shift)
            for launch, pair in enumerate(pairs)
            for sign, value in zip((1, -1), pair, strict=True)
        ]

    assert couple_units(values(slot)) == pytest.approx(couple_units(values(0.0)), abs=1e-12)


@settings(deadline=None)
@given(launches, st.randoms(use_true_random=False))
def test_the_order_in_which_processes_report_changes_nothing(pairs, rng: random.Random):
    values = [process(launch, 0, sign, pair[sign < 0]) for launch, pair in enumerate(pairs) for sign in (1, -1)]
    shuffled = rng.sample(values, len(values))
    assert couple_units(shuffled) == couple_units(values)
    units = couple_units(values)
    assert interval(rng.sample(units, len(units))) == interval(units)
