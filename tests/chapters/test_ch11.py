"""Chapter 11, streams and clusters: kernels run by the emulation on ragged sizes, next to copies with a defect."""

import ctypes

import pytest
import torch

from perfproof.cuda import CudaError
from perfproof.pairs.contract import read_pair
from tests.chapters.emulated_kernels import COMPILER, ORDERS, KernelFault, emulated
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair, wrong_answers
from tests.chapters.planted_defect import answer, drawn, planted, share

CHAPTER = "ch11_streams"
WITH_KERNELS = ["cluster_multicast", "concurrent_kernels", "dsmem_reduction", "stream_ordered_alloc"]
ON_STREAMS = ["kv_streams", "stream_overlap"]
ON_A_CPU = ["own_cache_lines", "pipelined_stages"]
SMALL = dict(  # fewer threads and entries: the emulation runs a thread at a time
    cluster_multicast=dict(ENTRIES=512, THREADS=64), dsmem_reduction=dict(THREADS=64), concurrent_kernels={}
)
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="the emulation is compiled by g++")


def pair_of(name: str) -> LoadedPair:
    return LoadedPair(f"{CHAPTER}/{name}")


def small(name: str, folder, change: tuple[str, str] | None = None) -> LoadedPair:
    """With emulated kernels, and constants that make them quick."""
    pair = emulated(f"{CHAPTER}/{name}", folder, change, SMALL[name])
    for constant, value in SMALL[name].items():
        setattr(pair.module, constant, value)
    return pair


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Of compiled emulations: a source is compiled once."""
    return tmp_path_factory.mktemp("emulation")


def is_caught(pair: LoadedPair, side: str, arguments: tuple) -> bool:
    """Wrong, or a fault, in some order of the threads."""
    for order in ORDERS:
        pair.module.kernels.order = order
        try:
            if not share(pair, side, arguments) <= 1:
                return True
        except KernelFault:
            return True
    return False


@pytest.fixture(autouse=True)
def exact_copies_have_no_tolerance_to_divide_by(monkeypatch):
    """A tolerance of 0 is kept, but as the smallest number: equal values are 0 times it."""
    exact = LoadedPair._share

    def compare(self, output, expected):
        if self.module.tolerance == dict(rtol=0.0, atol=0.0):
            return 0.0 if torch.equal(output.double(), expected.double()) else float("inf")
        return exact(self, output, expected)

    monkeypatch.setattr(LoadedPair, "_share", compare)


@pytest.mark.parametrize("name", [*WITH_KERNELS, *ON_STREAMS, *ON_A_CPU])
def test_every_pair_keeps_the_contract(name):
    path = CHAPTERS / CHAPTER / f"{name}.py"
    read = read_pair(path, f"ch11:{name}", "ch11")
    assert read.smoke and read.menu
    assert (read.workload_cpu is not None) == (name in ON_A_CPU) == ("cuda" not in read.needs)
    assert [file.suffix for file in read.kernel_files] == ([".cu"] if name in WITH_KERNELS else [])


@needs_compiler
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("dsmem_reduction", dict(rows=2, cols=1_003)),  # rows begin anywhere
        ("dsmem_reduction", dict(rows=2, cols=1_004)),  # vectors, and parts that differ
        ("dsmem_reduction", dict(rows=1, cols=5)),  # blocks without a part
        ("cluster_multicast", dict(groups=2, count=203)),
        ("cluster_multicast", dict(groups=2, count=208)),
        ("cluster_multicast", dict(groups=1, count=3)),
        ("concurrent_kernels", dict(families=3, count=301, steps=57)),
    ],
)
def test_kernels_are_right_on_ragged_sizes_in_every_order_of_the_threads(name, sizes, folder):
    pair = small(name, folder)
    arguments = drawn(pair, 3, **sizes)
    sides = [side for side in pair.sides if name != "concurrent_kernels" or side != "optimized"]  # it needs streams
    for side in sides:
        for order in ORDERS:
            pair.module.kernels.order = order
            assert share(pair, side, arguments) < 0.6, (side, order)


@needs_compiler
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("dsmem_reduction", "    sync_cluster();\n    float all", "    float all"),
        ("dsmem_reduction", "i < BLOCKS * WARPS", "i < WARPS"),
        ("dsmem_reduction", "min(part, words - first)", "part"),
        ("cluster_multicast", "BYTES);  // of the pieces", "4 * PIECE);  // of the pieces"),
        ("cluster_multicast", "load_line_to((1u << BLOCKS) - 1", "load_line_to((1u << BLOCKS) - 2"),
        ("cluster_multicast", "wait_for_phase(&arrived, 0);\n    arrive_at_cluster()", "arrive_at_cluster()"),
        ("cluster_multicast", "first + vectors * 8 + threadIdx.x", "first + vectors * 8 + 1 + threadIdx.x"),
    ],
)
def test_a_planted_defect_of_a_cluster_is_caught(name, old, new, folder):
    sizes = dict(rows=2, cols=1_003) if name == "dsmem_reduction" else dict(groups=2, count=203)
    wrong = small(name, folder, (old, new))
    assert is_caught(wrong, "optimized", drawn(wrong, 3, **sizes))


@needs_compiler
@pytest.mark.parametrize(("old", "new"), [("if (i >= count)", "if (i > count)"), ("step < steps", "step < steps - 1")])
def test_an_oscillator_too_many_or_a_step_too_few_is_caught(old, new, folder):
    wrong = small("concurrent_kernels", folder, (old, new))
    wrong.module.tolerance = dict(rtol=1e-5, atol=1e-5)  # 57 steps of the smoke sizes round less than 40,000
    assert is_caught(wrong, "baseline", drawn(wrong, 3, count=256 + 45))


@needs_compiler
def test_sums_over_scratch_memory_are_right_wherever_it_comes_from(folder):
    pair = emulated(f"{CHAPTER}/stream_ordered_alloc", folder)
    pair.module.BLOCKS = 3
    (x,) = drawn(pair, 1, steps=2, count=2_003)
    assert share(pair, "optimized_torch", (x,)) < 0.6
    room, out = (ctypes.c_float * 24)(), torch.empty(1)
    pair.module.sum_squares(x[0], ctypes.addressof(room), out)
    assert pair.of_tolerance([out[0]], [pair.module.reference(x)[0]]) < 0.6


@needs_compiler
def test_a_sum_that_leaves_warps_out_is_caught(folder):
    wrong = emulated(f"{CHAPTER}/stream_ordered_alloc", folder, ("i < warps; i += 32", "i < warps - 1; i += 32"))
    wrong.module.BLOCKS = 3
    assert share(wrong, "optimized_torch", drawn(wrong, 1, steps=2, count=2_003)) > 1


def test_unpacking_ahead_keeps_the_blocks_in_order():
    pair = pair_of("pipelined_stages")
    for blocks in (1, 2, 5):
        (packed,) = drawn(pair, blocks, blocks=blocks)
        expected = torch.from_numpy(pair.module.reference(packed))
        for side in pair.sides:
            result = torch.from_numpy(answer(pair, side, (packed,)))
            assert pair.of_tolerance([result], [expected]) < 0.6, (side, blocks)


@pytest.mark.parametrize(
    ("old", "new"), [("packed[number + 1])", "packed[number])"), ("if number + 1 < len(packed):", "if number == 1:")]
)
def test_a_block_that_is_analysed_twice_is_caught(old, new, tmp_path):
    wrong = planted(f"{CHAPTER}/pipelined_stages", old, new, tmp_path)
    (packed,) = drawn(wrong, 2)
    result = torch.from_numpy(answer(wrong, "optimized", (packed,)))
    assert wrong.of_tolerance([result], [torch.from_numpy(wrong.module.reference(packed))]) > 1


def test_counters_are_right_wherever_they_lie():
    module = pair_of("own_cache_lines").module
    for count in (1, 2, 10_007):
        values = module.inputs(count)
        for side in ("baseline", "optimized"):
            state = getattr(module, f"prepare_{side}")(values)
            found = getattr(module, side)(state, values)
            assert found.tolist() == module.reference(values).tolist(), (side, count)


def test_counters_of_two_workers_that_overlap_are_caught(tmp_path):
    wrong = planted(f"{CHAPTER}/own_cache_lines", "(worker * APART, 1)", "(worker * BINS // 2, 1)", tmp_path).module
    values = wrong.inputs(10_007)
    assert wrong.optimized(wrong.prepare_optimized(values), values).tolist() != wrong.reference(values).tolist()


def test_a_layer_with_saved_keys_and_values_agrees_with_the_reference():
    pair = pair_of("kv_streams")
    x, weights = drawn(pair, 5)
    state, saved = x, []
    for weight in weights:
        state, pairs = pair.module.layer(state, weight)
        saved.append(pairs)
    expected, expected_saved = pair.module.reference(x, weights)
    assert pair.of_tolerance([state, torch.stack(saved)], [expected, expected_saved]) < 0.6
    assert pair.of_tolerance([torch.stack(saved).flip(1)], [expected_saved]) > 1  # keys and values exchanged


@pytest.mark.parametrize("name", ["dsmem_reduction", "cluster_multicast"])
def test_the_side_of_a_library_agrees_with_the_reference_and_wrong_answers_do_not(name):
    pair = pair_of(name)
    arguments = drawn(pair, 4)
    assert share(pair, "optimized_torch", arguments) < 0.6
    expected = pair.module.reference(*arguments)
    for what, wrong in wrong_answers(expected, [], torch.float32).items():
        assert pair.of_tolerance([wrong], [expected]) > 1, what


@pytest.mark.parametrize("name", ["dsmem_reduction", "cluster_multicast"])
def test_without_a_gpu_a_kernel_says_what_it_needs(name):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    pair = pair_of(name)
    with pytest.raises(CudaError, match="GPU"):
        pair.module.baseline(*drawn(pair, 1))


def test_the_models_say_what_the_docstrings_say():
    def predicted(name: str) -> float:
        module = pair_of(name).module
        return module.cost(**module.workload)["predicted_optimized"]

    assert predicted("stream_overlap") == pytest.approx(2.3, rel=0.03)
    assert predicted("kv_streams") == pytest.approx(1.35, rel=0.03)
    assert predicted("stream_ordered_alloc") == pytest.approx(6.4, rel=0.03)
    assert predicted("concurrent_kernels") == pytest.approx(9, rel=0.03)
    assert predicted("cluster_multicast") == pytest.approx(1.5, rel=0.03)
    moved = pair_of("dsmem_reduction").module.cost(rows=1, cols=1)
    assert moved["baseline_bytes"] / moved["optimized_bytes"] == 1.5
