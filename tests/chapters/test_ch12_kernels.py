"""Chapter 12, kernels: run by the emulation on ragged sizes, loops and graphs too, next to copies with a defect."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from perfproof.cuda import source
from perfproof.pairs.contract import read_pair
from tests.chapters.emulated_graphs import EndlessLoop
from tests.chapters.emulated_kernels import COMPILER, ORDERS, KernelFault, emulated
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair
from tests.chapters.planted_defect import drawn, share

CHAPTER = "ch12_graphs"
WITH_KERNELS = ["conditional_node", "dependent_launch", "dynamic_parallelism", "graph_parameter_update", "work_queue"]
OTHERS = ["compiled_small_ops", "kernel_fusion"]
CHILD = "scale_segment<<<blocks, THREADS, 0, cudaStreamFireAndForget>>>(x, out, factors, segment, first, count);"
IN_TURN = (
    "for (long long i = 0; i < blocks * THREADS && i < count; i++) out[first + i] = x[first + i] * factors[segment];"
)
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="the emulation is compiled by g++")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Of compiled emulations: a source is compiled once."""
    return tmp_path_factory.mktemp("emulation")


def pair_of(name: str, folder: Path, change: tuple[str, str] | None = None) -> LoadedPair:
    pair = emulated(f"{CHAPTER}/{name}", folder, change)
    if name == "dependent_launch":  # the chain itself; capturing it needs a GPU
        pair.module.prepare_baseline = pair.module.prepare_optimized = lambda x, weights: None
        pair.module.baseline = pair.module.optimized = lambda _, x, weights: chained(pair, x, weights)
    return pair


def chained(pair: LoadedPair, x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    states = torch.full((2, len(x)), torch.nan)
    pair.module.chain(x, weights, states, early=True)
    return states[(len(weights) - 1) % 2]


def is_caught(pair: LoadedPair, side: str, arguments: tuple) -> bool:
    """Wrong, endless, or a fault, in some order of the threads."""
    for order in ORDERS:
        pair.module.kernels.order = order
        try:
            if not share(pair, side, arguments) <= 1:
                return True
        except (KernelFault, EndlessLoop):
            return True
    return False


@pytest.mark.parametrize("name", [*WITH_KERNELS, *OTHERS])
def test_every_pair_keeps_the_contract(name):
    read = read_pair(CHAPTERS / CHAPTER / f"{name}.py", f"ch12:{name}", "ch12")
    assert read.smoke and read.menu
    assert (read.workload_cpu is not None) == (name == "compiled_small_ops")
    assert [file.suffix for file in read.kernel_files] == ([".cu"] if name in WITH_KERNELS else [])


@needs_compiler
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("work_queue", dict(segments=203)),
        ("work_queue", dict(segments=1)),
        ("graph_parameter_update", dict(rows=77, cols=203)),
        ("graph_parameter_update", dict(rows=2, cols=1)),
        ("conditional_node", dict(size=33)),
        ("conditional_node", dict(size=1)),
        ("dependent_launch", dict(layers=3, width=77)),
        ("dependent_launch", dict(layers=2, width=1_024)),
        ("dynamic_parallelism", dict(segments=37, count=2_003)),
        ("dynamic_parallelism", dict(segments=33, count=5)),  # most segments are empty
    ],
)
def test_kernels_are_right_on_ragged_sizes(name, sizes, folder):
    pair = pair_of(name, folder, (CHILD, IN_TURN) if name == "dynamic_parallelism" else None)
    arguments = drawn(pair, 3, **sizes)
    for number, side in enumerate(pair.sides):
        pair.module.kernels.order = ORDERS[number % len(ORDERS)]
        assert share(pair, side, arguments) < 0.9, side


@needs_compiler
@pytest.mark.parametrize(
    ("name", "side", "old", "new"),
    [
        ("work_queue", "optimized", "min(segments, first + TAKEN)", "min(segments - 1, first + TAKEN)"),
        ("work_queue", "optimized", "min(segments, first + TAKEN)", "first + TAKEN"),
        ("work_queue", "optimized", "first = __shfl_sync(0xffffffff, first, 0);", ""),
        ("work_queue", "baseline", "(segments + warps - 1) / warps", "max(1, segments / warps)"),
        ("graph_parameter_update", "optimized", "row == 0 ? rows - 1 : row - 1", "row - 1"),
        ("conditional_node", "optimized", "(condition, more)", "(condition, 0)"),
        ("conditional_node", "optimized", "change > LIMIT * largest", "change > LIMIT * 1000 * largest"),
        ("dependent_launch", "optimized", "if (lane == 0 && row < width)", "if (lane == 0)"),
        ("dependent_launch", "optimized", "i < HELD; i++) {\n", "i < HELD / 16; i++) {\n"),
        ("dynamic_parallelism", "optimized_flat", "offsets[middle] <= i", "offsets[middle] < i"),
    ],
)  # fmt: skip
def test_a_planted_defect_is_caught(name, side, old, new, folder):
    text = (CHAPTERS / CHAPTER / f"{name}.cu").read_text()
    if name == "dynamic_parallelism":
        assert old in text
        start = text.index("// A thread per segment")
        parent = text[start : text.index("// One grid over all")]
        wrong = emulated_without(name, folder, parent, old, new)
    else:
        wrong = pair_of(name, folder, (old, new))
    assert is_caught(wrong, side, drawn(wrong, 3, **(dict(size=19) if name == "conditional_node" else {})))


def emulated_without(name: str, folder: Path, part: str, old: str, new: str) -> LoadedPair:
    """The pair without a part that a host compiler cannot read, and with a defect in the rest of its kernels."""
    changed = (part, "")
    pair = emulated(f"{CHAPTER}/{name}", folder, changed)
    rest = pair.path.with_suffix(".cu").read_text().replace(part, "").replace(old, new)
    kernels = type(pair.module.kernels)
    pair.module.kernels = kernels(rest, ["scale_segment", "scale_flat"], {"THREADS": 256}, folder)
    return pair


@needs_compiler
def test_a_graph_follows_its_argument_and_an_update_left_out_is_an_old_answer(folder):
    pair = pair_of("graph_parameter_update", folder)
    first, second = (drawn(pair, seed, rows=13, cols=33)[0] for seed in (1, 2))
    graph = pair.module.prepare_optimized(first)
    for x in (second, first, second):
        result = pair.module.optimized(graph, x)
        assert pair.of_tolerance([result], [pair.module.reference(x)]) < 0.6
    graph[0].launch()  # without an update it reads what it read before
    assert pair.of_tolerance([graph[2]], [pair.module.reference(first)]) > 1


@needs_compiler
def test_a_loop_runs_as_often_as_its_values_need(folder):
    pair = pair_of("conditional_node", folder)
    b, matrix = drawn(pair, 1, size=19)
    graph, own, x = pair.module.prepare_optimized(b, matrix)
    for values in (b, torch.zeros_like(b), 1_000 * b):
        result = pair.module.optimized((graph, own, x), values, matrix)
        right = pair.module.reference(values, matrix)
        torch.testing.assert_close(result.double(), right, rtol=1e-4, atol=2e-5 * max(1.0, float(values.abs().max())))


def test_weights_are_loaded_before_the_wait(tmp_path):
    """A read-only load would be moved behind it by the assembler, and nothing would be hidden."""
    triton = pytest.importorskip("triton")
    disassembler = Path(triton.__file__).parent / "backends/nvidia/bin/nvdisasm"
    if not disassembler.is_file():
        pytest.skip("no nvdisasm")
    cubin = tmp_path / "layer.cubin"
    cubin.write_bytes(source(CHAPTERS / CHAPTER / "dependent_launch.cu").layer.compiled_for("sm_90a")[0])
    done = subprocess.run([disassembler, "-c", cubin], capture_output=True, text=True)
    before, wait, after = done.stdout.partition("ACQBULK")
    assert wait and before.count("LDG") == 32 == after.count("LDG")


FUSED = """
import sys, torch
from pathlib import Path
from tests.chapters.loaded_pair import LoadedPair
from tests.chapters.planted_defect import drawn, planted, share
name, folder = "ch12_graphs/kernel_fusion", Path(sys.argv[1])
pair = LoadedPair(name)
for sizes in (dict(rows=3, width=1_003), dict(rows=1, width=1), dict(rows=2, width=1_024)):
    for side in pair.sides:
        assert share(pair, side, drawn(pair, 1, **sizes)) < 0.9, (side, sizes)
for old, new in [
    ("/ width + tiny", "/ BLOCK + tiny"),
    ("other=0.0)\\n    total", "other=1.0)\\n    total"),
    ("total * factor * gain", "x * factor * gain"),
    ("tl.store(total_ptr + place, total,", "tl.store(total_ptr + place, x,"),
]:
    wrong = planted(name, old, new, folder)
    assert share(wrong, "optimized", drawn(wrong, 1)) > 1, old
"""


def test_the_fused_kernel_is_right_on_ragged_widths_and_defects_are_caught(tmp_path, monkeypatch):
    pytest.importorskip("triton")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    command = [sys.executable, "-c", FUSED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("capability", [90, 100])
def test_the_fused_kernel_compiles(capability):
    pytest.importorskip("triton")
    from tests.chapters.compiled_triton import build

    pointers = dict.fromkeys(("x_ptr", "residual_ptr", "gain_ptr", "total_ptr", "out_ptr"), "*fp32")
    types = dict(**pointers, width="i32", tiny="fp32")
    kernel = LoadedPair(f"{CHAPTER}/kernel_fusion").module.add_and_normalise
    assert build(kernel, types, {"BLOCK": 4_096}, capability, num_warps=8).shared < 48 * 1024


def test_the_small_operations_agree_with_the_reference_and_a_step_left_out_does_not():
    pair = LoadedPair(f"{CHAPTER}/compiled_small_ops")
    arguments = drawn(pair, 1)
    right = pair.module.reference(*arguments)
    assert share(pair, "baseline", arguments) < 0.6
    pair.module.STEPS -= 1
    assert pair.of_tolerance(list(pair.module.baseline(*arguments)), list(right)) > 1


def test_the_models_say_what_the_docstrings_say():
    def predicted(name: str) -> float:
        module = LoadedPair(f"{CHAPTER}/{name}").module
        return module.cost(**module.workload)["predicted_optimized"]

    assert predicted("conditional_node") == pytest.approx(4.4, rel=0.02)
    assert predicted("dependent_launch") == pytest.approx(2.4, rel=0.03)
    assert predicted("dynamic_parallelism") == pytest.approx(4.0, rel=0.02)
    assert predicted("work_queue") == pytest.approx(3.4, rel=0.03)
