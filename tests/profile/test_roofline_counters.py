"""The counters a roofline asks for exist on the chips it asks them of."""

import json
from pathlib import Path

import pytest

from perfproof.profile.roofline_counters import ARCHITECTURES, architecture_of, collect_command

LISTED = json.loads((Path(__file__).parent / "recorded" / "ncu_metrics.json").read_text())


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_name_is_in_the_list_that_ncu_prints_for_the_chip(name):
    needed = {metric.partition(".")[0] for metric in ARCHITECTURES[name].metrics()}
    assert needed <= set(LISTED[name])


def test_names_of_one_chip_are_not_asked_of_the_other():
    hopper, blackwell = (set(ARCHITECTURES[name].metrics()) for name in ("sm_90", "sm_100"))
    assert "sm__ops_path_tensor_src_fp16.sum" in hopper - blackwell
    assert "sm__mem_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed" in blackwell - hopper


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_the_command_collects_all_of_them_once_as_the_raw_page(name):
    command = collect_command(ARCHITECTURES[name])
    words = command.replace("\\\n", " ").split()
    metrics = command.partition("--metrics \\\n")[2].partition(" \\\n")[0].replace("\\\n", "").split(",")
    assert metrics == ARCHITECTURES[name].metrics() and len(set(metrics)) == len(metrics)
    assert {"--csv", "--page", "raw", "--print-units", "base", "--log-file"} <= set(words)


def test_capabilities_lead_to_architectures():
    assert architecture_of("9.0").name == "sm_90" and architecture_of("10.3").name == "sm_100"
    assert architecture_of("8.6") is None and architecture_of("") is None
