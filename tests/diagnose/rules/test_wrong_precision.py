"""Matrix products beside the tensor cores, or in a type wider than they need."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Events, Kind, Total
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.wrong_precision import TENSOR_INSTRUCTIONS, find
from tests.diagnose.building import Program, counters
from tests.diagnose.shapes import H200

SIMT = "void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(Params)"
TF32 = "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32_warpgroupsize1x1x1"


def products(kernel, until, about=None):
    program = Program()
    program.busy(0, until, kernel)
    program.busy(until, 1000, "elementwise_kernel")
    program.events.about = about or {}
    return program.evidence()


def on_cpu(kind, until, name="aten::mm"):
    program = Program()
    program.each_step(Kind.OPERATOR, name, 0, until, args={"Input type": [kind, kind], "Input Dims": [[8, 8], [8, 8]]})
    return program.evidence()


def test_a_product_on_plain_cores():
    found = find(products(SIMT, 600))
    assert found.share == pytest.approx(0.6) and found.confidence == "high"
    assert found.experiment == "perfproof run ch02:tf32_matmul"


def test_the_data_sheet_tells_how_much_of_it_could_go():
    found = find(products(SIMT, 600, H200))
    assert 0.45 < found.share < 0.6  # fp32 67 of tf32 494 TFLOP/s: 86 % of the 60


@pytest.mark.parametrize(
    "kernel",
    [
        TF32,
        "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn",
        "cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4",
        "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_NNN",
    ],
)
def test_tensor_kernels_are_silent(kernel):
    assert find(products(kernel, 900)) is None


@pytest.mark.parametrize("kernel", ["ampere_sgemm_128x64_tn", "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x64x8"])
def test_other_names_of_plain_products(kernel):
    assert find(products(kernel, 900)).share == pytest.approx(0.9)


def test_a_small_part_is_silent():
    assert find(products(SIMT, 80)) is None


def test_counters_tell_products_without_a_tensor_instruction():
    found = find(counters(("my_gemm", 1.0, {TENSOR_INSTRUCTIONS: 0.0}), ("gemm2", 3.0, {TENSOR_INSTRUCTIONS: 9.0})))
    assert found.share == pytest.approx(0.25) and found.basis == "counters"


def test_on_a_cpu_float64_is_a_finding_and_float32_a_low_suspicion():
    double = find(on_cpu("double", 800))
    assert double.share == pytest.approx(0.4) and double.confidence == "high"
    single = find(on_cpu("float", 800))
    assert single.share == pytest.approx(0.4) and single.confidence == "low"
    assert single.experiment == "perfproof run ch01:reduced_precision"


def test_bfloat16_on_a_cpu_is_silent():
    assert find(on_cpu("c10::BFloat16", 800)) is None


def test_an_operator_inside_another_is_counted_once():
    program = Program()
    for name, until in (("aten::convolution", 500), ("aten::_convolution", 490), ("aten::mkldnn_convolution", 480)):
        program.each_step(Kind.OPERATOR, name, 0, until, args={"Input type": ["double", "double"]})
    assert find(program.evidence()).share == pytest.approx(0.25)


def tree(**nanoseconds):
    events = Events("proton")
    events.totals = [Total((name,), {"count": 1, "time_ns": taken}) for name, taken in nanoseconds.items()]
    return Evidence(tables=(("p.hatchet", events),))


def test_the_names_of_a_tree_of_sums_tell_plain_products():
    found = find(tree(ampere_sgemm_128x64_tn=600, add=400))
    assert found.share == pytest.approx(0.6) and found.share_of == "profiled kernels" and found.confidence == "high"
    assert found.basis == "durations" and found.evidence[0].place == "a tree of sums"
    assert find(tree(nvjet_tst_192x192_64x4_2x1_v_bz_coopB_NNN=600, add=400)) is None
    assert isinstance(find(tree(add=400)), Abstained)


def test_a_trace_without_types_makes_it_abstain():
    program = Program()
    program.each_step(Kind.OPERATOR, "aten::mm", 0, 900)
    assert isinstance(find(program.evidence()), Abstained)
