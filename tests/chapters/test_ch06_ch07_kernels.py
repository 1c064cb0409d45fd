"""The CUDA kernels of chapters 6 and 7 on ragged sizes, run by an emulation on a CPU; planted defects must be caught.

The pairs' own functions are called: launch, sizes and alignment are theirs. Threads run forwards, backwards and
shuffled, so that a missing barrier shows; memory behind a tensor cannot be read.
"""

import re

import pytest
import torch

from perfproof.cuda.check import _uses
from perfproof.cuda.compiling import Build, compile_build, plain_defines
from tests.chapters.emulated_kernels import COMPILER, ORDERS, KernelFault, emulated
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair, wrong_answers

SIX, SEVEN = "ch06_cuda_fundamentals", "ch07_memory_access"
SIZES = {
    f"{SIX}/parallel_add": [dict(count=3_001), dict(count=1)],
    f"{SIX}/grid_stride": [dict(count=4_103), dict(count=3), dict(count=1_024)],
    f"{SIX}/warp_divergence": [dict(count=1_059), dict(count=1), dict(count=64)],
    f"{SIX}/bank_conflicts": [dict(rows=131, cols=77), dict(rows=1, cols=1), dict(rows=128, cols=32)],
    f"{SIX}/privatised_histogram": [dict(count=5_003), dict(count=15)],
    f"{SIX}/launch_bounds": [dict(count=4_099), dict(count=2)],
    f"{SIX}/occupancy_limits": [dict(steps=37, streams=301), dict(steps=1, streams=1)],
    f"{SEVEN}/coalesced_copy": [dict(count=8_229), dict(count=1)],
    f"{SEVEN}/vectorised_copy": [dict(count=9_003), dict(count=7), dict(count=8_192)],
    f"{SEVEN}/padded_transpose": [dict(rows=67, cols=130), dict(rows=1, cols=64), dict(rows=65, cols=1)],
    f"{SEVEN}/tiled_matmul": [dict(m=35, n=33, k=67), dict(m=1, n=1, k=1)],
    f"{SEVEN}/async_prefetch": [dict(rows=2, cols=10_303), dict(rows=1, cols=1), dict(rows=1, cols=2_048)],
    f"{SEVEN}/tma_copy_2d": [dict(rows=67, cols=132), dict(rows=1, cols=4)],
}
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="the emulation is compiled by g++")

DEFECTS = {
    "a mask that is one short": (f"{SEVEN}/padded_transpose", "column < cols)", "column < cols - 1)"),
    "a row past the end is read": (f"{SIX}/bank_conflicts", "min(ROWS, rows - top)", "ROWS"),
    "the last words are forgotten": (f"{SEVEN}/vectorised_copy", "if (blockIdx.x == 0 &&", "if (false &&"),
    "no barrier after the load": (f"{SEVEN}/tiled_matmul", "0.0f;\n        __syncthreads();", "0.0f;"),
    "no barrier before the next tile": (f"{SEVEN}/tiled_matmul", "__syncthreads();  // the next tiles", "//"),
    "no barrier before the rows are written": (f"{SIX}/bank_conflicts", "}\n        __syncthreads();\n#", "}\n#"),
    "a copy that is not waited for": (
        f"{SEVEN}/async_prefetch",
        "wait_for_all_groups_but<STAGES - 2>()",
        "wait_for_all_groups_but<STAGES - 1>()",
    ),
    "a tile of the ring is overwritten too soon": (
        f"{SEVEN}/async_prefetch",
        "fetch(tiles[(t + STAGES - 1) % STAGES]",
        "fetch(tiles[t % STAGES]",
    ),
    "counters that are not cleared": (f"{SIX}/occupancy_limits", "own[symbol * blockDim.x] = 0;", ""),
    "a branch by the wrong parity": (f"{SIX}/warp_divergence", "place % 2 ?", "place % 2 == 0 ?"),
    "a barrier that some threads never reach": (
        f"{SIX}/bank_conflicts",
        "const int height",
        "if (threadIdx.x == 5) { __syncthreads(); }\n    const int height",
    ),
    "an element past the end is read": (f"{SIX}/launch_bounds", "i < count; i +=", "i < count + 64; i +="),
}


def kernel_sides(pair: LoadedPair) -> list[str]:
    return [side for side in pair.sides if side != "optimized" or pair.path.stem != "tma_copy_2d"]


def arguments_of(pair: LoadedPair, sizes: dict) -> tuple:
    torch.manual_seed(7)
    drawn = pair.module.inputs(**sizes)
    return drawn if isinstance(drawn, tuple) else (drawn,)


def share_of_tolerance(pair: LoadedPair, side: str, arguments: tuple) -> float:
    expected = pair.module.reference(*arguments).double()
    result = getattr(pair.module, side)(*arguments)
    assert result.shape == expected.shape and result.is_contiguous(), side
    bounds = pair.module.tolerance
    apart = (result.double() - expected).abs()
    allowed = bounds["atol"] + bounds["rtol"] * expected.abs()
    return float(torch.where(apart == 0, 0.0, apart / allowed).nan_to_num(nan=float("inf")).max())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("emulation")


@needs_compiler
@pytest.mark.parametrize("name", SIZES)
def test_every_side_is_right_on_ragged_sizes_in_any_order_of_threads(name, folder):
    pair = emulated(name, folder)
    for sizes in SIZES[name]:
        arguments = arguments_of(pair, sizes)
        for side in kernel_sides(pair):
            for pair.module.kernels.order in ORDERS:
                assert share_of_tolerance(pair, side, arguments) < 0.6, (side, sizes)


@needs_compiler
@pytest.mark.parametrize("name", [f"{SIX}/grid_stride", f"{SIX}/launch_bounds", f"{SEVEN}/vectorised_copy"])
def test_a_slice_that_begins_at_any_element_and_one_with_gaps_are_right_too(name, folder):
    pair = emulated(name, folder)
    first, *others = arguments_of(pair, dict(count=2_051))
    for part in (first[1:], first[3:], first[::2]):
        for side in pair.sides:
            assert share_of_tolerance(pair, side, (part, *others)) < 0.6, side


@needs_compiler
@pytest.mark.parametrize("what", DEFECTS)
def test_a_planted_defect_is_caught(what, folder):
    name, *change = DEFECTS[what]
    pair = emulated(name, folder, tuple(change))
    worst = 0.0
    for sizes in SIZES[name]:
        arguments = arguments_of(pair, sizes)
        for side in kernel_sides(pair):
            for pair.module.kernels.order in ORDERS:
                try:
                    worst = max(worst, share_of_tolerance(pair, side, arguments))
                except KernelFault:
                    worst = float("inf")
    assert worst > 1


@pytest.mark.parametrize("name", SIZES)
def test_a_wrong_answer_is_outside_the_tolerance(name):
    pair = LoadedPair(name)
    arguments = arguments_of(pair, SIZES[name][0])
    expected = pair.module.reference(*arguments).contiguous()
    dtype = torch.int32 if not expected.is_floating_point() else torch.float32
    bounds = pair.module.tolerance
    wide = expected.double()
    for what, answer in wrong_answers(wide, [], torch.float64 if dtype is torch.int32 else dtype).items():
        apart = (answer.double() - wide).abs() > bounds["atol"] + bounds["rtol"] * wide.abs()
        assert bool(apart.any()), what


@pytest.mark.parametrize("name", [one for one in SIZES if not one.endswith(("occupancy_limits", "tma_copy_2d"))])
def test_the_kernels_compile_for_ampere_too(name):
    path = (CHAPTERS / name).with_suffix(".cu")
    ((stated, instances),) = _uses(path.with_suffix(".py"))
    image = compile_build(Build(path, "sm_80", plain_defines(stated.get("defines") or {}), (), instances))
    assert image.kernels and not any(taken.spill_stores for taken in image.kernels.values())


def test_the_null_result_has_equal_registers_with_and_without_the_bound():
    path = CHAPTERS / SIX / "launch_bounds.cu"
    for architecture in ("sm_90a", "sm_100a"):
        taken = compile_build(Build(path, architecture)).kernels.values()
        assert len({one.registers for one in taken}) == 1 and all(one.registers <= 32 for one in taken)


def test_both_sides_of_a_pair_are_one_template_or_one_kernel_where_the_lesson_says_so():
    for name, kernel in ((f"{SIX}/bank_conflicts", "average"), (f"{SEVEN}/padded_transpose", "transpose")):
        text = (CHAPTERS / name).with_suffix(".py").read_text()
        assert set(re.findall(rf"{kernel}<(\d)>", text)) == {"0", "1"}
