"""Points from counters, with the numbers of the recorded files worked by hand."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.calc.dual_roofline import judge
from perfproof.calc.roofline import place
from perfproof.core.errors import DocumentError
from perfproof.core.roofline import Roof
from perfproof.profile.ncu.csv import CountedKernel, CountedKernels, parse, read_file
from perfproof.profile.ncu.numbers import Reading, unknown
from perfproof.profile.ncu.roofline import PACKED, feed_roof, kernels_of, short_name
from perfproof.profile.roofline_counters import TC_USED, TENSOR_USED, architecture_of, instructions

RECORDED = Path(__file__).parents[1] / "recorded"


def points(name):
    return kernels_of(read_file(RECORDED / name))


def tensor(kind):
    return f"sm__ops_path_tensor_src_{kind}.sum"


def launch(capability="9.0", name="k", **counts):
    """Every counter of the architecture is there; those named have that value."""
    readings = {}
    for metric in architecture_of(capability).metrics():
        dimension = "share" if "pct" in metric else "byte" if "bytes" in metric else "count"
        readings[metric] = Reading(0.0, "time" if "duration" in metric else "rate" if "second" in metric else dimension)
    readings["gpu__time_duration.sum"] = Reading(1e-3, "time")
    readings |= {metric: one if isinstance(one, Reading) else Reading(one, "count") for metric, one in counts.items()}
    return CountedKernel(name, capability, "(1, 1, 1)", "(32, 1, 1)", readings)


def only(**counts):
    return kernels_of(CountedKernels((launch(**counts),)))[0]


def test_three_kernels_on_hopper():
    gemm, small, norm = points("h200_three_kernels.csv")
    assert gemm.flops == 2 * 8192**3 + 67108864 and gemm.work["bf16"] == 2 * 8192**3
    assert gemm.bytes == {"DRAM": 905969664, "L2": 17179869184, "shared memory": 23622320128}
    assert norm.work == {"fp32": 134217728 + 2 * 67108864 + 2097152}
    assert gemm.clock_hz == pytest.approx(1.62e9)
    assert {one.source for one in (gemm, small, norm)} == {"counters"}


def test_the_feed_of_hopper_is_wavefronts_over_cycles():
    _, small, _ = points("h200_three_kernels.csv")
    wavefronts = 2 * 4096**3 // 65536 * 3072 // 128
    cycles = round(132 * 246912e-9 * 1755e6)
    assert small.used["shared-memory feed"] == pytest.approx(wavefronts / cycles)
    assert small.used["SM compute"] == pytest.approx(0.5866)


def test_the_dual_roofline_names_what_binds_on_both_architectures():
    hopper = [judge(one, []).binding for one in points("h200_three_kernels.csv")]
    assert hopper == ["SM compute", "shared-memory feed", "DRAM"]
    blackwell = [judge(one, []).binding for one in points("b200_four_kernels.csv")]
    assert blackwell == ["SM compute", "TMEM", "undetermined", "DRAM"]


def test_the_roof_of_the_feed_is_derived_from_the_reports_own_cycles():
    roof = feed_roof(read_file(RECORDED / "h200_three_kernels.csv"))
    assert roof.basis == "derived" and roof.value == pytest.approx(128 * 132 * 1.62e9, rel=1e-6)
    assert feed_roof(read_file(RECORDED / "b200_four_kernels.csv")) is None


def test_instructions_that_do_two_operations_count_twice():
    counts = {instructions("fadd"): 1.0, instructions("fmul"): 10.0, instructions("ffma"): 100.0}
    assert only(**counts).work == {"fp32": 211.0}
    packed = {instructions("fadd2"): 1.0, instructions("fmul2"): 10.0, instructions("ffma2"): 100.0}
    assert only(capability="10.0", **packed).work == {"fp32": 422.0}
    double = {instructions("dadd"): 1.0, instructions("dmul"): 10.0, instructions("dfma"): 100.0}
    assert only(**double).work == {"fp64": 211.0}


def test_tensor_counters_of_each_chip_are_read_by_their_own_names():
    assert only(**{tensor("fp16"): 7.0}).work == {"fp16": 7.0}
    both = {tensor("fp16_dst_fp32"): 7.0, tensor("fp16_dst_fp16"): 5.0, tensor("fp4_dst_fp32"): 3.0}
    assert only(capability="10.0", **both).work == {"fp16": 12.0, "fp4": 3.0}


def test_packed_half_instructions_make_the_count_a_lower_bound():
    assert PACKED in only(**{instructions("hfma"): 50.0}).notes


def test_work_of_tensor_cores_that_was_not_counted_makes_it_unknown():
    gemm, _, norm = points("h200_missing_metrics.csv")
    assert gemm.flops is None and "tensor cores" in gemm.unknown["flops"]
    assert norm.flops is not None and "lower bound" in norm.notes[0]  # its tensor pipe was idle
    assert gemm.bytes["DRAM"] == 905969664  # read and written


def product(busy, counted=(), capability="9.0", **more):
    """A page of the `roofline` preset: of the tensor cores bf16 and fp16 alone, unless more was counted."""
    types = {"bf16", "fp16", *counted}
    left_out = [dtype for dtype in architecture_of(capability).tensor if dtype not in types]
    lost = {name: unknown("not collected") for dtype in left_out for name in architecture_of(capability).tensor[dtype]}
    done = {TENSOR_USED: Reading(busy, "share"), instructions("ffma"): 1e6}
    return only(capability=capability, **lost, **done, **more)


@pytest.mark.parametrize("capability", ["9.0", "10.0", "10.3", "12.0"])
def test_a_product_in_a_type_that_was_not_counted_is_unknown_not_its_epilogue(capability):
    found = product(0.9, capability=capability)
    assert found.flops is None and found.work == {}
    assert "busy for 90 %" in found.unknown["flops"] and "fp8" in found.unknown["flops"]


def test_a_handful_of_counted_operations_is_still_none():
    assert product(0.9, **{tensor("fp16"): 1000.0}).flops is None
    assert product(0.9, **{tensor("fp16"): 1e9}).work["fp16"] == 1e9  # in a millisecond


def test_the_same_product_with_its_type_counted_is_known():
    found = product(0.9, counted=["fp8"], **{tensor("fp8"): 1e12})
    assert found.work == {"fp32": 2e6, "fp8": 1e12} and "not counted are tf32" in found.notes[0]


def test_types_that_were_left_out_do_not_matter_where_the_tensor_pipe_was_idle():
    assert product(0.0).work == {"fp32": 2e6} and "lower bound" in product(0.0).notes[0]


def test_the_other_tensor_pipe_of_blackwell_counts_as_busy_too():
    assert product(0.0, capability="10.0", **{TC_USED: Reading(0.8, "share")}).flops is None


def test_work_of_a_type_that_has_no_counter_is_unknown():
    found = only(**{TENSOR_USED: Reading(0.5, "share"), instructions("ffma"): 1e6})
    assert found.flops is None and "a type without a counter here" in found.unknown["flops"]


def test_one_missing_counter_takes_its_dtype_out_and_says_so():
    found = only(**{instructions("ffma"): unknown("n/a"), tensor("bf16_dst_fp32"): 5.0})
    assert found.work == {"bf16": 5.0} and found.notes == ["W is a lower bound: not counted are fp32"]


def test_what_is_not_available_is_unknown_never_zero():
    gemm, small, norm = points("h200_not_available.csv")
    assert "DRAM" not in gemm.bytes and "n/a" in gemm.unknown["DRAM bytes"]
    assert small.flops is None and "not counted were bf16" in small.unknown["flops"]
    assert norm.seconds is None and "nan" in norm.unknown["time"]


def test_a_negative_count_and_a_time_of_zero_are_not_believed():
    found = only(**{"dram__bytes.sum": Reading(-1.0, "byte"), "gpu__time_duration.sum": Reading(0.0, "time")})
    assert found.seconds is None and "DRAM" not in found.bytes


def test_launches_of_one_kernel_are_one_point_with_their_spread():
    quick = {"gpu__time_duration.sum": Reading(1e-3, "time"), tensor("bf16_dst_fp32"): 1e12}
    slow = {"gpu__time_duration.sum": Reading(2e-3, "time"), tensor("bf16_dst_fp32"): 1e12}
    (found,) = kernels_of(CountedKernels((launch(**quick), launch(**slow))))
    assert (found.launches, found.seconds, found.flops) == (2, pytest.approx(3e-3), 2e12)
    assert (found.achieved_low, found.achieved_high) == (pytest.approx(5e14), pytest.approx(1e15))


def test_a_sum_over_launches_of_which_one_is_unknown_is_unknown():
    lost = launch(**{"lts__t_bytes.sum": unknown("n/a"), TENSOR_USED: unknown("n/a")})
    (found,) = kernels_of(CountedKernels((launch(), lost)))
    assert "L2" not in found.bytes and "SM compute" not in found.used and "L2 bytes" in found.unknown


def test_structured_sparsity_is_said():
    found = only(**{"sm__ops_path_tensor_src_fp8_sparsity_on.sum": 5.0, tensor("fp8"): 5.0})
    assert any("sparsity" in note for note in found.notes)


def test_an_unknown_architecture_is_read_by_the_counters_it_has():
    newer = CountedKernel("k", "", "", "", launch(capability="10.0", **{tensor("fp4_dst_fp32"): 9.0}).readings)
    assert kernels_of(CountedKernels((newer,)))[0].work == {"fp4": 9.0}


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("rmsnorm_row", "rmsnorm_row"),
        ("void ns::gemm<float, 128>(float *, int)", "gemm"),
        ("void at::native::vectorized<4, lambda(float)#1>(int, T3)", "vectorized"),
        ("a" * 60, "a" * 21 + "…" + "a" * 12),
        ("(anonymous)", "(anonymous)"),
    ],
)
def test_names_are_shortened_to_the_function(name, short):
    assert short_name(name) == short


def test_kernels_of_one_name_are_told_apart_by_their_grid():
    table = CountedKernels((launch(), CountedKernel("k", "9.0", "(2, 1, 1)", "", launch().readings)))
    assert [one.label for one in kernels_of(table)] == ["k (1,1,1)", "k (2,1,1)"]
    same = CountedKernels((launch(), CountedKernel("k", "9.0", "(1, 1, 1)", "x", launch().readings)))
    assert [one.label for one in kernels_of(same)] == ["k (1,1,1)", "k (1,1,1) #2"]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 3000), st.integers(0, 40), st.text(alphabet='",.0123456789-ne\n', max_size=4))
def test_a_damaged_page_is_placed_or_unknown_but_never_crashes(start, length, put):
    text = (RECORDED / "h200_three_kernels.csv").read_text()
    try:
        counted = parse(text[:start] + put + text[start + length :], "x")
    except DocumentError:
        return
    roofs = [Roof(name="DRAM", kind="memory", value=4e12, unit="bytes/s", basis="measured", source="x")]
    kernels, _ = place(kernels_of(counted), roofs, 0.05)
    for kernel in kernels:
        judged = judge(kernel, roofs)
        assert judged.seconds is not None or "time" in judged.unknown
        assert judged.flops is not None or "flops" in judged.unknown
