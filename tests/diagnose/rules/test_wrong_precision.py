"""Matrix products beside the tensor cores, or in a type wider than they need."""

from dataclasses import replace

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Events, Kind, Total
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.wrong_precision import TENSOR_INSTRUCTIONS, find
from tests.diagnose.building import Program, counters
from tests.diagnose.shapes import H200

SIMT = "void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(Params)"
DMMA = "sm90_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize128x128x16_stage3_warpsize4x2x1_tensor16x8x16_kernel"
TF32 = "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32_warpgroupsize1x1x1"


def products(kernel, until, about=None):
    program = Program()
    program.busy(0, until, kernel)
    program.busy(until, 1000, "elementwise_kernel")
    program.events.about = about or {}
    return program.evidence()


def on_cpu(kind, until, name="aten::mm", rows=8):
    program = Program()
    dims = [[rows, 8], [8, 8]]
    program.each_step(Kind.OPERATOR, name, 0, until, args={"Input type": [kind, kind], "Input Dims": dims})
    return program.evidence()


def test_a_product_on_plain_cores():
    found = find(products(SIMT, 600, H200))
    assert found.evidence[0].values["share"] == pytest.approx(0.6) and found.confidence == "high"
    assert found.experiment == "perfproof run ch02:tf32_matmul"


def test_on_a_card_that_is_not_known_it_is_a_low_suspicion_without_a_share():
    found = find(products(SIMT, 600))
    assert found.share is None and found.confidence == "low" and "take 60 % of the time" in found.evidence[0].text
    assert "is unknown" in found.evidence[0].text and "saves_at_most" not in found.evidence[0].values


def card(name):
    return {"deviceProperties": [{"id": 0, "name": name}]}


@pytest.mark.parametrize("name", ["NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 3090"])
def test_where_tf32_is_no_faster_only_half_precision_is_promised(name):
    found = find(products(SIMT, 600, card(name)))
    assert found.share == pytest.approx(0.3, abs=0.01)  # twice the rate
    assert found.advice.startswith("autocast to bfloat16") and found.experiment.endswith("ch01:reduced_precision")


def test_a_card_before_tf32_and_bfloat16_is_told_of_float16():
    found = find(products(SIMT, 600, card("Tesla T4")))
    assert found.share == pytest.approx(0.6 * (1 - 8.1 / 65)) and "float16" in found.advice


def test_float64_on_plain_cores_is_not_promised_what_tf32_saves():
    found = find(products("cutlass_80_simt_dgemm_128x64_8x4_nn_align1", 600, H200))
    assert found.share == pytest.approx(0.3) and found.advice.startswith("float32 in place of float64")


def test_the_data_sheet_tells_how_much_of_it_could_go():
    found = find(products(SIMT, 600, H200))
    assert 0.45 < found.share < 0.6  # fp32 67 of tf32 494 TFLOP/s: 86 % of the 60


@pytest.mark.parametrize(
    "kernel",
    [
        TF32,
        DMMA,
        "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn",
        "cutlass_80_tensorop_s1688gemm_128x128_16x4_nn_align4",
        "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_NNN",
    ],
)
def test_tensor_kernels_are_silent(kernel):
    assert find(products(kernel, 900)) is None


@pytest.mark.parametrize("kernel", ["ampere_sgemm_128x64_tn", "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x64x8"])
def test_other_names_of_plain_products(kernel):
    assert find(products(kernel, 900)).evidence[0].values["share"] == pytest.approx(0.9)


def test_a_small_part_is_silent():
    assert find(products(SIMT, 80)) is None


def counted_products(device, **used):
    """Kernels of a second each, with the tensor instructions that they executed."""
    plain = counters(*((name, 1.0, {TENSOR_INSTRUCTIONS[0]: instructions}) for name, instructions in used.items()))
    return Evidence(counters=tuple(replace(one, device=device) for one in plain.counters))


def test_counters_tell_products_without_a_tensor_instruction():
    found = find(counted_products("NVIDIA H200", my_gemm=0.0, gemm2=9.0))
    assert found.evidence[0].values["share"] == pytest.approx(0.5) and found.basis == "counters"
    assert found.share == pytest.approx(0.5 * (1 - 66.9 / 494.7)) and found.confidence == "high"


def test_counters_of_a_card_without_faster_tf32_promise_what_its_sheet_does():
    assert find(counted_products("NVIDIA GeForce RTX 4090", my_gemm=0.0)).share == pytest.approx(0.5)
    unknown = find(counted_products("", my_gemm=0.0))
    assert unknown.share is None and unknown.confidence == "low"


def test_float64_on_tensor_cores_that_count_elsewhere_is_silent():
    assert find(counted_products("NVIDIA H200", **{DMMA: 0.0})) is None


def test_a_small_part_with_known_rates_does_not_hide_a_large_one_without():
    trace = products(SIMT, 600)
    some = counted_products("NVIDIA H200", my_gemm=0.0, other=5.0).counters
    found = find(replace(trace, counters=(some[0], *(replace(some[1], name=f"k{n}") for n in range(20)))))
    assert found.share is None and "take 60 % of the time" in found.evidence[0].text


def test_the_other_tensor_pipe_of_blackwell_counts_too():
    assert find(counters(("my_gemm", 1.0, dict(zip(TENSOR_INSTRUCTIONS, (0.0, 9.0), strict=True))))) is None


def test_on_a_cpu_float64_is_a_finding_and_float32_a_low_suspicion():
    double = find(on_cpu("double", 800))
    assert double.share == pytest.approx(0.4) and double.confidence == "high"
    single = find(replace(on_cpu("float", 800), cpu_features=frozenset({"AMX-BF16"})))
    assert single.share == pytest.approx(0.4) and single.confidence == "low"
    assert single.experiment == "perfproof run ch01:reduced_precision"


@pytest.mark.parametrize("kind", ["long int", "int", "signed char"])
def test_products_of_integers_on_a_cpu_are_a_finding(kind):
    found = find(on_cpu(kind, 800))
    assert "integers" in found.title and found.confidence == "high" and "float32" in found.advice


def test_on_a_cpu_without_bfloat16_products_nobody_is_told_to_use_them():
    assert find(replace(on_cpu("float", 800), cpu_features=frozenset({"AVX2", "AVX-512F"}))) is None
    assert find(on_cpu("float", 800)) is None  # a trace of an unknown machine


def test_products_that_run_beside_others_promise_only_the_time_they_are_alone():
    program = Program()
    program.events.about["deviceProperties"] = [{"name": "NVIDIA H200"}]
    program.busy(0, 800, SIMT)
    program.busy(200, 1000, "flash_fwd_kernel", stream=8)
    assert find(program.evidence()).evidence[0].values["share"] == pytest.approx(0.2)


def test_bfloat16_is_a_finding_on_a_cpu_that_is_known_not_to_multiply_it_and_only_with_many_rows():
    without, with_it = frozenset({"NEON", "NEON-FP16"}), frozenset({"NEON", "BF16"})
    many = on_cpu("c10::BFloat16", 800, rows=64)
    found = find(replace(many, cpu_features=without))
    assert found.confidence == "high" and "does not multiply" in found.title and found.advice.startswith("float32")
    assert find(replace(many, cpu_features=with_it)) is None and find(many) is None
    assert find(replace(on_cpu("c10::BFloat16", 800, rows=1), cpu_features=without)) is None


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
    assert found.evidence[0].values["share"] == pytest.approx(0.6) and found.share_of == "profiled kernels"
    assert found.share is None and found.confidence == "low"  # it does not name the card
    assert found.basis == "durations" and found.evidence[0].place == "a tree of sums"
    assert find(tree(nvjet_tst_192x192_64x4_2x1_v_bz_coopB_NNN=600, add=400)) is None
    assert isinstance(find(tree(add=400)), Abstained)


def test_a_trace_without_types_makes_it_abstain():
    program = Program()
    program.each_step(Kind.OPERATOR, "aten::mm", 0, 900)
    assert isinstance(find(program.evidence()), Abstained)


ATTENTION = "fmha_cutlassB_f32_aligned_128x64_k128_sm80(AttentionBackwardKernel<cutlass::arch::Sm80, float>)"


def test_attention_in_float32_is_told_to_go_to_16_bits():
    found = find(products(ATTENTION, 600, H200))
    assert found.evidence[0].values["share"] == pytest.approx(0.6) and "q, k and v" in found.advice
    assert find(products(ATTENTION.replace("f32", "bf16"), 600, H200)) is None


D884 = "void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x32_16x4_nn_align1>(Params)"


def trained(kernel, until=600, optimizer="Optimizer.step#AdamW.step", beside="aten::mm"):
    program = Program()
    program.busy(0, until, kernel)
    program.busy(until, 1000, "elementwise_kernel")
    program.each_step(Kind.RANGE, optimizer, 900, 950)
    program.each_step(Kind.OPERATOR, beside, 100, 150)
    program.events.about = H200
    return find(program.evidence())


@pytest.mark.parametrize("kernel", [DMMA, D884])
def test_training_in_float64_is_told_even_on_tensor_cores(kernel):
    found = trained(kernel)
    assert found.title == "training in float64" and found.confidence == "high" and "numpy.float32" in found.advice
    assert 0.5 < found.share < 0.55  # fp64 67 of tf32 494 TFLOP/s: 86 % of the 60


@pytest.mark.parametrize(
    "due",
    [
        {"beside": "aten::linalg_cholesky_ex"},
        {"optimizer": "Optimizer.step#LBFGS.step"},
        {"beside": "TanhBackwardBackward0"},
    ],
)
def test_training_that_may_need_float64_is_a_low_suspicion(due):
    assert trained(DMMA, **due).confidence == "low"


@pytest.mark.parametrize("healthy", [{"optimizer": "forces"}, {"kernel": TF32}, {"until": 80}])
def test_a_simulation_in_float64_and_training_in_narrower_types_are_silent(healthy):
    assert trained(**{"kernel": DMMA} | healthy) is None
