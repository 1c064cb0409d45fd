"""By counters, and by the shapes of matrix products where there are none."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.compute_bound import find
from tests.diagnose.building import DRAM, SM, TENSOR, counters
from tests.diagnose.shapes import H200, with_operator


def test_a_busy_tensor_pipe_with_little_traffic():
    found = find(counters(("gemm", 1.0, {DRAM: 0.3, TENSOR: 0.7})))
    assert found.share == pytest.approx(0.7) and found.confidence == "high"


def test_near_the_peak_there_is_nothing_to_gain_by_the_same_means():
    assert find(counters(("gemm", 1.0, {DRAM: 0.3, TENSOR: 0.9}))).confidence == "low"


@pytest.mark.parametrize("values", [{DRAM: 0.7, TENSOR: 0.7}, {DRAM: 0.1, TENSOR: 0.3, SM: 0.9}])
def test_much_traffic_or_an_idle_pipe_is_something_else(values):
    assert find(counters(("kernel", 1.0, values))) is None


def test_all_pipes_together_stand_in_where_no_single_one_was_collected():
    assert find(counters(("kernel", 1.0, {DRAM: 0.1, SM: 0.8}))) is not None


def test_a_product_near_the_peak_is_a_low_word_from_shapes():
    # 2 x 8192 x 4096 x 8192 operations in 700 µs: 785 TFLOP/s of an H200's 989
    found = find(with_operator("aten::mm", [[8192, 4096], [4096, 8192]], "c10::BFloat16", 700, about=H200))
    assert found.share == pytest.approx(0.7) and found.confidence == "low"
    assert "785 TFLOP/s" in found.evidence[0].text and "79 % of the peak" in found.evidence[0].text


def test_a_slow_product_is_not_bound():
    assert find(with_operator("aten::mm", [[4096, 4096], [4096, 4096]], "c10::BFloat16", 900, about=H200)) is None


def test_a_float32_product_that_runs_as_tf32_is_held_against_tf32():
    dims = [[4096, 4096], [4096, 4096]]  # 137 GFLOP in 400 µs: 344 TFLOP/s of 494
    found = find(with_operator("aten::mm", dims, "float", 400, about=H200, kernel="xmma_gemm_f32f32_tf32f32"))
    assert "344 TFLOP/s" in found.evidence[0].text and "of the peak" in found.evidence[0].text


def test_more_than_the_peak_is_a_wrong_model_and_not_believed():
    dims = [[4096, 4096], [4096, 4096]]  # five times what the plain cores of this name can do
    assert find(with_operator("aten::mm", dims, "float", 400, about=H200, kernel="sgemm")) is None


def test_without_shapes_or_counters_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {}))), Abstained)
