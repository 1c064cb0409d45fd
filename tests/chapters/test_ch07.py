"""Chapter 7, memory access: the Triton kernel runs in a child process through Triton's interpreter, on ragged shapes.

The interpreter has to be chosen before Triton is imported, so this file is also the child's program.
"""

import json

import pytest
import torch

from tests.chapters.interpreted import interpreted_by
from tests.chapters.loaded_pair import LoadedPair, wrong_answers

pytest.importorskip("triton", reason="the pair is written in Triton")

NAME = "ch07_memory_access/rmsnorm_fusion"
SHAPES = [(5, 777), (1, 1), (3, 64), (2, 65), (4, 1023), (2, 4096)]  # one column, a full block, one past and one short
WITHOUT_TRITON = ["baseline", "optimized_torch"]
MARGIN = 0.85  # two roundings to bfloat16 are 0.78 of the tolerance at the very worst


def interpret() -> dict:
    """Run in the child: the kernel on every shape, and what a changed row changes."""
    pair = LoadedPair(NAME)
    shares = {}
    for rows, cols in SHAPES:
        for seed in range(3):
            drawn = pair.draw(dict(rows=rows, cols=cols, dtype="float32"), seed)
            for kind, arguments in (("drawn", drawn), ("renewed", pair.renewed(drawn, seed))):
                result = pair.outputs("optimized", arguments)
                share = pair.of_tolerance(result, pair.expected(arguments))
                shares[f"{rows} x {cols}, {kind}, seed {seed}"] = share
    return dict(shares=shares, moved=rows_moved(pair, "optimized"), weighted=columns_moved(pair, "optimized"))


def rows_moved(pair: LoadedPair, side: str) -> list:
    """For each row of the input: the rows of the output that move with it."""
    x, weight = pair.draw(pair.module.smoke, seed=8)
    before, moved = pair.outputs(side, [x, weight])[0], []
    for row in range(len(x)):
        changed = x.clone()
        changed[row, -1] += 3  # the last column: a mask that is one short would not see it
        after = pair.outputs(side, [changed, weight])[0]
        moved.append([place for place in range(len(x)) if not torch.equal(before[place], after[place])])
    return moved


def columns_moved(pair: LoadedPair, side: str) -> list:
    """For the first and the last weight: the columns of the output that move with it."""
    x, weight = pair.draw(pair.module.smoke, seed=9)
    before, moved = pair.outputs(side, [x, weight])[0], []
    for column in (0, len(weight) - 1):
        changed = weight.clone()
        changed[column] += 2
        after = pair.outputs(side, [x, changed])[0]
        moved.append((before != after).any(0).nonzero().flatten().tolist())
    return moved


@pytest.fixture(scope="module")
def interpreted(one_warm_python) -> dict:
    return interpreted_by(one_warm_python, __name__)


def test_the_kernel_agrees_with_the_reference_on_ragged_shapes(interpreted):
    assert len(interpreted["shares"]) == len(SHAPES) * 3 * 2
    assert {case: share for case, share in interpreted["shares"].items() if share >= MARGIN} == {}


def test_in_the_kernel_a_row_depends_on_all_of_its_elements_and_on_no_other_row(interpreted):
    assert interpreted["moved"] == [[row] for row in range(5)]


def test_in_the_kernel_a_weight_belongs_to_its_column(interpreted):
    assert interpreted["weighted"] == [[0], [776]]


@pytest.mark.parametrize("side", WITHOUT_TRITON)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_sides_in_plain_torch_agree_with_the_reference(side, dtype):
    pair = LoadedPair(NAME)
    for rows, cols in SHAPES:
        for seed in range(3):
            drawn = pair.draw(dict(rows=rows, cols=cols, dtype=dtype), seed)
            for arguments in (drawn, pair.renewed(drawn, seed)):
                assert pair.of_tolerance(pair.outputs(side, arguments), pair.expected(arguments)) < MARGIN


@pytest.mark.parametrize("side", WITHOUT_TRITON)
def test_in_plain_torch_too_rows_and_weights_stay_apart(side):
    pair = LoadedPair(NAME)
    assert rows_moved(pair, side) == [[row] for row in range(5)]
    assert columns_moved(pair, side) == [[0], [776]]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_wrong_answer_is_outside_the_tolerance(dtype):
    pair = LoadedPair(NAME)
    for seed in range(4):
        x, weight = pair.draw(dict(rows=5, cols=777, dtype=dtype), seed)
        expected = pair.expected([x, weight])
        wrong = wrong_answers(expected[0], [x], x.dtype)
        wrong["no weight"] = pair.outputs("baseline", [x, torch.ones_like(weight)])[0]
        wrong["mean over the padded block"] = (expected[0] * (1024 / 777) ** 0.5).to(x.dtype)
        for what, answer in wrong.items():
            assert pair.of_tolerance([answer], expected) > 1, (what, seed)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="the compiled kernel needs a CUDA GPU")
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_compiled_kernel_agrees_with_the_reference_on_a_gpu(dtype):
    pair = LoadedPair(NAME)
    for rows, cols in [*SHAPES, (1000, 4096)]:
        drawn = pair.draw(dict(rows=rows, cols=cols, dtype=dtype), seed=rows, device="cuda")
        for arguments in (drawn, pair.renewed(drawn, seed=cols)):
            expected = pair.expected(arguments)
            for side in pair.sides:
                assert pair.of_tolerance(pair.outputs(side, arguments), expected) < MARGIN, (side, rows, cols)


@pytest.mark.parametrize("capability", [90, 100])
@pytest.mark.parametrize("kind", ["*bf16", "*fp32"])
def test_the_kernel_compiles_for_hopper_and_blackwell(kind, capability):
    from tests.chapters.compiled_triton import build

    types = dict(x_ptr=kind, weight_ptr=kind, out_ptr=kind, cols="i32", eps="fp32")
    assert build(LoadedPair(NAME).module.rmsnorm_row, types, dict(BLOCK=4_096), capability).shared < 48 * 1024


def test_the_model_says_nine_times_the_traffic():
    cost = LoadedPair(NAME).module.cost(rows=16_384, cols=4_096, dtype="bfloat16")
    assert cost["bytes"] == 4 * 16_384 * 4_096
    assert cost["baseline_bytes"] / cost["bytes"] == 9


if __name__ == "__main__":
    print(json.dumps(interpret()))
