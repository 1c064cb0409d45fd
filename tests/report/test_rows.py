"""The text of every cell, worked out by hand."""

import pytest

from perfproof.core.documents import Light, RatioResult, TargetResult, VariantResult
from perfproof.report.rows import quantity, ratio_notes, ratio_text, target_rows

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
    assert "that is 9.00x less traffic times 1.36x more bandwidth" in row.notes
