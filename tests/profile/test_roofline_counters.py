"""The counters a roofline asks for exist on the chips it asks them of."""

import json
from pathlib import Path

import pytest

from perfproof.profile.manifest.names import check
from perfproof.profile.roofline_counters import ARCHITECTURES, architecture_of, collect_command

LISTED = json.loads((Path(__file__).parent / "recorded" / "ncu_metrics.json").read_text())


@pytest.mark.parametrize("name", ["sm_90", "sm_100"])
def test_every_name_is_in_the_list_that_ncu_prints_for_the_chip(name):
    needed = {metric.partition(".")[0] for metric in ARCHITECTURES[name].metrics()}
    assert needed <= set(LISTED[name])


def test_names_of_one_chip_are_not_asked_of_the_other():
    hopper, blackwell = (set(ARCHITECTURES[name].metrics()) for name in ("sm_90", "sm_100"))
    assert "sm__ops_path_tensor_src_fp16.sum" in hopper - blackwell
    assert "sm__mem_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed" in blackwell - hopper


@pytest.mark.parametrize(
    ("capability", "chip"),
    [("9.0", "GH100"), ("10.0", "GB100"), ("10.3", "GB110"), ("12.0", "GB202"), ("8.0", "GA100"), ("7.5", "TU104")],
)
def test_the_command_names_no_counter_that_the_chip_lacks(capability, chip):
    found = architecture_of(capability)
    assert found.chip == chip and [check(metric, chip) for metric in found.metrics()] == [""] * len(found.metrics())


def test_fp8_has_other_names_on_a_b300_than_on_a_b200():
    b200, b300 = architecture_of("10.0").tensor, architecture_of("10.3").tensor
    assert b200["fp8"][0] == "sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32.sum"
    assert b300["fp8"] == ["sm__ops_path_tensor_src_fp8_dst_fp32.sum", "sm__ops_path_tensor_src_fp8_dst_fp16.sum"]


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_command_collects_all_of_them_once_as_the_raw_page(name):
    command = collect_command(ARCHITECTURES[name])
    words = command.replace("\\\n", " ").split()
    metrics = command.partition("--metrics \\\n")[2].partition(" \\\n")[0].replace("\\\n", "").split(",")
    assert metrics == ARCHITECTURES[name].metrics() and len(set(metrics)) == len(metrics)
    assert {"--csv", "--page", "raw", "--print-units", "base", "--log-file"} <= set(words)


def test_capabilities_lead_to_architectures():
    assert architecture_of("9.0").name == "sm_90" and architecture_of("10.3").name == "sm_103"
    assert architecture_of("10.0").name == "sm_100" and architecture_of("12.0").name == "sm_120"
    assert architecture_of("8.6") is None and architecture_of("10.1") is None and architecture_of("") is None
