"""Launches of one kernel together, and their share of the step or of what was profiled."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.counted import Hit, confidence, counted, look, saved
from perfproof.diagnose.evidence import Evidence
from perfproof.profile.kernel_identity import identity
from tests.diagnose.building import DRAM, Program, counters

TORCH = "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int, float*)"
NCU = "at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TORCH, NCU),
        ("void (anonymous namespace)::softmax<float>(int)", "(anonymous namespace)::softmax<float>"),
        ("f(int)", "f"),
        ("void g<(int)4>(float)", "g<(int)4>"),
    ],
)
def test_a_kernel_is_the_same_however_a_profiler_writes_it(one, other):
    assert identity(one) == identity(other) != ""


def test_different_template_arguments_are_different_kernels():
    assert identity("k<4>(int)") != identity("k<8>(int)")


def test_values_are_means_weighted_by_time():
    (kernel,), of = counted(counters(("k", 1.0, {DRAM: 0.2}), ("k", 3.0, {DRAM: 0.6}), ("k", 9.0, {})))
    assert kernel.value(DRAM) == pytest.approx(0.5) and of == "profiled kernels" and kernel.share == 1.0
    assert kernel.value("absent", DRAM) == pytest.approx(0.5) and kernel.value("absent") is None
    assert kernel.sum("absent", DRAM) == pytest.approx(0.5) and kernel.sum("absent") is None


def test_without_a_trace_shares_are_of_the_profiled_kernels():
    kernels, of = counted(counters(("a", 1.0, {}), ("b", 3.0, {})))
    assert {kernel.name: kernel.share for kernel in kernels} == {"a": 0.25, "b": 0.75} and of == "profiled kernels"


def test_with_a_trace_shares_are_of_the_step():
    program = Program()
    program.busy(0, 300, TORCH)
    evidence = program.evidence(counters=counters((NCU, 1.0, {}), ("not in the trace", 9.0, {})).counters)
    kernels, of = counted(evidence)
    assert of == "step" and [kernel.share for kernel in kernels] == [pytest.approx(0.3), 0.0]


def test_with_a_trace_a_name_that_ncu_shortened_finds_its_kernel():
    program = Program()
    program.busy(0, 300, TORCH)
    short = "void vectorized_elementwise_kernel<4, AddFunctor<float>>(int, T2)"
    other = "void vectorized_elementwise_kernel<8, AddFunctor<float>>(int, T2)"
    kernels, of = counted(program.evidence(counters=counters((short, 1.0, {}), (other, 1.0, {})).counters))
    assert of == "step" and [kernel.share for kernel in kernels] == [pytest.approx(0.3), 0.0]


def test_what_it_lacks_is_named():
    said = look(
        counters(("a", 1.0, {DRAM: 0.5})), "r", "minimal", lambda _: "missing", ((DRAM,), ("x__y.sum", "z__y.sum"))
    )
    assert said.missing == "x__y.sum of the kernels: `perfproof profile --tool ncu --metrics minimal`"
    assert DRAM in look(counters(("a", 1.0, {DRAM: 0.5})), "r", "minimal", lambda _: "missing", ((DRAM,),)).missing


def test_a_rule_abstains_only_if_no_kernel_has_its_counters():
    def judge(kernel):
        used = kernel.value(DRAM)
        return "missing" if used is None else Hit(kernel, used, "x", {}) if used > 0.5 else None

    assert isinstance(look(Evidence(), "r", "BASE", judge), Abstained)
    assert isinstance(look(counters(("a", 1.0, {})), "r", "BASE", judge), Abstained)
    assert look(counters(("a", 1.0, {}), ("b", 1.0, {DRAM: 0.1})), "r", "BASE", judge) is None
    hits = look(counters(("a", 1.0, {DRAM: 0.9}), ("b", 1.0, {DRAM: 0.6}), ("c", 2.0, {})), "r", "BASE", judge)
    assert [hit.kernel.name for hit in hits] == ["a", "b"] and saved(hits) == pytest.approx(0.25 * 1.5)
    assert confidence(hits) == "high"


def test_kernels_at_their_roof_are_a_low_word():
    (kernel,), _ = counted(counters(("a", 1.0, {})))
    assert confidence([Hit(kernel, 0.9, "x", {}, at_roof=True)]) == "low"
    assert Hit(kernel, 1.7, "x", {}).share == 1.0 and Hit(kernel, -1.0, "x", {}).share == 0.0
