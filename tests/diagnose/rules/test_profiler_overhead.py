"""A step of 1000 µs under the profiler, held against the step without."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Events, Kind
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.profiler_overhead import find
from perfproof.diagnose.traces import trace_of
from tests.diagnose.building import US, Program


def test_twice_as_long_is_a_finding_that_spoils_durations():
    finding = find(Program().evidence(unprofiled_step_ns=500 * US))
    assert finding.evidence[0].values["ratio"] == pytest.approx(2.0)
    assert finding.confidence == "high" and finding.poisons == "durations" and finding.share is None


def test_findings_from_durations_are_lowered():
    program = Program()
    program.busy(0, 300, "gemm")
    diagnosis = diagnose(program.evidence(unprofiled_step_ns=500 * US))
    assert diagnosis.findings[0].rule == "profiler_overhead"
    assert diagnosis.downgraded and {one.by for one in diagnosis.downgraded} == {"profiler_overhead"}


def test_a_little_longer_is_silent():
    assert find(Program().evidence(unprofiled_step_ns=900 * US)) is None


def test_the_profilers_own_rows_tell_where_no_other_step_is_known():
    program = Program()
    program.each_step(Kind.OVERHEAD, "Buffer Flush", 100, 300)
    program.add(Kind.OVERHEAD, "PyTorch Profiler (0)", 0, 4000)
    finding = find(program.evidence())
    assert finding.confidence == "medium" and finding.evidence[0].values["share"] == pytest.approx(0.2)


def test_it_abstains_without_a_step_to_compare():
    program = Program()
    program.add(Kind.OVERHEAD, "PyTorch Profiler (0)", 0, 4000)
    assert "--unprofiled-step" in find(program.evidence()).missing
    assert isinstance(find(Evidence()), Abstained)
    unmarked = Events("kineto")
    unmarked.add(Kind.OPERATOR, "aten::mm", 0, 1000)
    assert isinstance(find(Evidence(traces=(trace_of(unmarked, "x"),), unprofiled_step_ns=1.0)), Abstained)


def test_what_the_host_loses_costs_nothing_beside_a_device_that_is_always_busy():
    program = Program()
    program.each_step(Kind.OVERHEAD, "Buffer Flush", 100, 300)
    program.busy(0, 1000, "gemm")
    assert isinstance(find(program.evidence()), Abstained)
    program = Program()
    program.each_step(Kind.OVERHEAD, "Buffer Flush", 100, 300)
    program.busy(0, 800, "gemm")
    assert find(program.evidence()).confidence == "medium"
