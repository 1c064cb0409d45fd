"""What is collected: chapter, then tags, then the command line; and what it costs."""

import json

import pytest

from perfproof.core.errors import NothingMatched, UsageError
from perfproof.profile.manifest.chips import chips
from perfproof.profile.manifest.names import check, ncu_own
from perfproof.profile.manifest.roles import groups, metrics_of, wishes
from perfproof.profile.manifest.selection import FILE, evaluated, made, select

TIME = "gpu__time_duration.sum"


@pytest.mark.parametrize("name", ["ch07", "CH07", "7", "07", "ch7", "ch07_memory_access"])
def test_a_chapter_is_found_by_any_spelling(name):
    selection = select(name, "GH100")
    assert selection.name == "ch07"
    assert selection.metrics[0] == TIME and "l1tex__t_sector_hit_rate.pct" in selection.metrics
    assert selection.nsys == ("cuda", "nvtx") and selection.passes == "7"


def test_tags_come_after_the_chapter_and_bring_no_name_twice():
    selection = select("ch10", "GB100", tags=["tensor", "graphs"])
    assert len(selection.metrics) == len(set(selection.metrics))
    assert set(metrics_of(["TC", "TMEM"], "GB100")) <= set(selection.metrics)
    assert selection.options == ("--cuda-graph-trace=node",)


def test_a_chapter_can_have_tags_of_its_own():
    assert select("ch04", "GH100").nsys == ("cuda", "nvtx", "osrt", "nccl")


def test_the_command_line_adds_metrics_roles_and_groups():
    selection = select("ch12", "GH100", add=["dram__bytes.sum", "TC.bf16", "SPILL"])
    assert selection.metrics[:3] == (TIME, "dram__bytes.sum", "sm__ops_path_tensor_src_bf16_dst_fp32.sum")
    assert set(metrics_of(["SPILL"], "GH100")) <= set(selection.metrics)


def test_what_is_dropped_is_dropped_whoever_asked_for_it():
    selection = select("quick", "GH100", add=["dram__bytes.sum"], drop=["dram__bytes.sum", "TC", "BASE.time"])
    assert TIME not in selection.metrics and "dram__bytes.sum" not in selection.metrics
    assert not set(metrics_of(["TC"], "GH100")) & set(selection.metrics)


def test_dropping_what_is_not_there_is_said():
    assert select("quick", "GH100", drop=["LINK"]).notes == ("LINK was not there to be left out",)


def test_a_wrong_name_is_taken_for_a_right_one_and_said():
    selection = select("ch12", "GB100", add=["shared_load_sectors"])
    assert metrics_of(["SMEM.load_wavefronts"], "GB100")[0] in selection.metrics
    assert selection.notes[-1].startswith("shared_load_sectors does not exist (")


def test_what_the_chip_has_not_is_said():
    assert "TMEM: GH100 has no counters for it" in select("ch10", "GH100").notes
    assert "FLOP.ffma2: GH100 has no counters for it" in select("quick", "GH100", add=["FLOP.ffma2"]).notes


@pytest.mark.parametrize(
    ("keywords", "error", "said"),
    [
        ({"name": "ch21"}, NothingMatched, "there is no chapter, preset or group 'ch21': "),
        ({"name": "qick"}, NothingMatched, "quick"),
        ({"name": "quick", "tags": ["ncll"]}, UsageError, "--tag 'ncll' is unknown: nccl, "),
        ({"name": "quick", "add": ["sm__warp_active.avg"]}, UsageError, "the nearest on GH100"),
        ({"name": "quick", "drop": ["TC.fp5"]}, UsageError, "TC.fp5: TC has instructions, busy, bf16"),
    ],
)
def test_what_does_not_exist_is_refused(keywords, error, said):
    with pytest.raises(error) as raised:
        select(chip="GH100", **keywords)
    assert said in str(raised.value)


@pytest.mark.parametrize("chip", chips())
def test_the_cost_of_everything_shipped_is_exact_and_every_name_valid(chip):
    for name in [*wishes("chapters"), *wishes("presets"), *groups()]:
        selection = select(name, chip)
        known = evaluated()[chip][name]
        assert (selection.least_passes, selection.most_passes) == made(known, known, chip)
        assert [check(metric, chip) for metric in selection.metrics] == [""] * len(selection.metrics)
        assert bool(selection.most_passes) == any(metric not in ncu_own() for metric in selection.metrics)


def test_presets_cost_what_their_names_promise():
    for chip in chips():
        cost = evaluated()[chip]
        turing = chip == "TU104"  # fewer units count at a time, and there is less to count
        assert cost["quick"] == cost["minimal"] == 1 + turing and cost["memory"] in (5, 6)
        assert cost["roofline"] in ((3,) if turing else (5, 6)) and cost["deep"] > cost["memory"] * 2


@pytest.mark.parametrize("chip", chips())
def test_what_counts_operations_of_tensor_cores_counts_their_pipe_too(chip):
    """Without it a product in a type that was not asked for cannot be told from one without tensor cores."""
    busy = metrics_of(["TC.busy"], chip)[0]
    for name in [*wishes("chapters"), *wishes("presets")]:
        metrics = select(name, chip).metrics
        assert busy in metrics or not [one for one in metrics if "ops_path_tensor" in one], name


def test_a_mixture_costs_between_its_dearest_part_and_all_in_a_row():
    selection = select("quick", "GH100", add=["COAL", "SMEM"])
    known = evaluated()["GH100"]
    assert known["COAL"] <= selection.least_passes <= selection.most_passes <= known["COAL"] + known["SMEM"] + 2
    assert selection.passes == f"{selection.least_passes} to {selection.most_passes}"


def test_less_than_a_preset_costs_no_more_than_it():
    assert select("memory", "GB202", drop=["COAL.load_sectors"]).most_passes <= select("memory", "GB202").most_passes


def test_what_ncu_takes_from_the_launch_costs_no_pass():
    assert select("LAUNCH", "GH100").most_passes == 0
    assert select("quick", "GH100", add=["LAUNCH"]).passes == "1"


@pytest.mark.parametrize(("evaluated", "ran"), [(1, 1), (4, 5), (6, 7), (7, 8), (9, 10), (0, 0)])
def test_what_ncu_ran_on_an_h200_is_what_is_announced(evaluated, ran):
    """Sets of counters of which ncu 2025.3.1 said how often it ran the kernels."""
    assert made(evaluated, evaluated, "GH100") == (ran, ran)
    assert made(evaluated, evaluated, "GB100") == (evaluated, ran)


def test_where_nobody_has_looked_it_is_one_or_the_other():
    assert select("roofline", "GH100").passes == "6" and select("roofline", "GB100").passes == "5 to 6"


def test_the_costs_name_their_source():
    assert json.loads(FILE.read_text())["source"].startswith("libnvperf_host.so of nvidia-cuda-cupti 13")
