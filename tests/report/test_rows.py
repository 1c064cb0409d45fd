"""The text of every cell, worked out by hand."""

import pytest

from perfproof.core.documents import Light, RatioResult, TargetResult, VariantResult
from perfproof.report.rows import goodput_notes, quantity, ratio_notes, ratio_text, target_rows

from .sample_runs import EXACT, HALF, MEMORY, MODES, SAME, UNDECIDED, judged, side, target


@pytest.mark.parametrize(
    ("ratio", "low", "high", "text"),
    [
        (3.21, 3.18, 3.24, "3.21x [3.18, 3.24]"),
        (3.2142, 3.2121, 3.2163, "3.214x [3.212, 3.216]"),
        (1.004, 0.998, 1.01, "1.004x [0.998, 1.010]"),
        (53.21, 51.0, 55.3, "53.2x [51.0, 55.3]"),
        (112.4, 109.0, 115.2, "112x [109, 115]"),
        (0.06, 0.05, 0.07, "0.06x [0.05, 0.07]"),
        (2.0, None, None, "2.00x no interval"),
        (None, None, None, ""),
    ],
)
def test_a_ratio_has_the_digits_that_its_interval_allows(ratio, low, high, text):
    assert ratio_text(judged("faster", ratio, low, high)) == text


def test_the_columns_show_what_the_claim_is_about():
    assert quantity(side(2e-3), judged()) == "2.00 ms"
    assert quantity(side(memory=EXACT), MEMORY) == "2.00 MiB"
    assert quantity(side(energy_joules=1.234), judged(claim="energy")) == "1.23 J"
    assert quantity(side(startup_seconds=2.5), judged(claim="startup")) == "2.50 s"
    assert quantity(side(2e-3), judged(clock="kernel")) == "–"
    assert quantity(None, judged()) == "–"


def test_memory_on_which_all_processes_agree_is_exact():
    (row,) = target_rows(
        target(ratio=MEMORY, variants={"baseline": side(memory=EXACT), "optimized": side(memory=HALF)})
    )
    assert (row.ratio, row.baseline, row.measured) == ("2.00x exact", "2.00 MiB", "1.00 MiB")


def test_same_says_its_bound_and_what_it_would_have_found():
    assert ratio_notes(SAME) == ["any difference is below 0.8 %; would have found 0.6 % in 9 of 10 runs"]


def test_inconclusive_says_what_it_still_needs():
    assert ratio_notes(UNDECIDED) == ["needs 7 more launches, about 41.0 s"]


def test_unstable_lists_its_modes():
    assert ratio_notes(MODES) == ["12 of 14 launches at 1.90x, 2 of 14 launches at 0.06x"]


def test_a_large_carry_over_is_always_said():
    assert ratio_notes(judged(carry_over=-0.27, rung="stay")) == [
        "carry-over -27.0 %: switching sides disturbs (rung stay)"
    ]
    assert ratio_notes(judged(carry_over=0.01)) == []


def test_a_naive_baseline_is_marked_and_variants_are_named_only_where_there_are_several():
    assert target_rows(target(tier="naive"))[0].label == "ch01:batched_gemm (naive)"
    several = target(ratios={"optimized_a": judged(), "optimized_b": judged()})
    assert [row.label for row in target_rows(several)] == [
        "ch01:batched_gemm optimized_a",
        "ch01:batched_gemm optimized_b",
    ]


def test_a_target_without_a_result_shows_no_number():
    rejected = target(status="rejected", reason="impossible", ratios={"optimized": judged()})
    (row,) = target_rows(rejected)
    assert (row.word, row.ratio, row.baseline, row.notes) == ("rejected", "", "", ("impossible",))


def test_a_result_says_how_far_it_is_from_the_machine_and_what_the_gain_is_made_of():
    fused = Light(share=0.81, ceiling="memory/write", traffic_ratio=9.0, bandwidth_ratio=1.36)
    result = TargetResult(
        target="ch07:rmsnorm",
        status="ok",
        variants={
            "baseline": VariantResult(times={"call": 865e-6}, light=Light(share=0.6, ceiling="memory/write")),
            "optimized": VariantResult(times={"call": 70.7e-6}, light=fused),
        },
        ratios={"optimized": RatioResult(verdict="faster", ratio=12.24, low=12.2, high=12.28)},
    )
    (row,) = target_rows(result)
    assert "of what this machine can do (memory/write): 81 %, the baseline 60 %" in row.notes
    assert "that is 9.00x less traffic at 1.36x the bandwidth" in row.notes


def trained(kernel_clock="CUPTI", cost=None, before=None, after=None):
    baseline, optimized = side(8e-3, **before or {}), side(4e-3, **after or {})
    baseline.times["kernel"] = optimized.times["kernel"] = 3e-3
    sides = {"baseline": baseline, "optimized": optimized}
    return target(variants=sides, cost={"samples": 80_000.0} if cost is None else cost, kernel_clock=kernel_clock)


def test_goodput_is_useful_work_over_wall_time_on_both_sides():
    assert goodput_notes(trained(), "optimized") == [
        "goodput 20,000,000 samples/s, the baseline 10,000,000 samples/s",
        "device busy for 75 % of the time, the baseline 38 % of the time",
    ]


def test_work_for_each_joule_is_shown_where_both_energies_are_known():
    energies = {"before": {"energy_joules": 4.0}, "after": {"energy_joules": 3.2}}
    assert goodput_notes(trained(**energies), "optimized")[-1] == "samples a joule 25,000, the baseline 20,000"
    assert len(goodput_notes(trained(after={"energy_joules": 3.2}), "optimized")) == 2


def test_a_busy_time_that_could_not_be_read_is_unknown_and_not_zero():
    unread = trained(kernel_clock="unknown: profiling is not permitted")
    for one in unread.variants.values():
        del one.times["kernel"]
    assert goodput_notes(unread, "optimized") == [
        "goodput 20,000,000 samples/s, the baseline 10,000,000 samples/s",
        "device busy time unknown: profiling is not permitted",
    ]


def test_goodput_stands_beside_the_verdict_of_pairs_that_declare_samples_and_of_no_other():
    (row,) = target_rows(trained())
    assert row.notes[0].startswith("goodput 20,000,000 samples/s")
    assert target_rows(trained(cost={"flops": 1e9}))[0].notes == ()
    assert target_rows(trained(cost={}))[0].notes == ()


def test_a_small_goodput_keeps_its_digits():
    slow = target(cost={"samples": 0.0123}, variants={"baseline": side(1.0), "optimized": side(0.5)})
    assert goodput_notes(slow, "optimized") == ["goodput 0.0246 samples/s, the baseline 0.0123 samples/s"]
