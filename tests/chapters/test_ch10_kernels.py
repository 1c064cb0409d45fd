"""Chapter 10, kernels in CUDA C++: run by the emulation on ragged sizes, next to copies with a defect of a pipeline.

The emulation delivers copies and products as late as the rules allow, and fills their place with rubbish when they are
asked for: a missing wait, a stage that is used again too soon and a wrong phase give wrong answers or wait for ever.
"""

import pytest
import torch

from perfproof.cuda import compiling
from perfproof.cuda.check import _uses
from perfproof.cuda.compiling import Build, compile_build
from perfproof.pairs.contract import read_pair
from tests.chapters.emulated_kernels import COMPILER, ORDERS, KernelFault, emulated
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair, wrong_answers

CHAPTER = "ch10_pipelines"
ON_AMPERE = ("double_buffered_gemm", "three_stage_pipeline")
ON_HOPPER = ("tma_pipeline", "warp_specialised", "wgmma_gemm", "pingpong")
KERNELS = (*ON_AMPERE, *ON_HOPPER, "tcgen05_gemm")
ONE_TILE = dict(rows=100, cols=90, depth=330)  # the ring goes round
MORE_TILES = dict(rows=397, cols=261, depth=523)
SLOW = {  # products by mma.sync take the emulation long
    *((name, side) for name in ON_AMPERE for side in ("baseline", "optimized")),
    ("wgmma_gemm", "baseline"),
    ("tcgen05_gemm", "baseline"),
}
DEFECTS = {  # what: pair, side, text of the source, text in its place
    "the buffer is filled while it is read": (
        "double_buffered_gemm",
        "baseline",
        "            __syncthreads();  // all",
        "            // all",
    ),
    "the next tile goes into the same buffer": (
        "double_buffered_gemm",
        "optimized",
        "(step + 1) % BUFFERS",
        "step % BUFFERS",
    ),
    "rows past the end are read": ("double_buffered_gemm", "optimized", "inside && row < rows ? a", "inside ? a"),
    "a copy is not waited for": (
        "three_stage_pipeline",
        "optimized",
        "wait_for_all_groups_but<STAGES - 2>()",
        "wait_for_all_groups_but<STAGES - 1>()",
    ),
    "a stage is filled while it is read": (
        "three_stage_pipeline",
        "optimized",
        "request(step + STAGES - 1)",
        "request(step + STAGES)",
    ),
    "only one's own part is waited for": ("three_stage_pipeline", "optimized", "__syncthreads(); ", ""),
    "a wrong phase bit": ("tma_pipeline", "optimized", "step / STAGES % 2", "0"),
    "a stage is asked for before both groups have read it": (
        "tma_pipeline",
        "optimized",
        "__syncthreads();  // both",
        "// both",
    ),
    "half of the bytes are expected": ("tma_pipeline", "optimized", "SIZE * sizeof(bits)", "SIZE"),
    "a barrier that was not initialised": ("tma_pipeline", "optimized", "begin_barrier(full + stage, 1);", ""),
    "the producer does not wait for an empty stage": (
        "warp_specialised",
        "optimized",
        "wait_for_phase(empty + step % STAGES, step / STAGES % 2 ^ 1);",
        "",
    ),
    "the producer waits for the wrong phase": ("warp_specialised", "optimized", "% 2 ^ 1", "% 2"),
    "a stage is given back before its products are over": (
        "warp_specialised",
        "optimized",
        "wait_for_all_products_but<1>()",
        "wait_for_all_products_but<2>()",
    ),
    "sums are stored before the products are over": ("wgmma_gemm", "optimized", "wait_for_all_products_but<0>();", ""),
    "products without a fence": ("wgmma_gemm", "optimized", "registers_are_ready();", ""),
    "a descriptor with half the stride": ("wgmma_gemm", "optimized", "(1024 >> 4) << 32", "(512 >> 4) << 32"),
    "a descriptor without swizzle": ("wgmma_gemm", "optimized", "(u64)1 << 62", "(u64)0 << 62"),
    "a slice of the depth is used twice": ("wgmma_gemm", "optimized", "NEXT_16 = 32 >> 4", "NEXT_16 = 16 >> 4"),
    "groups that do not keep their turns": (
        "pingpong",
        "optimized",
        "if (IN_TURNS) {  // a barrier",
        "if (false) {  //",
    ),
    "the last stage of a tile is not given back": (
        "pingpong",
        "baseline",
        "        if (threadIdx.x % 128 == 0) {",
        "        if (false) {",
    ),
    "sums that are not cleared": ("tcgen05_gemm", "optimized", "step + k > 0", "true"),
    "tensor memory that is not freed": ("tcgen05_gemm", "optimized", "free_tensor_memory(sums, COLS);", ""),
    "tensor memory that is used before it is read": (
        "tcgen05_gemm",
        "optimized",
        "            tensor_memory_is_read();\n",
        "",
    ),
    "an instruction of half the columns": ("tcgen05_gemm", "optimized", "COLS / 8 << 17", "COLS / 16 << 17"),
    "a stage that is given back when its products begin": (
        "tcgen05_gemm",
        "optimized",
        "arrive_after_products(empty + step % STAGES)",
        "arrive(empty + step % STAGES)",
    ),
}
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="the emulation is compiled by g++")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("emulation")


def share(pair: LoadedPair, side: str, sizes: dict, order: int) -> float:
    """Of the tolerance; infinite if the kernel touches what it must not, breaks a rule or waits for ever."""
    torch.manual_seed(3)
    arguments = pair.module.inputs(**sizes)
    pair.module.kernels.order = order
    try:
        result = getattr(pair.module, side)(*arguments)
    except KernelFault:
        return float("inf")
    return pair.of_tolerance([result], [pair.module.reference(*arguments)])


@needs_compiler
@pytest.mark.parametrize("name", KERNELS)
def test_every_side_is_right_on_ragged_sizes_in_any_order_of_threads_and_copies(name, folder):
    pair = emulated(f"{CHAPTER}/{name}", folder)
    for side in (side for side in pair.sides if side != "optimized_torch"):
        cases = [(ONE_TILE, 0), (ONE_TILE, 1)]
        if (name, side) not in SLOW:
            cases += [(ONE_TILE, 7), *((MORE_TILES, order) for order in ORDERS), (dict(rows=1, cols=1, depth=1), 0)]
        for sizes, order in cases:
            assert share(pair, side, sizes, order) < 0.6, (side, sizes, order)


@needs_compiler
@pytest.mark.parametrize("what", DEFECTS)
def test_a_planted_defect_of_a_pipeline_is_caught(what, folder):
    name, side, *change = DEFECTS[what]
    pair = emulated(f"{CHAPTER}/{name}", folder, tuple(change))
    sizes = ONE_TILE if (name, side) in SLOW else MORE_TILES
    assert any(share(pair, side, sizes, order) > 1 for order in ORDERS)


@needs_compiler
@pytest.mark.parametrize("name", ["double_buffered_gemm", "tma_pipeline"])
def test_strided_and_unaligned_factors_are_right_too(name, folder):
    pair = emulated(f"{CHAPTER}/{name}", folder)
    torch.manual_seed(4)
    a, b = pair.module.inputs(rows=50, cols=30, depth=130)
    cases = [(a[:, ::2], b[:, ::2]), (a[:, 1:129], b[:, 1:129]), (a[:, :65].T.contiguous().T, b[:, :65])]
    for left, right in cases:
        result = pair.module.optimized(left, right)
        assert pair.of_tolerance([result], [pair.module.reference(left, right)]) < 0.6 and result.is_contiguous()


@pytest.mark.parametrize("name", KERNELS)
def test_the_library_is_right_and_wrong_answers_are_outside_the_tolerance(name):
    pair = LoadedPair(f"{CHAPTER}/{name}")
    torch.manual_seed(5)
    a, b = pair.module.inputs(rows=60, cols=70, depth=90)
    expected = pair.module.reference(a, b)
    assert pair.of_tolerance([pair.module.optimized_torch(a, b)], [expected]) < 0.6
    wrong = wrong_answers(expected, [], a.dtype)
    wrong["a slice of the depth is missing"] = (a[:, 16:] @ b[:, 16:].T).to(a.dtype)
    for what, answer in wrong.items():
        assert what == "one element missing" or pair.of_tolerance([answer], [expected]) > 1, what


@pytest.mark.parametrize("name", KERNELS)
def test_a_pair_needs_the_gpu_that_its_instructions_need_and_headers_are_part_of_it(name):
    """tests/cuda/test_check.py compiles each for that GPU."""
    read = read_pair(CHAPTERS / CHAPTER / f"{name}.py", f"ch10:{name}", "ch10")
    assert read.needs == (dict(cuda=8.0) if name in ON_AMPERE else dict(sm="90a" if name in ON_HOPPER else "100a"))
    assert "warp_products.cuh" in {file.name for file in read.kernel_files}, "headers are part of what is measured"


@pytest.mark.parametrize("name", ON_AMPERE)
def test_the_sources_compile_for_ampere_without_spills(name):
    pytest.importorskip("cuda.bindings", reason="compiling needs NVRTC")
    path = CHAPTERS / CHAPTER / f"{name}.cu"
    ((stated, instances),) = _uses(path.with_suffix(".py"))
    defines = compiling.plain_defines(stated.get("defines") or {})
    image = compile_build(Build(path, "sm_80", defines, (), instances))
    assert len(image.kernels) >= 2 and not any(taken.spill_stores for taken in image.kernels.values())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA kernels need a GPU")
@pytest.mark.parametrize("name", [*ON_AMPERE, *ON_HOPPER])
def test_every_side_is_right_on_a_gpu(name):
    pair = LoadedPair(f"{CHAPTER}/{name}")
    if name in ON_HOPPER and torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("wgmma needs sm_90a")
    for sizes in (pair.module.smoke, MORE_TILES, dict(rows=1_024, cols=2_048, depth=4_096)):
        torch.manual_seed(6)
        with torch.device("cuda"):
            a, b = pair.module.inputs(**sizes)
        for side in pair.sides:
            result = getattr(pair.module, side)(a, b)
            assert pair.of_tolerance([result], [pair.module.reference(a, b)]) < 0.8, (side, sizes)
