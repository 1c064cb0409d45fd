"""Products of one row at a time are found, unless the rows depend on each other."""

import pytest

from perfproof.core.events import Kind
from perfproof.diagnose.rules import single_rows
from tests.diagnose.building import Program


def scoring(rows=1, *others):
    program = Program(steps=8)
    program.each_step(Kind.OPERATOR, "aten::unsqueeze", 0, 5)
    shapes = {"Input Dims": [[rows, 512], [2048, 512], [2048]]}
    program.each_step(Kind.OPERATOR, "aten::linear", 10, 900, args=shapes)
    for place, name in enumerate(others):
        program.each_step(Kind.OPERATOR, name, 910 + 10 * place, 915 + 10 * place)
    return single_rows.find(program.evidence())


def test_rows_of_a_table_that_are_multiplied_one_by_one_are_found():
    found = scoring()
    assert found.confidence == "medium" and found.share == pytest.approx(0.89)


@pytest.mark.parametrize(("large", "small", "found"), [(300, 200, True), (150, 350, False)])
def test_small_layers_of_a_model_count_beside_its_large_ones(large, small, found):
    program = Program(steps=8)
    program.each_step(Kind.OPERATOR, "aten::unbind", 0, 5)
    program.each_step(Kind.OPERATOR, "aten::linear", 10, 10 + large, args={"Input Dims": [[256], [256, 256], [256]]})
    program.each_step(Kind.OPERATOR, "aten::linear", 400, 400 + small, args={"Input Dims": [[256], [12, 256], [12]]})
    program.each_step(Kind.OPERATOR, "aten::relu", 900, 990)
    assert (single_rows.find(program.evidence()) is not None) == found


def test_a_batch_is_no_finding():
    assert scoring(64) is None


@pytest.mark.parametrize("operator", ["aten::embedding", "aten::cat", "aten::argmax", "aten::gru_cell"])
def test_a_sequence_in_which_each_row_needs_the_one_before_is_no_finding(operator):
    assert scoring(1, operator) is None
