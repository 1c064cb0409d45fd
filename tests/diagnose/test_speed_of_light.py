"""Shares of peak: ncu's own, or worked out from what a page has and the card's data sheet."""

from pathlib import Path

import pytest

from perfproof.core.diagnosis import Abstained, Finding
from perfproof.diagnose.counted import counted
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules import (
    bank_conflicts,
    cache_bound,
    compute_bound,
    latency_bound,
    low_occupancy,
    memory_bound,
)
from perfproof.diagnose.speed_of_light import speed_of_light
from perfproof.profile.ncu import csv as ncu_csv
from tests.diagnose.building import DRAM, SM, TENSOR, counters

RECORDED = Path(__file__).parents[1] / "profile" / "recorded"
SHORT = RECORDED / "h200_shortened_names.csv"  # bytes and operations, no share of anything
WHOLE = RECORDED / "h200_collect_command.csv"


def page(path, **more):
    return Evidence(counters=ncu_csv.read_file(path).kernels, **more)


def light_of(evidence, name):
    return next(speed_of_light(kernel) for kernel in counted(evidence)[0] if name in kernel.name)


def test_bytes_over_time_are_a_share_of_what_the_data_sheet_promises():
    light = light_of(page(SHORT), "unrolled_elementwise_kernel")
    assert light.dram == pytest.approx(399273728 / 191968e-9 / 4.8e12)
    assert light.arithmetic == 0.0 and light.by_sheet == ("DRAM", "arithmetic")


def test_bytes_alone_say_what_binds_the_kernels_of_a_recorded_page():
    found = memory_bound.find(page(SHORT))
    assert isinstance(found, Finding) and "pow_tensor_scalar_kernel_impl" in found.evidence[0].text
    assert found.evidence[0].text.endswith("; DRAM and arithmetic by the card's data sheet")
    assert compute_bound.find(page(SHORT)) is None


def test_what_ncu_says_itself_comes_first():
    light = light_of(page(WHOLE), "nvjet")
    assert light.arithmetic == pytest.approx(0.93, abs=0.01) and light.by_sheet == ()
    found = compute_bound.find(page(WHOLE))
    assert isinstance(found, Finding) and "nvjet" in found.evidence[0].text


def test_the_tensor_pipe_alone_says_nothing_of_other_operations():
    light = light_of(page(WHOLE), "multiply_add_kernel")
    assert light.arithmetic > 0.0 and light.by_sheet == ("arithmetic",)


def test_a_card_without_a_data_sheet_has_no_shares():
    unnamed = ncu_csv.parse(SHORT.read_text().replace("NVIDIA H200", "Somebody's card"), "page")
    said = memory_bound.find(Evidence(counters=unnamed.kernels))
    assert isinstance(said, Abstained) and DRAM in said.missing and "--metrics minimal" in said.missing


def test_what_is_busy_waits_for_nothing_whatever_else_was_collected():
    assert speed_of_light(counted(counters(("k", 1.0, {DRAM: 0.5})))[0][0]).latency_bound is False
    assert speed_of_light(counted(counters(("k", 1.0, {DRAM: 0.1})))[0][0]).latency_bound is None
    assert latency_bound.find(page(SHORT)) is None


def test_the_occupancy_that_comes_with_every_page_is_enough_to_call_it_low():
    idle = {DRAM: 0.1, TENSOR: 0.1, "sm__inst_executed.avg.per_cycle_active": 0.4}
    facts = {"sm__maximum_warps_per_active_cycle_pct": 0.125, "launch__occupancy_limit_registers": 1.0}
    found = low_occupancy.find(counters(("k", 1.0, idle | facts)))
    assert isinstance(found, Finding) and "12 % of the warps" in found.evidence[0].text
    enough = facts | {"sm__maximum_warps_per_active_cycle_pct": 0.9}  # how many were active is not known
    assert isinstance(low_occupancy.find(counters(("k", 1.0, idle | enough))), Abstained)


@pytest.mark.parametrize(("conflicts", "said"), [(0.0, type(None)), (0.9, Abstained)])
def test_without_conflicts_nobody_need_know_how_busy_the_cache_is(conflicts, said):
    values = {bank_conflicts.CONFLICT.format("ld"): conflicts, bank_conflicts.WAVEFRONT.format("ld"): 1.0}
    assert isinstance(bank_conflicts.find(counters(("k", 1.0, values))), said)


def test_a_rule_that_abstains_names_what_it_lacks():
    missing = cache_bound.find(counters(("k", 1.0, {DRAM: 0.5, SM: 0.1}))).missing
    assert missing.startswith("lts__t_sectors.avg.pct_of_peak_sustained_elapsed of the kernels: ")
