"""The program's own kernels are told from a library's by their names; the longest are chosen by function."""

import re

import pytest

from perfproof.core.profile_record import Portion
from perfproof.profile.own_kernels import dominant_own, function_of, is_library, launches_of, longest, pattern

ELEMENTWISE = "at::native::vectorized_elementwise_kernel"


def kernel(name, seconds, launches=10.0, kind="kernel"):
    return Portion(kind=kind, name=name, launches=launches, seconds=seconds)


@pytest.mark.parametrize(
    "name",
    [
        "void at::native::reduce_kernel<512>(int)",
        "nvjet_sm90_tst_128x128_64x6_1x2_h_bz_NTT",
        "void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128>(int)",
        "pytorch_flash::flash_fwd_kernel",
        "triton_red_fused_mean_3",
        "sm90_xmma_gemm_f32",
    ],
)
def test_kernels_of_libraries_and_of_the_compiler_are_known(name):
    assert is_library(name)


@pytest.mark.parametrize("name", ["moments_kernel", "_attn_fwd", "void step<float>(float*)", "matmul_kernel"])
def test_others_are_the_programs_own(name):
    assert not is_library(name)


def test_a_function_is_named_as_nsight_compute_matches_it():
    assert function_of("void at::native::reduce_kernel<512, float>(int)") == "reduce_kernel"
    assert function_of("moments_kernel") == "moments_kernel"


def test_the_longest_kernels_are_chosen_and_copies_are_not():
    portions = [kernel("copy", 9.0, kind="copy"), *(kernel(f"k{at}", at) for at in range(8)), kernel(ELEMENTWISE, 6.5)]
    assert longest(portions) == ["k7", "vectorized_elementwise_kernel", "k6", "k5", "k4"]
    assert longest([kernel("often", 9.0, launches=500), kernel("k", 1.0)], most_launches=100) == ["k"]
    assert launches_of(portions, ["k7", "k6"]) == 20
    assert re.fullmatch(pattern(["k7", "a.b"]), "k7") and not re.fullmatch(pattern(["k7", "a.b"]), "k77")


def test_an_own_kernel_dominates_only_with_most_of_enough_time():
    assert dominant_own([kernel("mine", 1.0), kernel(ELEMENTWISE, 0.5)]) == "mine"
    assert dominant_own([kernel("mine", 0.4), kernel(ELEMENTWISE, 0.5)]) == ""
    assert dominant_own([kernel("mine", 0.1)]) == ""
    assert dominant_own([kernel(ELEMENTWISE, 2.0)]) == dominant_own([]) == ""
