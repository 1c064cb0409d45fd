"""Random words are told from long names, which are as rich in letters."""

import random
import string

import pytest

from perfproof.core.entropy import bits_per_character, looks_random, random_words

TEXT = """
sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas
cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8 nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNT
ncclDevKernel_AllReduce_Sum_bf16_RING_LL cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags nvmlGpuP2PCapsIndex_t
_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_
triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_0d1d2d3de l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma
Linux-6.1.0-18-cloud-x86_64-with-glibc2.36 sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 20261115T054104Z-ch07-rmsnorm-fusion-9e1bf0
4f3c2a10-1111-2222-3333-444455556666 123456789012345678901234567890
"""


@pytest.mark.parametrize("name", TEXT.split())
def test_names_hashes_and_numbers_are_not_random(name):
    assert not looks_random(name)


@pytest.mark.parametrize(
    "alphabet", [string.ascii_letters + string.digits + "+/", string.ascii_lowercase + string.digits]
)
def test_nearly_every_random_key_is_found(alphabet):
    draw = random.Random(7)
    keys = ["".join(draw.choices(alphabet, k=40)) for _ in range(300)]
    assert sum(map(looks_random, keys)) >= 280


def test_a_key_is_found_where_it_stands_and_a_picture_is_not_one():
    key = "q7Xv2LpZ9rTk4WmB8sJd6HnY"
    text = f"found {key} here; data:image/png;base64,{key}"
    assert [text[start:end] for start, end in random_words(text)] == [key]


def test_sixteen_equally_likely_characters_have_four_bits():
    assert bits_per_character("0123456789abcdef") == 4


def test_the_name_of_a_pod_is_not_random():
    assert not looks_random("train-7c9d8f6b5-x2k4q")
    assert looks_random("train-7Ca9Dx8fE6Ub5-x2Ak4Qz")
