"""Work on a GPU that is often needless is named by the operators that launched it; what a step is for is not."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.costly_kernels import find
from tests.diagnose.building import Program


def step(*work):
    """Each (operators outermost first, kernel, microseconds of 1000)."""
    program = Program()
    for base in program.starts():
        at = 0
        for names, kernel, length in work:
            for name in names:
                kind = Kind.RANGE if name.startswith("Optimizer") else Kind.OPERATOR
                program.add(kind, name, base + at, base + at + length)
            program.kernel(base + at + 1, base + at + length, kernel, launched=base + at)
            at += length
    return program.evidence()


GEMM = (["aten::mm"], "nvjet_gemm", 400)


@pytest.mark.parametrize(
    ("work", "title"),
    [
        ((["aten::coalesce", "aten::_coalesce", "aten::sort"], "DeviceMergeSort", 500), "sparse"),
        ((["aten::_unique2", "aten::sort"], "DeviceRadixSort", 500), "sorted"),
        ((["IndexBackward0", "aten::_index_put_impl_"], "indexing_backward_kernel", 500), "sorting the places"),
        ((["aten::linalg_eigh"], "syevd", 500), "decomposed"),
        ((["aten::repeat_interleave", "aten::index_select"], "index_kernel", 500), "moved"),
        ((["aten::matmul", "aten::expand", "aten::clone", "aten::copy_"], "elementwise_kernel", 500), "moved"),
        ((["Optimizer.step#Adam.step", "aten::_foreach_add_"], "multi_tensor_apply", 500), "optimizer"),
        ((["aten::mul"], "vectorized_elementwise_kernel", 590), "one by one"),
    ],
)
def test_the_outermost_operator_that_has_a_kind_names_the_work(work, title):
    found = find(step(work, GEMM))
    assert title in found.title and found.confidence in ("high", "medium")
    assert found.share == pytest.approx((work[2] - 1) / 1000)


@pytest.mark.parametrize(
    "work",
    [
        (["aten::sort"], "DeviceRadixSort", 200),  # a small part
        (["aten::index_put_"], "index_put_kernel", 500),  # without equal places nothing is sorted
        (["aten::mm"], "nvjet_gemm", 590),
        (["Optimizer.step#AdamW.step", "aten::_fused_adamw_"], "multi_tensor_apply", 200),
        (["aten::gelu"], "vectorized_elementwise_kernel", 300),
    ],
)
def test_little_of_it_and_what_a_step_is_for_is_no_finding(work):
    assert find(step(work, GEMM)) is None


def test_random_numbers_may_be_what_the_program_is_for():
    assert find(step((["aten::normal_"], "distribution_kernel", 590), GEMM)).confidence == "low"


def test_a_table_whose_gradient_is_dense_explains_its_optimizer():
    found = find(step((["Optimizer.step#Adam.step"], "multi_tensor_apply", 500), GEMM))
    assert "dense_embedding" in found.parts


def test_without_a_device_it_abstains():
    assert isinstance(find(Evidence()), Abstained)


def convolved(weight, signals):
    program = Program()
    args = {"Input Dims": [[1, signals, 96_000], weight, []]}
    for base in program.starts():
        program.add(Kind.OPERATOR, "aten::conv1d", base, base + 500, args=args)
        program.add(Kind.OPERATOR, "aten::_conv_depthwise2d", base, base + 500)
        program.kernel(base + 1, base + 500, "conv_depthwise2d_forward_kernel_generic", launched=base)
    return find(program.evidence())


def test_a_long_filter_per_signal_is_applied_directly():
    found = convolved([32, 1, 24_000], signals=32)
    assert found.title == "a long filter is applied directly" and "FFT" in found.advice


@pytest.mark.parametrize(("weight", "signals"), [([32, 1, 25], 32), ([512, 1, 1024], 1), ([64, 32, 2048], 32)])
def test_short_filters_and_many_that_are_learned_are_fine(weight, signals):
    assert convolved(weight, signals) is None


def test_a_transform_of_an_awkward_length_is_told_with_all_of_its_kernels():
    transform = ["aten::fft_rfft", "aten::_fft_r2c"]
    work = ((transform, "void multi_bluestein_fft<125u>", 300),)
    found = find(step(*work, GEMM))
    assert found.title == "Fourier transforms of an awkward length" and "next_fast_len" in found.advice
    assert find(step((transform, "void regular_fft<64u>", 590), GEMM)) is None
