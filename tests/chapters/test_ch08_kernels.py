"""Chapter 8, kernels in CUDA C++: run by the emulation on ragged sizes, next to copies with a defect."""

import struct
from pathlib import Path

import numpy as np
import pytest
import torch

from perfproof.cuda import Kernels
from tests.chapters.emulated_kernels import COMPILER, ORDERS, KernelFault, emulated
from tests.chapters.loaded_pair import LoadedPair

BLOCK = 256
pytestmark = pytest.mark.skipif(COMPILER is None, reason="the emulation is compiled by g++")


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(8).standard_normal(shape, dtype=np.float32)


def unwritten(*shape: int, dtype=np.float32) -> np.ndarray:
    return np.full(shape, 0x55 if dtype == np.uint8 else np.nan, dtype)


class Launches:
    """Kernels of a pair and of copies with a defect; a launch returns how it ended, empty if it ended well."""

    def __init__(self, name: str, folder: Path, defects: dict[str, tuple[str, str]]):
        self._name, self._folder, self._defects = name, folder, defects
        self._built: dict[str, LoadedPair] = {}

    def launch(
        self, kernel: str, *arguments, grid: int, block: int, shared: int = 0, defect: str = "", order: int = 0
    ) -> str:
        if defect not in self._built:
            change = self._defects[defect] if defect else None
            self._built[defect] = emulated(f"ch08_warps/{self._name}", self._folder, change)
        kernels = self._built[defect].module.kernels
        kernels.order = order
        given = [torch.from_numpy(one) if isinstance(one, np.ndarray) else one for one in arguments]
        try:
            kernels[kernel](*given, grid=grid, block=block, shared=shared)
        except KernelFault as fault:
            return str(fault)
        return ""


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """Running sums: (kernel, rows, cols, defect, order) -> how it ended, and the result."""
    kernels = Launches(
        "loop_unrolling",
        tmp_path_factory.mktemp("emulation"),
        {
            "past_the_end": ("row + STEPS <= rows", "row < rows"),
            "rest_left_out": ("    for (; row < rows; row++) {", "    for (; row < 0; row++) {"),
        },
    )

    def launch(kernel, x, **how):
        given, out = x, unwritten(*x.shape)
        ended = kernels.launch(kernel, given, out, *x.shape, grid=-(-x.shape[1] // BLOCK), block=BLOCK, **how)
        return ended, out

    return launch


@pytest.mark.parametrize("kernel", ["one_by_one", "unrolled", "promised"])
@pytest.mark.parametrize("shape", [(37, 1_003), (16, 256), (15, 257), (1, 1), (33, 3)])
def test_running_sums_are_right_on_ragged_sizes(running, kernel, shape):
    x = random(*shape)
    ended, out = running(kernel, x)
    assert ended == ""
    assert np.array_equal(out, np.add.accumulate(x, axis=0))  # the same additions in the same order


def test_an_unrolled_loop_that_runs_past_the_last_row_or_forgets_the_rest_is_caught(running):
    x = random(37, 1_003)
    assert running("unrolled", x, defect="past_the_end")[0].endswith("not its own")
    ended, out = running("unrolled", x, defect="rest_left_out")
    assert ended == "" and np.isnan(out[32:]).all()


@pytest.fixture(scope="module")
def transform(tmp_path_factory):
    kernels = Launches(
        "register_spills",
        tmp_path_factory.mktemp("emulation"),
        {"no_bound": ("if (col >= cols)", "if (col < 0)"), "a_round_less": ("half < 64", "half < 32")},
    )

    def launch(kernel, x, **how):
        given, out = x, unwritten(*x.shape)
        ended = kernels.launch(kernel, given, out, x.shape[1], grid=-(-x.shape[1] // BLOCK), block=BLOCK, **how)
        return ended, out

    return launch


@pytest.mark.parametrize("kernel", ["full_occupancy", "enough_registers"])
@pytest.mark.parametrize("cols", [1, 255, 256, 1_003])
def test_the_transform_is_the_product_with_the_matrix(transform, kernel, cols):
    pair, x = LoadedPair("ch08_warps/register_spills"), random(64, cols)
    ended, out = transform(kernel, x)
    expected = pair.module.reference(torch.from_numpy(x))
    assert ended == "" and pair.of_tolerance([torch.from_numpy(out)], [expected]) < 0.6
    there_and_back = transform(kernel, out)[1]
    np.testing.assert_allclose(there_and_back, x, atol=1e-5)


def test_a_transform_beyond_the_last_column_or_with_a_round_less_is_caught(transform):
    pair, x = LoadedPair("ch08_warps/register_spills"), random(64, 1_003)
    assert transform("enough_registers", x, defect="no_bound")[0].endswith("not its own")
    short = transform("enough_registers", x, defect="a_round_less")[1]
    assert pair.of_tolerance([torch.from_numpy(short)], [pair.module.reference(torch.from_numpy(x))]) > 10


@pytest.fixture(scope="module")
def row_sums(tmp_path_factory):
    kernels = Launches(
        "warp_shuffle_reduction",
        tmp_path_factory.mktemp("emulation"),
        {
            "tree_without_barrier": ("        }\n        __syncthreads();\n    }", "        }\n    }"),
            "warps_do_not_wait": ("    __syncthreads();\n    if (warp == 0)", "    if (warp == 0)"),
            "sums_taken_twice": ("lane < THREADS / 32 ? sums[lane] : 0.0f", "sums[lane % (THREADS / 32)]"),
            "some_lanes_stay_away": ("if (lane == 0) {\n        sums", "if (lane > 0) return;\n    {\n        sums"),
        },
    )

    def launch(kernel, x, **how):
        given, out = x, unwritten(len(x))
        return kernels.launch(kernel, given, out, x.shape[1], grid=len(x), block=256, **how), out

    return launch


@pytest.mark.parametrize("kernel", ["tree_sum", "shuffle_sum"])
@pytest.mark.parametrize("cols", [1, 255, 1_003, 1_024])
def test_sums_of_rows_are_right_in_every_order_of_the_threads(row_sums, kernel, cols):
    pair, x = LoadedPair("ch08_warps/warp_shuffle_reduction"), random(3, cols)
    expected = pair.module.reference(torch.from_numpy(x))
    results = []
    for order in ORDERS:
        ended, out = row_sums(kernel, x, order=order)
        assert ended == "" and pair.of_tolerance([torch.from_numpy(out)], [expected]) < 0.6
        results.append(out.tobytes())
    assert len(set(results)) == 1


@pytest.mark.parametrize(
    ("kernel", "defect"),
    [
        ("tree_sum", "tree_without_barrier"),
        ("shuffle_sum", "warps_do_not_wait"),
        ("shuffle_sum", "sums_taken_twice"),
        ("shuffle_sum", "some_lanes_stay_away"),
    ],
)
def test_a_sum_that_races_or_counts_twice_is_wrong_in_some_order(row_sums, kernel, defect):
    pair, x = LoadedPair("ch08_warps/warp_shuffle_reduction"), random(3, 1_003)
    expected = pair.module.reference(torch.from_numpy(x))
    found = [row_sums(kernel, x, defect=defect, order=order) for order in ORDERS]
    wrong = [ended or pair.of_tolerance([torch.from_numpy(out)], [expected]) > 1 for ended, out in found]
    assert any(wrong)


@pytest.fixture(scope="module")
def quantise(tmp_path_factory):
    kernels = Launches(
        "predication",
        tmp_path_factory.mktemp("emulation"),
        {
            "one_short": ("fours + count % 4)", "fours + count % 4 - 1)"),
            "wrong_limit": ("limits.at[12] : limits.at[4]", "limits.at[12] : limits.at[5]"),
        },
    )
    packed = LoadedPair("ch08_warps/predication").module.PACKED

    def launch(kernel, x, **how):
        given, out = x, unwritten(x.size, dtype=np.uint8)
        threads = x.size // 4 + x.size % 4
        ended = kernels.launch(kernel, given, out, packed, x.size, grid=-(-threads // BLOCK), block=BLOCK, **how)
        return ended, out

    return launch


def around_the_limits() -> np.ndarray:
    """Each limit, its neighbours in float32, the largest values, and values between."""
    limits = np.array(LoadedPair("ch08_warps/predication").module.LIMITS, np.float32)
    edges = [np.nextafter(limits, np.float32(side)) for side in (-9, 9)]
    return np.concatenate([limits, *edges, np.float32([-np.inf, np.inf, 0.0, -0.0]), random(2_000) / 3])


@pytest.mark.parametrize("kernel", ["quantise<true>", "quantise<false>"])
@pytest.mark.parametrize("rest", [0, 1, 2, 3])
def test_codes_are_the_number_of_limits_below_a_value(quantise, kernel, rest):
    module, x = LoadedPair("ch08_warps/predication").module, around_the_limits()
    x = x[: len(x) // 4 * 4 - rest]
    ended, out = quantise(kernel, x)
    assert ended == "" and np.array_equal(out, module.reference(torch.from_numpy(x)).numpy())
    assert set(out.tolist()) == set(range(16))


@pytest.mark.parametrize("defect", ["one_short", "wrong_limit"])
def test_a_value_left_out_and_a_wrong_limit_are_caught(quantise, defect):
    module, x = LoadedPair("ch08_warps/predication").module, around_the_limits()[:-2]
    assert len(x) % 4
    out = quantise("quantise<false>", x, defect=defect)[1]
    assert not np.array_equal(out, module.reference(torch.from_numpy(x)).numpy())


def test_the_limits_lie_between_the_levels_and_are_what_the_kernel_gets():
    module = LoadedPair("ch08_warps/predication").module
    assert len(module.PACKED) == 60 and struct.unpack("15f", module.PACKED) == module.LIMITS
    assert all(
        low < limit < high for low, limit, high in zip(module.LEVELS, module.LIMITS, module.LEVELS[1:], strict=False)
    )


@pytest.fixture(scope="module")
def decode(tmp_path_factory):
    kernels = Launches(
        "occupancy_tuning",
        tmp_path_factory.mktemp("emulation"),
        {
            "table_not_awaited": ("    __syncthreads();\n", ""),
            "one_too_far": ("i < fours; i", "i <= fours; i"),
            "rest_left_out": ("i < count; i", "i < fours; i"),
        },
    )

    def launch(codes, table, block, **how):
        out = unwritten(len(codes))
        given = (codes, table, out, len(table), len(codes))
        return kernels.launch("decode", *given, grid=2, block=block, shared=table.nbytes, **how), out

    return launch


@pytest.mark.parametrize("block", [256, 1_024])
@pytest.mark.parametrize("count", [1, 4_096, 9_003])
def test_codes_are_looked_up_in_the_table(decode, block, count):
    table, codes = random(777), np.random.default_rng(1).integers(777, size=count).astype(np.int16)
    for order in ORDERS:
        ended, out = decode(codes, table, block, order=order)
        assert ended == "" and np.array_equal(out, table[codes])


def test_a_table_read_before_it_is_there_and_codes_read_past_their_end_are_caught(decode):
    table, codes = random(777), np.random.default_rng(1).integers(777, size=9_003).astype(np.int16)
    decode(codes, table * 2, 256)  # what an earlier call left in shared memory
    raced = [decode(codes, table, 256, defect="table_not_awaited", order=order)[1] for order in ORDERS]
    assert any(not np.array_equal(out, table[codes]) for out in raced)
    assert decode(codes[:8_000], table, 256, defect="one_too_far")[0].endswith("not its own")
    assert np.isnan(decode(codes, table, 256, defect="rest_left_out")[1]).any()


def kernels_of(name: str) -> Kernels:
    return LoadedPair(f"ch08_warps/{name}").module.kernels


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90a", "sm_100a"])
def test_the_bound_makes_the_transform_spill_and_without_it_nothing_spills(architecture):
    pytest.importorskip("cuda.bindings", reason="compiling needs NVRTC")
    kernels = kernels_of("register_spills")
    bound, free = (kernels[name].compiled_for(architecture)[2] for name in ("full_occupancy", "enough_registers"))
    assert bound.registers <= 32 and free.spill_stores == free.spill_loads == 0
    stated = LoadedPair("ch08_warps/register_spills").module.SPILLED
    assert bound.spill_stores + bound.spill_loads == pytest.approx(stated, rel=0.1)


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("loop_unrolling", "unrolled"),
        ("occupancy_tuning", "decode"),
        ("predication", "quantise<true>"),
        ("predication", "quantise<false>"),
        ("warp_shuffle_reduction", "shuffle_sum"),
    ],
)
def test_the_kernels_compile_for_the_oldest_gpu_too(name, kernel):  # newer ones: tests/cuda
    pytest.importorskip("cuda.bindings", reason="compiling needs NVRTC")
    taken = kernels_of(name)[kernel].compiled_for("sm_80")[2]
    assert taken.binary == "sm_80" and taken.spill_stores == 0


@pytest.mark.parametrize("architecture", ["sm_90a", "sm_100a"])
def test_two_large_blocks_fit_on_a_multiprocessor(architecture):
    pytest.importorskip("cuda.bindings", reason="compiling needs NVRTC")
    module = LoadedPair("ch08_warps/occupancy_tuning").module
    taken = module.kernels.decode.compiled_for(architecture)[2]
    assert 2 * module.LARGE * taken.registers <= 65_536  # registers of a multiprocessor
    assert 2 * (module.ENTRIES * 4 + 1_024) <= 228 * 1_024 < 3 * module.ENTRIES * 4


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA kernels need a GPU")
@pytest.mark.parametrize(
    "name", ["loop_unrolling", "occupancy_tuning", "predication", "register_spills", "warp_shuffle_reduction"]
)
def test_every_side_is_right_on_a_gpu(name):
    pair = LoadedPair(f"ch08_warps/{name}")
    torch.manual_seed(1)
    with torch.device("cuda"):
        drawn = pair.module.inputs(**pair.module.smoke)
    arguments = list(drawn) if isinstance(drawn, tuple) else [drawn]
    expected = pair.module.reference(*arguments)
    for side in pair.sides:
        prepare = getattr(pair.module, f"prepare_{side}", None)
        state = [prepare(*arguments)] if prepare else []
        result = getattr(pair.module, side)(*state, *arguments)
        bounds = pair.module.tolerance
        torch.testing.assert_close(result.double(), expected.double(), **bounds)
