"""Whole tensors that are sorted, and decompositions in training, are named; a top-k or a short sort is not."""

import pytest

from perfproof.core.events import Kind
from perfproof.diagnose.rules.costly_operators import find
from tests.diagnose.building import Program
from tests.diagnose.rules.test_data_movement import program


def test_a_sort_that_takes_the_step_is_found():
    found = find(program(("aten::sort", 700), ("aten::mm", 300)).evidence())
    assert found.share == pytest.approx(0.7) and found.confidence == "high" and "topk" in found.advice


@pytest.mark.parametrize(
    "operators", [[("aten::topk", 700), ("aten::mm", 300)], [("aten::sort", 200), ("aten::mm", 800)]]
)
def test_a_top_k_and_a_short_sort_are_not(operators):
    assert find(program(*operators).evidence()) is None


def test_a_decomposition_in_every_training_step_is_found():
    made = program(("aten::linalg_svd", 600), ("aten::mm", 200), ("autograd::engine::evaluate_function: Mm", 200))
    found = find(made.evidence())
    assert found.share == pytest.approx(0.6) and "decomposes" in found.title


def test_a_decomposition_outside_of_training_may_be_what_the_program_is_for():
    assert find(program(("aten::linalg_svd", 600), ("aten::mm", 400)).evidence()) is None


def classified(*reads):
    """Tokens become one-hot rows of 8000; what reads these comes after."""
    made = Program()
    made.each_step(Kind.OPERATOR, "aten::one_hot", 0, 200, args={"Input Dims": [[16, 48], []]})
    for place, name in enumerate(reads):
        shapes = {"Input Dims": [[16, 48, 8000], [96, 8000]]}
        made.each_step(Kind.OPERATOR, name, 300 + 200 * place, 500 + 200 * place, args=shapes)
    return find(made.evidence())


def test_one_hot_rows_that_are_multiplied_with_a_table_are_found():
    found = classified("aten::to", "aten::linear")
    assert "one-hot" in found.title and found.share == pytest.approx(0.6) and "Embedding" in found.advice


def test_one_hot_rows_of_a_loss_are_not():
    assert classified("aten::to", "aten::mul") is None


def filtered(weight):
    made = Program()
    made.each_step(Kind.OPERATOR, "aten::conv1d", 0, 700, args={"Input Dims": [[1, 1, 20_000], weight, []]})
    return find(made.evidence())


def test_a_long_filter_that_is_applied_directly_is_found():
    found = filtered([1, 1, 4_000])
    assert found.share == pytest.approx(0.7) and "FFT" in found.advice


@pytest.mark.parametrize("weight", [[1, 1, 64], [256, 1, 1_024], [16, 16, 3, 3]])
def test_a_short_filter_and_a_layer_that_cuts_patches_are_fine(weight):
    assert filtered(weight) is None
