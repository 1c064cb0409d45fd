"""A kernel that the program brought is named where nothing else is known, and no louder than low."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.diagnose import without_fallback
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.own_kernel import find
from tests.diagnose.building import Program, counters


def step(kernel="moments_kernel", length=600, operator=None):
    program = Program()
    if operator:
        program.each_step(Kind.OPERATOR, operator, 0, 500)
    for base in program.starts():
        program.kernel(base + 50, base + 50 + length, kernel, launched=base + 10)
    return program.evidence()


def test_the_programs_own_kernel_with_most_of_the_time_is_named_with_the_command_that_counts_it():
    found = find(step())
    assert "moments_kernel" in found.title and found.confidence == "low" and found.share == pytest.approx(0.6)
    assert "--tool ncu" in found.experiment


@pytest.mark.parametrize(
    "other",
    [
        {"kernel": "void at::native::vectorized_elementwise_kernel<4>(int)"},
        {"kernel": "nvjet_sm90_tst_128x128"},
        {"kernel": "triton_poi_fused_add_0"},  # torch.compile made it
        {"operator": "aten::mm"},  # whatever its name, torch launched it
        {"length": 300},
    ],
)
def test_a_librarys_kernel_and_a_short_one_are_not(other):
    assert find(step(**other)) is None


def test_where_counters_were_read_they_speak():
    evidence = step()
    read = counters(("moments_kernel", 1e-3, {}))
    assert find(Evidence(traces=evidence.traces, counters=read.counters)) is None


def test_it_goes_without_saying_if_a_cause_is_known():
    known = find(step()).model_copy(update={"rule": "host_sync", "confidence": "high"})
    assert [one.rule for one in without_fallback([find(step()), known])] == ["host_sync"]


def test_without_a_device_it_abstains():
    assert isinstance(find(Evidence()), Abstained)
