"""A table that is updated in all rows for the few that were read is found; a small, a busy or a shared one is not."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.dense_embedding import find
from tests.diagnose.building import Program

TABLE, READ = [100_000, 32], [64, 10]


def training(table=TABLE, read=READ, shared=False, gradient="aten::embedding_dense_backward", lists=False):
    """150 µs for the gradient and 250 µs for the update of each step's 1000 µs."""
    program = Program()

    def operator(name, start, end, dims):
        program.each_step(Kind.OPERATOR, name, start, end, args={"Input Dims": dims})

    operator("aten::embedding", 0, 50, [table, read, [], [], []])
    operator("aten::linear", 50, 300, [[64, 32], table if shared else [32, 32]])
    operator(gradient, 300, 450, [[*read, 32], read, [], [], []])
    update = [[table, [32, 32]], [table, [32, 32]]] if lists else [table, table, []]
    operator("aten::_foreach_addcdiv_" if lists else "aten::addcdiv_", 500, 750, update)
    return find(program.evidence())


@pytest.mark.parametrize("lists", [False, True])
def test_a_large_table_of_which_few_rows_are_read_is_found(lists):
    found = training(lists=lists)
    assert found.share == pytest.approx(0.4) and "640 of the 100000 rows" in found.evidence[0].text
    assert "sparse=True" in found.advice


@pytest.mark.parametrize(
    "healthy",
    [
        {"table": [2_000, 32]},  # most rows are read
        {"shared": True},  # the output layer of a language model has the same weights
        {"gradient": "aten::_embedding_sparse_backward"},
    ],
)
def test_a_table_whose_rows_are_used_or_whose_gradient_is_sparse_is_fine(healthy):
    assert training(**healthy) is None


def test_without_a_trace_it_abstains():
    assert isinstance(find(Evidence()), Abstained)


def test_on_a_device_the_time_is_that_of_the_kernels():
    program = Program()
    operators = {
        "aten::embedding": [TABLE, READ, [], [], []],
        "aten::embedding_dense_backward": [[*READ, 32], READ, [], [], []],
        "aten::addcdiv_": [TABLE, TABLE, []],
    }
    for place, (name, dims) in enumerate(operators.items()):
        program.each_step(Kind.OPERATOR, name, 10 * place, 10 * place + 8, args={"Input Dims": dims})
        for base in program.starts():
            start = base + 100 + 300 * place
            program.kernel(start, start + 250, f"kernel{place}", launched=base + 10 * place + 1)
    found = find(program.evidence())
    assert found.share == pytest.approx(0.5) and found.confidence == "high"
