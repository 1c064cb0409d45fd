"""What a reader of a result should know: each warning with the figure that calls for it, and none without."""

from dataclasses import replace

import pytest

from perfproof.bench.comparison.verdict import verdict_of
from perfproof.bench.warnings import note_prediction, remarks
from perfproof.core.documents import RankTimes, RatioResult, TargetResult, VariantResult
from tests.bench.comparison.recorded import compared, job


def said(found=None, notes=(), one=None, pool=None, **variants):
    """Codes and texts for a comparison; `variants` are further figures of the sides."""
    found = found or compared(theta=0.5)
    found.records[0].pool = {"bytes": 2**28, "set_bytes": 2**20, **(pool or {})}
    result = TargetResult(target="t", status="ok", ratios={"optimized": verdict_of(found, "optimized")})
    for side in ("baseline", "optimized"):
        seconds = result.ratios["optimized"].baseline if side == "baseline" else result.ratios["optimized"].variant
        result.variants[side] = VariantResult(times={"call": seconds}, **variants.get(side, {}))
    return {warning.code: warning.text for warning in remarks(one or found.job, result, found, list(notes))}


def test_a_quiet_result_has_no_remark():
    assert said() == {}


def test_switching_that_shifts_the_times_is_said_with_what_was_done_about_it():
    text = said(compared(theta=0.5, switch=0.1))["W103"]
    assert text.startswith("optimized: switching between the two sides shifts the times by up to ")
    assert text.endswith("it is taken off")


def test_creation_order_disturbed_samples_and_groups_are_said():
    assert "which side is created first moves it by 8.0 %" in said(compared(theta=0.5, slot_effect=0.08))["W102"]
    assert "of the samples were disturbed" in said(compared(theta=0.5, disturbed=0.05))["W109"]


def test_values_that_came_again_are_said_from_one_per_cent():
    found = compared(theta=0.5)
    found.records[0].repeated = 0.009
    assert said(found) == {}
    found.records[0].repeated = 0.02
    assert said(found)["W121"] == "2 % of the calls saw inputs they had seen before"


def test_what_verification_could_not_prove_is_said():
    assert said(notes=["nothing proves that `mask` is read"])["W126"] == "nothing proves that `mask` is read"


@pytest.mark.parametrize(("seconds", "warned"), [(0.09, False), (0.11, True)])
def test_what_long_calls_leave_out_is_said(seconds, warned):
    found = compared(theta=0.5)
    found.records[0].call_seconds = {"baseline": seconds, "optimized": 0.05}
    assert said(found).get("W126", "").startswith("calls are long: the baseline had no twin") == warned


@pytest.mark.parametrize(("seconds", "warned"), [(0.4, False), (0.6, True)])
def test_what_a_slow_reference_leaves_out_is_said(seconds, warned):
    found = compared(theta=0.5)
    found.records[0].reference_seconds = seconds
    assert said(found).get("W126", "").startswith("checking an output takes long: each process") == warned


def test_a_baseline_that_waits_is_said():
    assert (
        said(baseline={"cpu_share": 0.3})["W127"] == "the baseline waits: its calls use the CPU for 30 % of their time"
    )
    assert said(baseline={"cpu_share": 0.51}) == said(baseline={"cpu_share": None}) == {}
    assert said(optimized={"cpu_share": 0.1}) == {}, "that is the variant's own affair"


def test_a_long_first_call_is_said_and_how_many_calls_pay_for_it():
    told = said(optimized={"first_call_seconds": 2.0})
    assert told["W129"].startswith("optimized: the first call takes 2.00 s longer than a later one")
    assert "set-up takes 2.00 s longer, paid back after 5," in told["W113"]
    assert said(optimized={"first_call_seconds": 0.004}) == {}


def test_preparation_and_first_call_together_have_to_be_paid_back():
    assert "W113" not in said(optimized={"setup_seconds": 0.2, "first_call_seconds": 0.004})
    assert "W113" in said(optimized={"setup_seconds": 0.2, "first_call_seconds": 0.3})
    assert "W113" not in said(optimized={"setup_seconds": 0.5}, baseline={"first_call_seconds": 0.4})


def test_uneven_ranks_are_named():
    uneven = RankTimes(spread=0.3, straggler=1, straggler_share=0.9)
    assert said(optimized={"ranks": uneven})["W130"].endswith("rank 1 is slowest in 90 % of them")


def test_arguments_that_caches_may_hold_are_said_unless_they_are_tiny_anyway():
    large = replace(job(), footprint=2**28)
    assert said(one=large) == {}
    assert (
        "16.0 MiB of arguments are drawn at once, not 256 MiB"
        in said(one=large, pool={"bytes": 2**24, "set_bytes": 2**22})["W101"]
    )
    assert said(one=large, pool={"bytes": 2**24, "set_bytes": 2**10}) == {}


def predicted(low, **cost):
    ratio = RatioResult(verdict="faster", ratio=low * 1.1, low=low, high=low * 1.2, baseline=low * 1.1, variant=1.0)
    result = TargetResult(target="t", status="ok", ratios={"optimized": ratio}, cost=cost)
    result.variants = dict.fromkeys(("baseline", "optimized"), VariantResult(times={"call": 1.0}))
    note_prediction(result)
    return [warning.code for warning in result.warnings]


@pytest.mark.parametrize(("low", "codes"), [(3.9, []), (4.1, ["W128"])])
def test_a_ratio_far_beyond_the_pair_s_own_count_is_said(low, codes):
    assert predicted(low, predicted_optimized=2.0) == codes
    assert predicted(low) == [], "nothing is predicted"


def test_graphs_that_were_compiled_while_calls_were_timed_are_counted():
    found = compared(theta=0.5)
    found.records[0].compiled, found.records[1].compiled = 2, 1
    assert said(found)["W136"] == "torch.compile made 3 graphs after the warm-up, while calls were timed"


def test_cuda_graphs_that_torch_compile_could_not_record_are_said():
    found = compared(theta=0.5)
    assert "W139" not in said(found)
    found.records[0].skipped_cuda_graphs = 2
    assert "2 CUDA graphs" in said(found)["W139"]


def test_graph_breaks_are_said_once_with_their_reasons():
    found = compared(theta=0.5)
    assert "W145" not in said(found)
    for record in found.records:
        record.graph_breaks = ["Data-dependent branching"]
    assert said(found)["W145"].count("Data-dependent branching") == 1


def with_foreign(share):
    found = compared(theta=0.5)
    for record in found.records:
        for row in record.rows:
            foreign = share * 1e-3 if row["side"] == "optimized" else 0.0
            row.update(start_ns=0, end_ns=1_000_000, foreign_seconds=foreign)
    return found


def test_own_threads_that_share_the_worker_s_core_are_said():
    one = replace(compared(theta=0.5).job, cpus=(1,))
    assert said(with_foreign(0.6), one=one)["W137"] == "optimized: its own threads do 60 % of a core's work on 1 core"
    assert said(with_foreign(0.1), one=one) == {}
    assert said(with_foreign(0.6), one=replace(one, rank_cpus=((1,), (2,)))).keys() == set(), "a backend's own threads"


def test_processes_that_share_the_worker_s_cores_are_said():
    found = with_foreign(0.0)
    found.records[0].processes = 2
    one = replace(found.job, cpus=(1, 2))
    assert said(found, one=one)["W137"] == "2 processes that the sides started share 2 cores with them"
