"""Chapter 10, pairs without CUDA C++: the Triton kernel through the interpreter, the CPU pair, and what costs predict.

The interpreter has to be chosen before Triton is imported, so this file is also the child's program.
"""

import importlib.util
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
import torch

from perfproof.calc.prediction import predict
from perfproof.pairs.contract import read_pair
from tests.chapters.interpreted import interpreted_by
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair
from tests.chapters.planted_defect import answer, drawn, planted, share

FOLDER = CHAPTERS / "ch10_pipelines"
PERSISTENT, PACKED = "ch10_pipelines/persistent_matmul", "ch10_pipelines/software_prefetch_tiles"
PAIRS = sorted(path.stem for path in FOLDER.glob("*.py"))
ON_A_CPU = ("interleaved_chains", "software_prefetch_tiles")
PRODUCTS = [name for name in PAIRS if name != "interleaved_chains"]
SHAPES = [dict(rows=301, cols=531, depth=203), dict(rows=128, cols=256, depth=64), dict(rows=1, cols=1, depth=1)]
DEFECTS = {
    "tiles of the last band are left out": ("tl.minimum(high - first, 8)", "8"),
    "a slice of the depth is left out": ("range(0, tl.cdiv(depth, DEPTH))", "range(0, depth // DEPTH)"),
    "only the first tile of a program": ("tiles, tl.num_programs(0), flatten", "tl.num_programs(0), tiles, flatten"),
}
has_triton = importlib.util.find_spec("triton") is not None
needs_triton = pytest.mark.skipif(not has_triton, reason="the pair is written in Triton")
MARGIN = 0.6


def interpret() -> dict:
    """Run in the child: the kernels on ragged shapes, on strided factors, and with their defects."""
    pair, found = LoadedPair(PERSISTENT), {"shares": {}, "defects": {}}
    for sizes in SHAPES:
        arguments = drawn(pair, 1, **sizes)
        for side in ("baseline", "optimized"):
            found["shares"][f"{side} {sizes}"] = share(pair, side, arguments)
    a, b = drawn(pair, 2, rows=50, cols=30, depth=130)
    found["shares"]["strided"] = share(pair, "optimized", (a[:, ::2], b[:, ::2]))
    with tempfile.TemporaryDirectory() as folder:
        for what, (old, new) in DEFECTS.items():
            changed = planted(PERSISTENT, old, new, Path(folder))
            found["defects"][what] = share(changed, "optimized", drawn(changed, 3))
    return found


@pytest.fixture(scope="module")
def interpreted(one_warm_python) -> dict:
    return interpreted_by(one_warm_python, __name__)


@needs_triton
def test_the_persistent_kernel_agrees_with_the_reference_on_ragged_shapes(interpreted):
    assert len(interpreted["shares"]) == 2 * len(SHAPES) + 1
    assert {case: found for case, found in interpreted["shares"].items() if not found < MARGIN} == {}


@needs_triton
def test_a_defect_of_the_persistent_kernel_is_caught(interpreted):
    assert {what for what, found in interpreted["defects"].items() if found < 1} == set()
    assert len(interpreted["defects"]) == len(DEFECTS)


@needs_triton
@pytest.mark.parametrize("capability", [90, 100])
def test_the_persistent_kernel_compiles_with_the_copy_engine(capability):
    from tests.chapters.compiled_triton import SHARED_LIMIT, build

    module = LoadedPair(PERSISTENT).module
    box = dict(ROWS=module.ROWS, COLS=module.COLS, DEPTH=module.DEPTH)
    types = {"rows": "i32", "cols": "i32", "depth": "i32"}
    for name, (high, wide) in dict(a=("ROWS", "DEPTH"), b=("COLS", "DEPTH"), out=("ROWS", "COLS")).items():
        types[name] = f"tensordesc<bf16[{box[high]}, {box[wide]}]>"
    built = build(module.many_tiles, types, box, capability, num_warps=8, num_stages=3)
    assert built.shared <= SHARED_LIMIT and "cp.async.bulk.tensor" in built.ptx
    assert ("wgmma" if capability == 90 else "tcgen05.mma") in built.ptx


def test_packed_tiles_and_tiles_in_place_give_the_product():
    module = LoadedPair(PACKED).module
    np.random.seed(1)
    for sizes in (module.smoke, dict(rows=1, cols=1, depth=1), dict(rows=3, cols=64, depth=130)):
        a, b = module.inputs(**sizes)
        expected, bounds = module.reference(a, b), module.tolerance
        allowed = bounds["atol"] + bounds["rtol"] * abs(expected)
        for side in (module.baseline, module.optimized, module.optimized_library):
            assert (abs(side(a, b) - expected) < MARGIN * allowed).all(), side.__name__
        assert np.array_equal(module.baseline(a, b), module.optimized(a, b)), "the same additions in the same order"
        assert np.array_equal(module.optimized(np.asfortranarray(a), b), module.optimized(a, b))
    without_the_last = module.optimized(a[:, :-1], b[:-1])
    assert (abs(without_the_last - expected) > allowed).mean() > 0.5


def test_chains_that_take_turns_end_where_single_ones_do():
    module = LoadedPair("ch10_pipelines/interleaved_chains").module
    np.random.seed(2)
    (table,) = module.constants(1_003)
    assert len(set(table.tolist())) == 1_003, "every entry is reached"
    for chains in (1, 7, 8, 13, 16):
        starts, steps = module.inputs(1_003, chains, 77)
        before, expected = starts.copy(), module.reference(starts, steps, table)
        for side in (module.baseline, module.optimized):
            assert np.array_equal(side(starts, steps, table), expected), (side.__name__, chains)
        assert np.array_equal(starts, before)
    assert (module.optimized(starts, steps - 1, table) != expected).all(), "a step less is seen in every chain"


@pytest.mark.parametrize("name", PAIRS)
def test_every_pair_keeps_the_contract(name):
    read = read_pair(FOLDER / f"{name}.py", f"ch10:{name}", "ch10")
    assert (read.workload_cpu is not None) == (name in ON_A_CPU)
    assert read.menu and not read.lowers_precision
    numbers = [size for size in read.smoke.values() if isinstance(size, int)]
    assert numbers and all(size % 8 for size in numbers), "smoke sizes are ragged"


@pytest.mark.parametrize("name", [name for name in PRODUCTS if name != "persistent_matmul" or has_triton])
def test_a_cost_counts_both_factors_the_result_and_two_operations_per_product(name):
    module = LoadedPair(f"ch10_pipelines/{name}").module
    sizes = {key: size for key, size in module.workload.items() if isinstance(size, int)}
    rows, cols, depth, size = (
        sizes["rows"],
        sizes["cols"],
        sizes["depth"],
        4 if name == "software_prefetch_tiles" else 2,
    )
    cost = module.cost(**module.workload)
    assert cost["flops"] == 2 * rows * cols * depth
    assert cost["bytes"] == size * (rows * depth + cols * depth + rows * cols)
    assert 1 <= predict(cost, "optimized").ratio < 4


@needs_triton
@pytest.mark.skipif(not torch.cuda.is_available(), reason="compiled kernels need a GPU")
def test_every_side_of_the_persistent_pair_is_right_on_a_gpu():
    pair = LoadedPair(PERSISTENT)
    with torch.device("cuda"):
        for dtype in ("float16", "bfloat16"):
            for sizes in (*SHAPES, dict(rows=4_000, cols=5_000, depth=1_000)):
                arguments = drawn(pair, 4, dtype=dtype, **sizes)
                for side in pair.sides:
                    output = answer(pair, side, arguments)
                    assert pair.of_tolerance([output], [pair.module.reference(*arguments)]) < 0.8, (side, sizes)


if __name__ == "__main__":
    print(json.dumps(interpret()))
