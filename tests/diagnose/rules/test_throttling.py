"""Clocks held back by heat, at the power limit, and read where the GPU was idle."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Series
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.throttling import find
from tests.diagnose.building import Program

IDLE, POWER, THERMAL = 0x1, 0x4, 0x40


def series(*values):
    one = Series()
    for time, value in enumerate(values):
        one.add(time * 1_000_000, value)
    return one


def telemetry(masks, clocks=None):
    found = {"gpu0.event_reasons": series(*masks)}
    return {"telemetry.jsonl": found | ({"gpu0.sm_mhz": series(*clocks)} if clocks else {})}


def test_the_share_is_the_time_held_back_times_the_clock_that_was_lost():
    finding = find(Evidence(series=telemetry([0, 0, THERMAL, THERMAL, THERMAL], [2000, 2000, 1500, 1500, 1500])))
    assert finding.share == pytest.approx(0.6 * 0.25)
    assert finding.confidence == "high" and finding.poisons == "all"
    assert "hardware thermal slowdown" in finding.evidence[0].text


def test_without_clocks_the_share_is_not_known():
    assert find(Evidence(series=telemetry([THERMAL, 0]))).share is None


def test_a_thermal_violation_of_dmon_counts():
    assert find(Evidence(series={"dmon.txt": {"gpu0.tviol": series(0, 1, 1, 0)}})).evidence[0].values["held"] == 0.5


def test_the_power_limit_is_said_and_lowers_nothing():
    program = Program()
    program.busy(0, 10, "gemm")
    diagnosis = diagnose(program.evidence(series=telemetry([POWER] * 10)))
    own = next(one for one in diagnosis.findings if one.rule == "throttling")
    assert own.confidence == "low" and not own.poisons and diagnosis.downgraded == []


def test_heat_lowers_all_other_findings():
    program = Program()
    program.busy(0, 300, "gemm")
    diagnosis = diagnose(program.evidence(series=telemetry([THERMAL] * 10)))
    assert diagnosis.findings[0].rule == "throttling"
    assert {one.by for one in diagnosis.downgraded} == {"throttling"}


def test_a_gpu_that_runs_freely_is_silent_and_readings_while_idle_do_not_count():
    assert find(Evidence(series=telemetry([0] * 10))) is None
    assert isinstance(find(Evidence(series=telemetry([IDLE | THERMAL] * 10))), Abstained)


def test_without_telemetry_it_abstains():
    assert "perfproof monitor" in find(Evidence()).missing
