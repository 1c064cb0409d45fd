"""Every shipped name is right on the chips it is declared for; a wrong one is refused with what was meant."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core.errors import UsageError
from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.counters import counters
from perfproof.profile.manifest.names import check, check_everywhere, known_aliases, ncu_own, resolve, split
from perfproof.profile.manifest.roles import groups
from perfproof.profile.roofline_counters import ARCHITECTURES

LISTED = json.loads((Path(__file__).parents[1] / "recorded" / "ncu_metrics.json").read_text())
TIME = "gpu__time_duration.sum"


@pytest.mark.parametrize("chip", chips())
@pytest.mark.parametrize("group", groups())
def test_every_name_of_the_manifest_is_valid_on_its_chips(group, chip):
    for by_chip in groups()[group].roles.values():
        for metric in by_chip.get(chip, ()):
            assert check(metric, chip) == ""


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_names_of_the_roofline_are_valid_too(name):
    for metric in ARCHITECTURES[name].metrics():
        assert check(metric, ARCHITECTURES[name].chip) == ""


def test_every_name_that_ncu_lists_is_known():
    for name, chip in (("sm_90", "GH100"), ("sm_100", "GB100")):
        assert [base for base in LISTED[name] if chip not in counters()[base].chips] == []


@pytest.mark.parametrize(
    ("alias", "first"),
    [
        ("flop_count_sp", "sm__sass_thread_inst_executed_op_fadd_pred_on.sum"),
        ("flop_count_hp", "sm__sass_thread_inst_executed_op_hadd_pred_on.sum"),
        ("shared_load_sectors", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
        ("shared_store_sectors", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
        ("smsp__sass_average_branch_divergence.pct", "smsp__sass_average_branch_targets_threads_uniform.pct"),
        ("gpu__time_elapsed.avg", TIME),
    ],
)
def test_a_wrong_name_that_circulates_says_what_it_was_taken_for(alias, first):
    for chip in chips():
        resolved = resolve(alias, chip)
        assert resolved.metrics[0] == first
        assert resolved.note.startswith(f"{alias} does not exist (") and f"taken for {first}" in resolved.note


@pytest.mark.parametrize("chip", chips())
@pytest.mark.parametrize("alias", known_aliases())
def test_every_alias_leads_to_names_that_exist_and_is_none_itself(alias, chip):
    assert alias not in counters()
    metrics = resolve(alias, chip).metrics
    assert metrics and [check(metric, chip) for metric in metrics] == [""] * len(metrics)


def test_single_precision_counts_packed_pairs_where_the_chip_has_them():
    packed = "sm__sass_thread_inst_executed_op_ffma2_pred_on.sum"
    assert packed in resolve("flop_count_sp", "GB100").metrics
    assert packed not in resolve("flop_count_sp", "GH100").metrics


def test_an_unknown_name_is_an_error_with_the_nearest_real_ones():
    problem = check("sm__warp_active.avg.pct_of_peak_sustained_active", "GH100")
    assert problem.startswith("sm__warp_active.avg.pct_of_peak_sustained_active: no chip has a counter of this name; ")
    assert "sm__warps_active.avg.pct_of_peak_sustained_active" in problem
    with pytest.raises(UsageError, match="the nearest on GH100"):
        resolve("sm__warp_active.avg", "GH100")


def test_nothing_near_is_said_too():
    assert check("zzzzzz", "GH100").endswith("nothing near it on GH100 either")


def test_a_name_of_another_chip_says_so_and_names_the_same_role_here():
    problem = check("sm__ops_path_tensor_src_fp16.sum", "GB100")
    assert "it exists on GH100, not on GB100; the same role (TC.fp16) is" in problem
    assert "sm__ops_path_tensor_src_fp16_dst_fp32.sum" in problem
    problem = check("sm__mem_tensor_reads.sum", "GH100")
    assert problem.endswith("it exists on GB100 and GB110, not on GH100, nor anything for this role (TMEM.reads)")


def test_dram_reads_have_another_name_on_a_workstation():
    assert "dram__bytes_op_read.sum there" in check("dram__bytes_read.sum", "GB202")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dram__bytes", "a counter needs .sum, .avg, .min or .max after its name"),
        ("dram__bytes.total", "a counter needs .sum, .avg, .min or .max after its name"),
        ("dram__bytes.sum.pct_of_peak", "is no suffix of a counter; the nearest is .pct_of_peak_sustained"),
        ("sm__throughput.avg", "a throughput ends in .pct_of_peak_sustained_active or .pct_of_peak_sustained_elapsed"),
        ("sm__throughput", "a throughput needs .sum, .avg, .min or .max after its name"),
        ("l1tex__t_sector_hit_rate.sum", "a ratio ends in .pct, .ratio or .max_rate"),
        ("launch__grid_size.sum", "launch__grid_size is ncu's own and takes no suffix"),
    ],
)
def test_suffixes_are_checked(name, said):
    assert said in check(name, "GH100")


@pytest.mark.parametrize(
    "name",
    [
        "dram__bytes.sum.per_second",
        "dram__bytes.sum.peak_sustained",
        "dram__bytes.max.peak_sustained_elapsed.per_second",
        "sm__throughput.max.pct_of_peak_sustained_active",
        "l1tex__t_sector_hit_rate.max_rate",
        "CTC.TriageCompute.ctc__rx_bytes.sum",
        "launch__occupancy_limit_registers",
        "derived__memory_l1_wavefronts_shared_excessive",
    ],
)
def test_suffixes_that_exist_are_accepted(name):
    assert check(name, "GH100") == ""


def test_ncus_own_names_are_on_a_list_of_their_own():
    assert not ncu_own() & set(counters())
    assert "launch__grid_size" in check("launch__grid_sise", "GH100")


def test_where_the_chip_is_not_known_a_name_is_right_if_any_has_it():
    assert check_everywhere("sm__mem_tensor_reads.sum") == ""
    assert "no chip has" in check_everywhere("sm__mem_tensor_read.sum")


@settings(deadline=None, max_examples=40)  # looking for near names takes its time
@given(st.sampled_from(sorted(counters())), st.sampled_from(list(chips())))
def test_the_list_decides_for_every_counter(base, chip):
    suffix = {"counter": "sum", "ratio": "pct", "throughput": "avg.pct_of_peak_sustained_elapsed"}[
        counters()[base].kind
    ]
    assert split(f"{base}.{suffix}") == (base, suffix)
    assert (check(f"{base}.{suffix}", chip) == "") == (chip in counters()[base].chips)


@settings(deadline=None)
@given(st.text(max_size=30))
def test_no_text_breaks_the_check(text):
    assert isinstance(check(text, "GB202"), str)
