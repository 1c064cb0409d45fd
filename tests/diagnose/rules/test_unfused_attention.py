"""Softmax between two products is attention whose scores go through memory."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.unfused_attention import find
from tests.diagnose.building import Program

GEMM, SOFTMAX = "sm90_xmma_gemm_bf16", "softmax_warp_forward<float, 11>"


def chain(*middle, beside=False):
    """A product, 100 µs of each of `middle`, and a product, in every step."""
    program = Program()
    program.busy(0, 300, GEMM)
    for place, name in enumerate(middle):
        program.busy(300 + 100 * place, 400 + 100 * place, name)
    program.busy(300 + 100 * len(middle), 1000, GEMM)
    if beside:
        program.busy(0, 1000, "other_kernel", stream=9)
    return program.evidence()


def test_what_lies_between_the_products_is_what_a_fused_kernel_saves():
    found = find(chain("elementwise_mul", SOFTMAX, "dropout"))
    assert found.share == pytest.approx(0.3) and found.confidence == "high" and "scaled_dot" in found.advice


def test_work_between_products_without_a_softmax_is_no_attention():
    assert find(chain("elementwise_mul", "gelu", "dropout")) is None


@pytest.mark.parametrize("other", ["nll_loss_forward", "multinomial_kernel", "indexSelectLargeIndex"])
def test_a_loss_or_the_choice_of_a_token_is_no_attention(other):
    assert find(chain(SOFTMAX, other, "elementwise_mul")) is None


@pytest.mark.parametrize("fused", ["flash_fwd_kernel", "fmha_cutlassF_bf16_softmax", "cudnn_softmax_attention"])
def test_fused_attention_is_silent(fused):
    assert find(chain("elementwise_mul", fused)) is None


def test_time_hidden_beside_other_kernels_is_not_promised():
    assert find(chain("elementwise_mul", SOFTMAX, "dropout", beside=True)) is None


def operators(shape):
    program = Program()
    dims = {"Input Dims": [shape]}
    program.each_step(Kind.OPERATOR, "aten::matmul", 0, 300)
    program.each_step(Kind.OPERATOR, "aten::softmax", 300, 600, args=dims)
    program.each_step(Kind.OPERATOR, "aten::transpose", 600, 601)
    program.each_step(Kind.OPERATOR, "aten::matmul", 610, 900)
    return program.evidence()


def test_on_a_cpu_operators_tell_it_if_the_scores_are_large():
    assert find(operators([8, 8, 512, 512])).share == pytest.approx(0.3)
    assert find(operators([8, 10])) is None


def test_without_a_trace_it_abstains():
    assert isinstance(find(Evidence()), Abstained)
