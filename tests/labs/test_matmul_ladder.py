"""The ladder of matrix products: every step runs in the emulation on ragged sizes, next to copies with a defect."""

from itertools import pairwise

import pytest
import torch

from perfproof.cuda.check import Problem, check
from perfproof.pairs.catalogue import catalogue
from perfproof.pairs.pair import Pair
from tests.chapters.emulated_kernels import COMPILER, ORDERS, KernelFault, emulated
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair

LAB = CHAPTERS.parent / "labs" / "matmul_ladder"
STEPS = sorted(path.stem for path in LAB.glob("step_*.py"))
THREADS, WARPS, GROUPS = STEPS[:3], STEPS[3:6], STEPS[6:]  # what multiplies; the emulation of warps is slow
MULTIPROCESSORS = 4  # fewer than there are tiles: a persistent block does several
ALIGNED = (136, 72, 152)
DEFECTS = {
    "reads past the end": ("step_03_register_tiles", "row < rows && col + 8 <= cols && cols % 8 == 0", "cols % 8 == 0"),
    "does not wait for a copy": ("step_05_cp_async", "but<STAGES - 2>()", "but<STAGES - 1>()"),
    "another swizzle": ("step_06_tma", "col / 8 ^ row % 8", "col / 8 ^ row % 4"),
    "does not wait for a tile": ("step_07_wgmma", "wait_for_phase(&shared.full[stage], slab / STAGES % 2);", ""),
    "a stage is filled too soon": ("step_07_wgmma", "wait_for_all_products_but<1>()", "wait_for_all_products_but<2>()"),
    "the wrong parity": ("step_08_warp_specialised", "slab / STAGES % 2 ^ 1", "slab / STAGES % 2"),
    "stages begin again with every tile": ("step_10_persistent", "stage = turn % STAGES", "stage = slab % STAGES"),
    "a lower group counted as a whole one": ("step_11_tile_order", "min(down - first, GROUP)", "GROUP"),
    "a box is overwritten on its way": ("step_12_tma_store", "all_stores_but<1>()", "all_stores_but<2>()"),
    "one block frees a stage for both": ("step_13_clusters", "BLOCKS * CONSUMERS);", "CONSUMERS);"),
    "the sum is read before it is there": ("step_14_tcgen05", "wait_for_phase(&shared.done, 0);", ""),
}  # fmt: skip
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="the emulation is compiled by g++")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("emulation"), {}

    def build(step: str, change: tuple[str, str] | None = None) -> LoadedPair:
        if (step, change) not in found:
            pair = emulated(f"../labs/matmul_ladder/{step}", folder, change)
            pair.module.count_multiprocessors = lambda device: MULTIPROCESSORS
            found[step, change] = pair
        return found[step, change]

    return build


def share(pair: LoadedPair, shape: tuple[int, int, int], order: int = 0, side: str = "optimized") -> float:
    """Of the tolerance; above 1 is a wrong answer."""
    torch.manual_seed(sum(shape))
    a, b = pair.module.inputs(*shape)
    pair.module.kernels.order = order
    return pair.of_tolerance([getattr(pair.module, side)(a, b)], [pair.module.reference(a, b)])


def ragged(step: str) -> tuple[int, int, int]:
    """Several tiles, none of them whole at the edges, and rings that go round."""
    return (70, 45, 39) if step in THREADS else (133, 205, 21) if step in WARPS else (301, 333, 517)


@needs_compiler
@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_right_on_ragged_sizes_in_every_order(built, step):
    pair = built(step)
    assert max(share(pair, ragged(step), order) for order in ORDERS) < 0.6
    assert max(share(pair, shape) for shape in ((1, 1, 1), (9, 72, 16))) < 0.6


@needs_compiler
def test_what_one_writes_first_is_right_too(built):
    assert share(built(STEPS[0]), (70, 45, 39), side="baseline") < 0.6


@needs_compiler
def test_factors_may_be_views_with_any_strides(built):
    pair = built("step_13_clusters")
    a, b = pair.module.inputs(70, 41, 39)
    out = pair.module.optimized(a.T.contiguous().T, torch.cat([b, b])[1::2])
    assert out.is_contiguous()
    assert pair.of_tolerance([out], [pair.module.reference(a, torch.cat([b, b])[1::2])]) < 0.6


@needs_compiler
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_step_with_a_defect_is_caught(built, defect):
    step, old, new = DEFECTS[defect]
    pair, shape = built(step, (old, new)), ALIGNED if step in THREADS else ragged(step)
    assert any(_fails(pair, shape, order) for order in ORDERS)


def _fails(pair: LoadedPair, shape: tuple[int, int, int], order: int) -> bool:
    try:
        return share(pair, shape, order) > 1
    except KernelFault:
        return True


@pytest.mark.parametrize("step", [step for step in STEPS if "cuda=8.0" in (LAB / f"{step}.py").read_text()])
def test_a_step_compiles_for_ampere_without_spills_and_its_blocks_fit(step):
    """tests/cuda/test_check.py compiles every step for Hopper and Blackwell."""
    pytest.importorskip("cuda.bindings", reason="compiling needs NVRTC")
    (result,) = check(LAB / f"{step}.cu", dict(sm="80"))
    assert not isinstance(result, Problem), result
    module = LoadedPair(f"../labs/matmul_ladder/{step}").module
    for taken in result.kernels.values():
        assert taken.spill_stores == taken.spill_loads == 0
        assert taken.static_shared + getattr(module, "SHARED", 0) <= 227 * 1024


def test_every_step_stands_on_the_one_before_and_is_held_against_the_library():
    pairs = [pair for pair in catalogue() if isinstance(pair, Pair) and pair.chapter == "labs/matmul_ladder"]
    assert [pair.name.partition(":")[2] for pair in pairs] == STEPS
    texts = {step: (LAB / f"{step}.py").read_text() for step in STEPS}
    before = {after: step for step, after in pairwise(STEPS)}
    before["step_14_tcgen05"] = "step_06_tma"  # the last that Blackwell runs
    assert all(f'baseline = "{before[step]}"' in texts[step] for step in STEPS[1:])
    assert all("def optimized_torch(a, b):\n    return a @ b.T" in text for text in texts.values())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA kernels need a GPU")
@pytest.mark.parametrize("step", STEPS[:-1])
@pytest.mark.parametrize("shape", [(301, 333, 517), (512, 512, 768), (1, 1, 1)])
def test_a_step_is_right_on_a_gpu(step, shape):
    pair = LoadedPair(f"../labs/matmul_ladder/{step}")
    if "sm" in pair.module.needs and torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("needs sm_90a")
    a, b = (factor.cuda() for factor in pair.module.inputs(*shape))
    assert pair.of_tolerance([pair.module.optimized(a, b)], [pair.module.reference(a, b)]) < 0.6
