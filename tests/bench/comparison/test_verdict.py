"""A verdict includes what switching may do; its two times divide to its ratio."""

import math
from dataclasses import replace

import pytest

from perfproof.bench.comparison.comparison import Comparison
from perfproof.bench.comparison.couples import measure
from perfproof.bench.comparison.verdict import BUSY_LOAD, verdict_of
from perfproof.bench.job import IN_TURN, PLAIN
from perfproof.bench.record import ProcessRecord
from perfproof.stats.quads import process_value
from perfproof.stats.units import interval
from tests.bench.comparison.recorded import compared, job, quiet, record

# fewer launches than the effort asks for


@pytest.mark.parametrize("theta", [0.0, 0.5])
def test_a_budget_that_ends_early_leaves_a_number_and_no_verdict(measured, theta):
    launches, _ = measured(theta=theta)
    found = measure(job(budget=-1.0), PLAIN, launches, quiet)
    result = verdict_of(found, "optimized")
    assert found.out_of_budget and found.launches == 1
    assert (result.verdict, result.size) == ("indicative", None) and result.ratio == pytest.approx(
        math.exp(theta), 0.01
    )
    assert result.note.startswith("1 of the 8 launches of --effort standard measured: raise --budget or --timeout")


@pytest.mark.parametrize(("launches", "verdict"), [(7, "indicative"), (8, "faster")])
def test_every_launch_that_is_missing_makes_it_indicative(launches, verdict):
    found = Comparison(job(), PLAIN, [record(n, 0, slot, theta=0.5) for n in range(launches) for slot in (1, -1)])
    result = verdict_of(found, "optimized")
    assert result.verdict == verdict and result.low is not None, "its interval is shown all the same"


def test_a_question_that_is_answered_may_end_it_early_with_a_verdict(measured):
    launches, _ = measured(theta=-0.1)
    asked = []

    def answered(units, band):
        asked.append((len(units), band))
        return len(units) >= 9

    found = measure(replace(job("final"), answered=answered), IN_TURN, launches, quiet)
    judged = verdict_of(found, "optimized")
    assert found.launches == judged.launches == 9 and judged.verdict == "slower"
    assert [n for n, _ in asked][:9] == list(range(1, 10)) and all(band > 0 for _, band in asked)


def test_no_answer_gives_a_verdict_below_five_launches(measured):
    launches, _ = measured(theta=-0.1)
    found = measure(replace(job("final"), answered=lambda units, band: len(units) >= 4), IN_TURN, launches, quiet)
    assert found.launches == 4 and verdict_of(found, "optimized").verdict == "indicative"


def test_calls_that_saw_values_again_leave_no_verdict():
    found = Comparison(job(), PLAIN, [record(n, 0, slot, theta=0.5) for n in range(8) for slot in (1, -1)])
    found.records[3].repeated = 0.05
    assert verdict_of(found, "optimized").verdict == "faster"
    found.records[3].repeated = 0.06
    result = verdict_of(found, "optimized")
    assert result.verdict == "indicative"
    assert result.note == "6 % of the calls saw values that had come before: let `inputs` draw from more values"


# totals
def test_a_cost_that_every_twelfth_call_pays_has_its_full_weight_in_the_verdict():
    """A typical call is 1.2 times as fast; all together take 1/1.2 + 6/12 of the baseline's time."""
    result = verdict_of(compared(theta=math.log(1.2), every_twelfth=6.0), "optimized")
    assert result.ratio == pytest.approx(1 / (1 / 1.2 + 6 / 12), rel=0.05)
    assert result.typical == pytest.approx(1.2, rel=0.01)
    assert result.typical_low <= result.typical <= result.typical_high
    assert result.verdict == "unstable" and "typical calls and all calls together disagree" in result.note
    assert "of the samples of optimized take" in result.note


def test_where_both_agree_in_direction_the_total_is_judged_and_both_are_said():
    result = verdict_of(compared(theta=-0.1, every_twelfth=6.0), "optimized")
    assert result.verdict == "slower" and result.ratio < 0.7 < result.typical
    assert "typical call 0.90" in result.note and "8 % of the samples of optimized take" in result.note


def test_the_tail_is_told_of_the_side_that_has_one():
    found = compared(every_twelfth=6.0)
    assert found.tail("optimized").startswith("8 % of the samples of optimized take 37 % of its time")
    assert compared().tail("optimized") == ""


@pytest.mark.parametrize(
    "behaviour",
    [
        dict(theta=0.7),
        dict(theta=0.1, every_twelfth=6.0),
        dict(switch=0.2, theta=0.3),
        dict(noise=0.3, disturbed=0.1),
        dict(slot_effect=0.2),
    ],
    ids=["plain", "a tail", "a switch", "noise", "slots"],
)
def test_the_two_times_divide_to_the_ratio(behaviour):
    result = verdict_of(compared(**behaviour), "optimized")
    assert result.baseline / result.variant == pytest.approx(result.ratio, rel=1e-12)
    assert math.fsum(result.units) / 8 == pytest.approx(math.log(result.ratio), abs=1e-12)
    assert result.baseline == pytest.approx(1e-3, rel=0.2)


def test_each_of_several_variants_has_a_baseline_time_of_its_own_comparison():
    found = compared(variants=("optimized", "optimized_b", "optimized_c"), theta=0.4, noise=0.05)
    results = {kind: verdict_of(found, kind) for kind in found.job.variants}
    for result in results.values():
        assert result.baseline / result.variant == pytest.approx(result.ratio, rel=1e-12)
        assert result.level == pytest.approx(1 - 0.03 / 3)
    assert len({result.baseline for result in results.values()}) == 3


def test_one_launch_has_two_times_that_divide_too(measured):
    launches, _ = measured(theta=0.3, every_twelfth=3.0)
    result = verdict_of(measure(job("quick"), PLAIN, launches, quiet), "optimized")
    assert result.baseline / result.variant == pytest.approx(result.ratio, rel=1e-12)


def test_the_two_times_are_those_of_samples_that_follow_their_own_kind():
    result = verdict_of(compared(switch=0.2, theta=0.3), "optimized")
    assert result.rung == "corrected" and result.ratio == pytest.approx(math.exp(0.3), rel=0.002)
    assert (result.baseline, result.variant) == (
        pytest.approx(1e-3, rel=1e-3),
        pytest.approx(1e-3 / math.exp(0.3), 1e-3),
    )


# what switching does


def test_switching_that_costs_one_side_more_never_makes_a_difference_of_equal_sides():
    for switch in (0.003, 0.03, 0.3):
        result = verdict_of(compared(switch=switch), "optimized")
        assert result.verdict == "same" and result.low <= 1 <= result.high, switch
        assert result.carry_over == pytest.approx(switch, abs=0.005)


@pytest.mark.parametrize("behaviour", [dict(noise=0.03), dict(switch=0.1)], ids=["noise", "a switch"])
def test_every_process_is_corrected_and_their_spread_is_the_interval(behaviour):
    found = compared(**behaviour)
    result, units = verdict_of(found, "optimized"), found.units("optimized")
    judged = interval(units, found.level)
    assert units != found.units("optimized", summarise=process_value)
    assert (result.low, result.high) == (pytest.approx(math.exp(judged.low)), pytest.approx(math.exp(judged.high)))
    assert result.units == pytest.approx(units) and result.rung == "corrected"
    assert found.interval("optimized") == judged, "what is compared with other ways is what is judged"


def test_what_a_side_leaves_for_itself_counts_against_it():
    """After itself the variant takes 5 % longer, after the other side not."""
    result = verdict_of(compared(theta=-0.05, switch=-0.05), "optimized")
    assert result.verdict == "slower" and result.ratio == pytest.approx(math.exp(-0.05), rel=0.005)


def test_slots_are_balanced_out_of_the_ratio_and_shown():
    result = verdict_of(compared(theta=0.02, slot_effect=0.08), "optimized")
    assert result.ratio == pytest.approx(math.exp(0.02), rel=0.002)
    assert result.slot_effect == pytest.approx(0.08, abs=0.003)


# samples that were disturbed


def test_a_fifth_of_disturbed_samples_is_unstable_and_the_busy_machine_is_named():
    found = compared(theta=0.5, disturbed=0.3)
    result = verdict_of(found, "optimized")
    assert found.invalid_share("optimized") == pytest.approx(0.3, abs=0.02)
    assert result.verdict == "unstable" and f"% of the samples were disturbed: {BUSY_LOAD}" in result.note
    assert result.invalid_quads > 0.5 * result.quads, "a quad is left out for one of its four samples"


def test_without_an_undisturbed_sample_the_ratio_by_cpu_time_is_a_hint_in_the_note():
    result = verdict_of(compared(theta=math.log(3), disturbed=1.0), "optimized")
    assert result.verdict == "unstable" and result.ratio is None and result.low is None
    assert "by CPU time" in result.note and "about 3.0" in result.note and "hint" in result.note


def test_few_disturbed_samples_are_left_out_and_change_nothing():
    result = verdict_of(compared(theta=0.5, disturbed=0.05), "optimized")
    assert result.verdict == "faster" and result.ratio == pytest.approx(math.exp(0.5), rel=0.005)
    assert result.invalid_quads > 0


def test_a_machine_is_not_called_busy_for_what_else_disturbed():
    found = compared(theta=0.5, disturbed=0.3)
    for row in (row for one in found.records for row in one.rows if not row["valid"]):
        row["disturbed"] = "page faults"
    assert BUSY_LOAD not in verdict_of(found, "optimized").note


@pytest.mark.parametrize("switch", [0.0, 0.3])
def test_a_side_whose_expensive_calls_are_the_disturbed_ones_is_unstable(switch):
    """One sample in ten is left out, and used ten times the CPU time of the others: twice the total."""
    result = verdict_of(compared(theta=0.5, disturbed=0.1, stolen=10.0, switch=switch), "optimized")
    assert result.verdict == "unstable" and "long calls are disturbed more" in result.note
    assert verdict_of(compared(theta=0.5, disturbed=0.1, switch=switch), "optimized").verdict == "faster"


# a device's clock


def test_a_gain_that_a_higher_clock_explains_is_unstable():
    clocks = {"baseline": 1.0e9, "twin": 1.0e9, "optimized": 1.1e9}
    result = verdict_of(compared(theta=math.log(1.1), clock_hz=clocks), "optimized")
    assert result.verdict == "unstable" and "the sides ran at different clocks: 1.000x in cycles" in result.note
    assert verdict_of(compared(theta=0.5, clock_hz=clocks), "optimized").verdict == "faster"


def test_a_side_without_a_valid_sample_has_no_ratio_in_cycles():
    found = Comparison(job(), PLAIN, [ProcessRecord(0, 0, 1)])
    found.records[0].rows = [
        {"side": "baseline", "clock_hz": 2.0e9, "valid": False, "seconds": 1.0},
        {"side": "optimized", "clock_hz": 1.5e9, "valid": False, "seconds": 1.0},
    ]
    assert found.in_cycles("optimized") is None
