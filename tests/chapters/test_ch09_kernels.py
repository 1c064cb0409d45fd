"""Chapter 9, kernels in CUDA C++: run by the emulation on ragged sizes, next to copies with a defect."""

import pytest
import torch

from tests.chapters.emulated_kernels import COMPILER, ORDERS, KernelFault, emulated
from tests.chapters.loaded_pair import LoadedPair

KERNELS = {"micro_tiling": ("product<1>", "product<8>"), "tensor_core_gemm": ("with_cuda_cores", "with_tensor_cores")}
TILES = {"product<1>": 16, "product<8>": 128, "with_cuda_cores": 128, "with_tensor_cores": 128}
DEFECTS = {
    "micro_tiling": {
        "races": ("        __syncthreads();  // all", "        // all"),
        "reads_on": ("in_a = first_row + row < rows && start + x < depth", "in_a = first_row + row < rows"),
        "past_the_end": ("in_b = start + y < depth && first_col + col < cols", "in_b = first_col + col < cols"),
        "wrong_place": ("j / WIDTH * GROUP + j % WIDTH", "j"),
    },
    "tensor_core_gemm": {
        "past_the_end": ("row < rows && col + 8 <= cols && cols % 8 == 0", "cols % 8 == 0"),
        "factors_exchanged": ("of_b[j / 2][j % 2 * 2]", "of_b[j / 2][j % 2]"),
        "rows_exchanged": ("lane / 4 + e / 2 * 8", "lane / 4 + e % 2 * 8"),
        "half_of_the_depth": ("k < DEPTH; k += 16", "k < DEPTH / 2; k += 16"),
    },
}
RAGGED = (133, 77, 141)  # no multiple of a tile, and rows that begin nowhere in particular
ALIGNED = (136, 72, 152)  # no multiple of a tile, but whole vectors
CASES = [(name, kernel) for name, kernels in KERNELS.items() for kernel in kernels]
pytestmark = pytest.mark.skipif(COMPILER is None, reason="the emulation is compiled by g++")


def factors(name: str, shape: tuple[int, int, int]) -> tuple[torch.Tensor, ...]:
    torch.manual_seed(3)
    rows, depth, cols = shape
    return LoadedPair(f"ch09_arithmetic_intensity/{name}").module.inputs(rows=rows, depth=depth, cols=cols)


@pytest.fixture(scope="module")
def product(tmp_path_factory):
    """(pair, kernel, factors, defect, order) -> how the launch ended, and the result."""
    folder, built = tmp_path_factory.mktemp("emulation"), {}

    def launch(name, kernel, a, b, defect=None, order=0):
        if (name, defect) not in built:
            change = DEFECTS[name][defect] if defect else None
            built[name, defect] = emulated(f"ch09_arithmetic_intensity/{name}", folder, change)
        kernels = built[name, defect].module.kernels
        kernels.order = order
        (rows, depth), cols = a.shape, b.shape[1]
        out = torch.full((rows, cols), float("nan"), dtype=a.dtype)
        grid = (-(-cols // TILES[kernel]), -(-rows // TILES[kernel]))
        try:
            kernels[kernel](a, b, out, rows, depth, cols, grid=grid, block=256)
        except KernelFault as fault:
            return str(fault), out
        return "", out

    return launch


def share(name: str, out: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> float:
    pair = LoadedPair(f"ch09_arithmetic_intensity/{name}")
    return pair.of_tolerance([out], [pair.module.reference(a, b)])


@pytest.mark.parametrize(("name", "kernel"), CASES)
@pytest.mark.parametrize("shape", [RAGGED, ALIGNED, (1, 1, 1), (128, 32, 128)])
def test_products_are_right_on_ragged_sizes(product, name, kernel, shape):
    a, b = factors(name, shape)
    ended, out = product(name, kernel, a, b)
    assert ended == "" and share(name, out, a, b) < 0.6


@pytest.mark.parametrize(("name", "kernel"), CASES)
def test_products_do_not_depend_on_the_order_of_the_threads(product, name, kernel):
    a, b = factors(name, (131, 69, 130))
    first, *others = (product(name, kernel, a, b, order=order)[1] for order in ORDERS)
    assert all(torch.equal(first, other) for other in others)


@pytest.mark.parametrize(
    ("name", "defect"), [(name, defect) for name, defects in DEFECTS.items() for defect in defects]
)
def test_a_product_with_a_defect_is_caught(product, name, defect):
    a, b = factors(name, ALIGNED)
    found = [product(name, KERNELS[name][1], a, b, defect=defect, order=order) for order in ORDERS]
    assert any(ended or share(name, out, a, b) > 1 for ended, out in found)


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90a"])
def test_no_product_spills_and_two_blocks_fit(architecture):
    pytest.importorskip("cuda.bindings", reason="compiling needs NVRTC")
    for name, kernel in CASES:
        taken = LoadedPair(f"ch09_arithmetic_intensity/{name}").module.kernels[kernel].compiled_for(architecture)[2]
        assert taken.spill_stores == 0 and 2 * 256 * taken.registers <= 65_536, kernel


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA kernels need a GPU")
@pytest.mark.parametrize("name", list(KERNELS))
@pytest.mark.parametrize("shape", [RAGGED, ALIGNED])
def test_every_side_is_right_on_a_gpu(name, shape):
    module = LoadedPair(f"ch09_arithmetic_intensity/{name}").module
    a, b = (factor.cuda() for factor in factors(name, shape))
    for side in (module.baseline, module.optimized, module.optimized_torch):
        assert share(name, side(a, b), a, b) < 0.6
