"""The text of every cell, worked out by hand."""

import pytest

from perfproof.core.documents import Check, Light, RatioResult, TargetResult, VariantResult
from perfproof.report.rows import goodput_notes, quantity, ratio_notes, ratio_text, target_rows
from tests.report.sample_runs import EXACT, HALF, MEMORY, MODES, SAME, UNDECIDED, judged, side, target


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
    assert quantity(2e-3, judged()) == "2.00 ms"
    assert quantity(2.0**21, MEMORY) == "2.00 MiB"
    assert quantity(1.234, judged(claim="energy")) == "1.23 J"
    assert quantity(2.5, judged(claim="startup")) == "2.50 s"
    assert quantity(1234.56, judged(claim="metric", clock="tokens")) == "1235"
    assert [quantity(None, judged(claim=claim)) for claim in ("time", "memory", "energy", "metric")] == ["–"] * 4


def test_every_variant_has_the_baseline_figure_that_it_was_compared_with():
    ratios = {
        "optimized_a": judged(ratio=2.0, low=1.9, high=2.1),
        "optimized_b": judged(ratio=4.0, low=3.9, high=4.1, variant=6e-4),
    }
    rows = target_rows(target(ratios=ratios, variants={"baseline": side(9.0)}))
    assert [(row.ratio, row.baseline, row.measured) for row in rows] == [
        ("2.00x [1.90, 2.10]", "2.00 ms", "1.00 ms"),
        ("4.00x [3.90, 4.10]", "2.40 ms", "600 µs"),
    ]


def test_a_document_without_figures_shows_those_of_its_sides():
    (row,) = target_rows(target(ratio=judged(variant=None)))
    assert (row.baseline, row.measured) == ("3.21 ms", "1.00 ms")
    (row,) = target_rows(target(ratio=judged(variant=None, clock="kernel")))
    assert (row.baseline, row.measured) == ("–", "–")


def test_a_check_that_did_not_run_is_said_beside_the_verdict():
    checks = [Check(name="isolation", result="not-run"), Check(name="clock audit", result="pass")]
    (row,) = target_rows(target(checks=checks))
    assert (row.word, row.said, row.notes) == ("faster", "faster (side effects not checked)", ())
    many = [Check(name=name, result="not-run") for name in ("isolation", "ceilings", "claim")]
    (row,) = target_rows(target(checks=many))
    assert row.said == "faster (3 checks left out)" and row.notes == ("not checked: side effects, ceilings, claim",)
    (row,) = target_rows(target(status="rejected", reason="impossible", checks=checks))
    assert row.said == "rejected"


def test_set_up_is_said_where_it_is_long_and_says_where_it_is():
    sides = {"baseline": side(first_call_seconds=2e-3), "optimized": side(setup_seconds=0.25, first_call_seconds=1.8)}
    (row,) = target_rows(target(variants=sides))
    assert row.notes == ("optimized: set-up 250 ms, before the calls; 1.80 s, in the first call",)
    only = {"baseline": side(), "optimized": side(first_call_seconds=1.8)}
    assert target_rows(target(variants=only))[0].notes == ("optimized: set-up 1.80 s, in the first call",)


def test_what_the_bench_notes_is_shown():
    note = "typical call 1.43x, in all 0.66x: 9 % of the calls take 58 % of the time"
    (row,) = target_rows(target(ratio=judged(note=note)))
    assert row.notes == (note,)


def test_memory_on_which_all_processes_agree_is_exact():
    (row,) = target_rows(
        target(ratio=MEMORY, variants={"baseline": side(memory=EXACT), "optimized": side(memory=HALF)})
    )
    assert (row.ratio, row.baseline, row.measured) == ("2.00x exact", "2.00 MiB", "1.00 MiB")


def test_same_says_its_bound_and_what_it_would_have_found():
    assert ratio_notes(SAME) == ["any difference is below 0.8 %", "would have found 0.6 % in 9 of 10 runs"]


def test_inconclusive_says_what_it_still_needs():
    assert ratio_notes(UNDECIDED) == ["needs 7 more launches, about 40 s"]


def test_unstable_lists_its_modes():
    assert ratio_notes(MODES) == ["12 of 14 launches at 1.90x, 2 of 14 launches at 0.06x"]


def test_groups_within_one_launch_are_no_launches():
    assert "2 of 14 couples of processes at" in ratio_notes(MODES.model_copy(update={"launches": 1}))[0]


def test_a_large_carry_over_is_always_said():
    shift = "Switching between the two sides shifts the times by up to 12.5 %"
    assert ratio_notes(judged(carry_over=-0.125)) == [f"{shift}; the interval includes that"]
    assert ratio_notes(judged(carry_over=0.125, rung="stay")) == [
        f"{shift}; samples that follow their own side are judged"
    ]
    assert ratio_notes(judged(carry_over=0.125, rung="corrected")) == [f"{shift}; the ratio is corrected for that"]
    assert ratio_notes(judged(carry_over=0.125, rung="50 ms", variant=None)) == [shift]
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


def test_shares_of_the_ceilings_divide_to_the_ratio_as_the_times_do():
    sides = {
        "baseline": side(9.0, light=Light(fastest_seconds=1e-3, share=0.1, ceiling="memory/read")),
        "optimized": side(
            9.0,
            light=Light(fastest_seconds=5e-4, share=0.1, ceiling="memory/read", traffic_ratio=2.0, bandwidth_ratio=9),
        ),
    }
    (row,) = target_rows(target(ratio=judged(ratio=2.5, low=2.4, high=2.6), variants=sides))
    assert row.notes == (
        "of what this machine can do (memory/read): 50 %, the baseline 40 %",
        "that is 2.00x less traffic at 1.25x the bandwidth",
    )


def trained(kernel_clock="CUPTI", cost=None, before=None, after=None):
    baseline, optimized = side(8e-3, **before or {}), side(4e-3, **after or {})
    baseline.times["kernel"] = optimized.times["kernel"] = 3e-3
    sides = {"baseline": baseline, "optimized": optimized}
    cost = {"samples": 80_000.0} if cost is None else cost
    return target(ratio=judged(ratio=2.0, variant=4e-3), variants=sides, cost=cost, kernel_clock=kernel_clock)


def test_goodput_is_useful_work_over_wall_time_on_both_sides():
    assert goodput_notes(trained(), "optimized") == [
        "goodput 20,000,000 samples/s, the baseline 10,000,000 samples/s",
        "device busy for 75 % of the time, the baseline 38 % of the time",
    ]


def test_work_for_each_joule_is_shown_where_both_energies_are_known():
    energies = {"before": {"energy_joules": 4.0}, "after": {"energy_joules": 3.2}}
    assert goodput_notes(trained(**energies), "optimized")[-1] == "samples per joule 25,000, the baseline 20,000"
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
    ratio = judged(ratio=2.0, variant=0.5)
    slow = target(ratio=ratio, cost={"samples": 0.0123}, variants={"baseline": side(), "optimized": side()})
    assert goodput_notes(slow, "optimized") == ["goodput 0.0246 samples/s, the baseline 0.0123 samples/s"]


def test_a_side_whose_time_is_not_a_number_has_no_goodput():
    sides = {"baseline": side(float("nan")), "optimized": side(float("nan"))}
    unknown = target(cost={"samples": 8.0}, variants=sides, ratios={"optimized": RatioResult(verdict="unstable")})
    assert goodput_notes(unknown, "optimized") == []
    assert goodput_notes(target(cost={"samples": 8.0}, variants=dict.fromkeys(sides, side(1e-3))), "optimized")
