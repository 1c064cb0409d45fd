"""Chapter 14, the compiler and Triton: sides are right, graphs are counted, planted defects are found.

Functions are traced by Dynamo and run without code generation, which takes seconds per kernel. The Triton kernel runs
in a child process through Triton's interpreter, and is compiled here for Hopper and Blackwell. This file is also the
child's program: the interpreter has to be chosen before Triton is imported.
"""

import json
import os
from pathlib import Path
from types import ModuleType

import pytest
import torch

from perfproof.core.options import Effort
from perfproof.core.trees import clone
from perfproof.worker.verify.compare import difference
from tests.chapters.interpreted import interpreted_by
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair

FOLDER = CHAPTERS / "ch14_compiler"
COMPILED = sorted(
    path.stem for path in FOLDER.glob("*.py") if path.stem not in ("flex_block_mask", "persistent_triton")
)
TRITON = "ch14_compiler/persistent_triton"
SHAPES = [(77, 100), (1, 1), (3, 64), (130, 128), (33, 129)]  # ragged, one column, one past a power of two
TINY = Effort("quick", 1, 1, couples=1, quads=5, most_quads=5, seconds=0.01, new_interpreters=False)


def load(name: str, *changes: tuple[str, str]) -> ModuleType:
    source = (FOLDER / f"{name}.py").read_text()
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    module = ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), vars(module))
    return module


@pytest.fixture
def graphs(monkeypatch) -> list[int]:
    """Nodes of each graph that `torch.compile` makes. The graphs are run as they are: no code is generated."""
    found: list[int] = []
    real = torch.compile

    def traced(graph, _):
        found.append(sum(node.op not in ("placeholder", "output") for node in graph.graph.nodes))
        return graph.forward

    def compiled(function, *, dynamic=None, fullgraph=False, mode=None):
        return real(function, dynamic=dynamic, fullgraph=fullgraph, backend=traced)

    monkeypatch.setattr(torch, "compile", compiled)
    torch._dynamo.reset()
    yield found
    torch._dynamo.reset()


def problem(pair: ModuleType, side: str, seed: int) -> str:
    """What is wrong with the second answer of a side, to values that the first has not seen."""
    torch.manual_seed(seed)
    kept = pair.constants(**pair.smoke) if hasattr(pair, "constants") else ()
    first, second = ([*pair.inputs(**pair.smoke), *kept] for _ in range(2))
    names = pair.reference.__code__.co_varnames
    second = [one if n in pair.constant else two for n, one, two in zip(names, first, second, strict=False)]
    prepare = getattr(pair, f"prepare_{side}", None)
    state = (prepare(*clone(first)),) if prepare else ()
    getattr(pair, side)(*state, *clone(first))
    result = getattr(pair, side)(*state, *clone(second))
    return difference(result, pair.reference(*clone(second)), pair.tolerance).problem


def sides_of(pair: ModuleType) -> list[str]:
    return ["baseline", *(name for name in vars(pair) if name.startswith("optimized"))]


@pytest.mark.parametrize("name", COMPILED)
def test_every_side_is_right_on_values_it_was_not_traced_with(graphs, name):
    pair = load(name)
    for side in sides_of(pair):
        torch._dynamo.reset()
        assert not problem(pair, side, seed=3), side
    assert graphs


def test_the_branch_breaks_the_graph_and_its_replacement_does_not(graphs):
    pair = load("graph_break")
    assert not problem(pair, "baseline", seed=1)
    assert len(graphs) == 3  # up to the branch, and from either way out of it
    graphs.clear()
    assert not problem(pair, "optimized", seed=1)
    assert len(graphs) == 1


def test_a_branch_where_one_graph_was_promised_is_an_error(graphs):
    broken = load("graph_break", ("torch.compile(without_branch,", "torch.compile(with_branch,"))
    with pytest.raises(torch._dynamo.exc.TorchDynamoException):
        problem(broken, "optimized", seed=1)


@pytest.mark.parametrize(("side", "count"), [("baseline", 2), ("optimized", 1)])
def test_a_marked_length_is_compiled_once(graphs, side, count):
    assert not problem(load("recompiles"), side, seed=1)
    assert len(graphs) == count


@pytest.mark.parametrize("name", ["regional_compile", "regional_compile_warm"])
def test_a_block_is_traced_once_for_all_layers(graphs, name):
    pair = load(name)
    problem(pair, "optimized", seed=1)
    (block,) = graphs
    graphs.clear()
    torch._dynamo.reset()
    problem(pair, "baseline", seed=1)
    assert graphs == [pair.smoke["layers"] * block]


def test_only_the_first_call_has_empty_caches():
    pair, folder = load("regional_compile"), os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    caches = pair.empty_caches_once()
    with caches():
        assert os.environ["TORCHINDUCTOR_CACHE_DIR"] != folder
    assert os.environ.get("TORCHINDUCTOR_CACHE_DIR") == folder
    with caches():
        assert os.environ.get("TORCHINDUCTOR_CACHE_DIR") == folder


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("graph_break", ".clamp(max=1.0)", ""),
        ("recompiles", "compiled(marked(x), gain) for x in ragged", "compiled(marked(x[:-1]), gain) for x in ragged"),
        (
            "regional_compile",
            "return model(x, weights, compiled)",
            "return model(x, weights[:1] * len(weights), compiled)",
        ),
        (
            "compile_decode",
            "return compiled(x, weights, keys, values, turn)\n",
            "return compiled(x, weights, values, keys, turn)\n",
        ),
        ("compile_decode", "torch.cat((-second, first), -1)", "torch.cat((second, -first), -1)"),
        ("compile_prefill", "is_causal=True", "is_causal=False"),
    ],
)
def test_a_defect_is_found(graphs, name, right, wrong):
    assert problem(load(name, (right, wrong)), "optimized", seed=2)


# Flex attention without code generation is a function that torch brings.
EAGER_FLEX = ("torch.compile(flex_attention, dynamic=False)", "flex_attention")


@pytest.mark.filterwarnings("ignore")
def test_the_block_mask_gives_the_answer_of_the_dense_one():
    pair = load("flex_block_mask", EAGER_FLEX)
    assert not problem(pair, "baseline", seed=1) and not problem(pair, "optimized", seed=1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(row >= column)", "(row > column)"),  # no token sees itself
        ("(row >= column)", "(row + 1 >= column)"),  # each sees the next one
        ("document[row] == document[column]", "document[row] >= document[column]"),
    ],
)
def test_a_mask_that_is_off_by_one_is_found(right, wrong):
    pair = load("flex_block_mask", EAGER_FLEX, (right, wrong))
    assert problem(pair, "optimized", seed=1) and problem(pair, "baseline", seed=1)


def test_a_recompile_in_the_timed_region_is_counted_and_said(run_pair, tmp_path):
    """Lengths that no call has seen before, each of them a constant of its own graph.

    The compiler gives up after eight graphs of a function, which can be before the first timed call: no limit here.
    """
    source = (FOLDER / "recompiles.py").read_text()
    changes = {
        "    return torch.compile(pooled), empty_caches_once()\n\n\ndef optimized": (
            "    torch._dynamo.config.recompile_limit = torch._dynamo.config.accumulated_recompile_limit = 100_000\n"
            '    return torch.compile(pooled, backend="eager", dynamic=False), nullcontext\n\n\ndef optimized'
        ),
        "    return torch.compile(pooled), empty_caches_once()\n\n\ndef baseline": (
            "    return pooled, nullcontext\n\n\ndef baseline"
        ),
        "    torch._dynamo.mark_dynamic(x, 0)\n": "",
        'claim = "startup"\n': "workload_cpu = dict(batches=1, longest=4_000, width=3)\n",
        "smoke = dict(batches=3, longest=19, width=20)": "smoke = dict(batches=1, longest=4_000, width=3)",
    }
    for old, new in changes.items():
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    path = tmp_path / "recompiles.py"
    path.write_text("\n".join(line for line in source.splitlines() if not line.startswith("needs")))
    result = run_pair(path, effort=TINY, fast=True)
    said = {warning.code: warning.text for warning in result.warnings}
    assert "graph" in said.get("W136", ""), (result.status, result.reason, said)


def interpret() -> dict:
    """Run in the child: every side on every shape, and how a defect shows."""
    pair, shares = LoadedPair(TRITON), {}
    for rows, cols in SHAPES:
        arguments = pair.draw(dict(rows=rows, cols=cols, dtype="float32"), rows)
        expected = pair.expected(arguments)
        for side in pair.sides:
            shares[f"{side} {rows} x {cols}"] = pair.of_tolerance(pair.outputs(side, arguments), expected)
    arguments = pair.draw(dict(rows=77, cols=100, dtype="float32"), 1)
    expected = pair.expected(arguments)
    found = {}
    for name, right, wrong in KERNEL_DEFECTS:
        source = pair.path.read_text()
        assert source.count(right) == 1, right
        path = Path(os.environ["SCRATCH"]) / "defect.py"
        path.write_text(source.replace(right, wrong))
        defect = LoadedPair(str(path.with_suffix("")))
        found[name] = pair.of_tolerance(defect.outputs("optimized", arguments), expected)
    return dict(shares=shares, defects=found)


LOOP = "tl.range(tl.program_id(0), tiles, step, num_stages=3)"
KERNEL_DEFECTS = [
    ("a program ends after one tile", LOOP, "tl.range(tl.program_id(0), tl.program_id(0) + 1, step)"),
    ("the last row is left out", "(row[:, None] < rows)", "(row[:, None] < rows - 1)"),
    ("the mean is of the padded row", "tl.sum(x * x, axis=1) / cols", "tl.sum(x * x, axis=1) / COLS"),
]


@pytest.fixture(scope="module")
def interpreted(one_warm_python, tmp_path_factory) -> dict:
    pytest.importorskip("triton", reason="the pair is written in Triton")
    return interpreted_by(one_warm_python, __name__, SCRATCH=str(tmp_path_factory.mktemp("kernels")))


def test_the_kernels_agree_with_the_reference_on_ragged_shapes(interpreted):
    assert len(interpreted["shares"]) == 4 * len(SHAPES)
    assert {case: share for case, share in interpreted["shares"].items() if share >= 0.85} == {}


@pytest.mark.parametrize("defect", [name for name, *_ in KERNEL_DEFECTS])
def test_a_defect_of_the_kernel_is_found(interpreted, defect):
    assert interpreted["defects"][defect] > 1


@pytest.mark.parametrize("capability", [80, 90, 100])
def test_the_kernels_compile_and_move_16_bytes_at_a_time(capability):
    triton = pytest.importorskip("triton")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    pair = LoadedPair(TRITON).module
    pointers = dict.fromkeys(("x_ptr", "weight_ptr", "out_ptr"), "*bf16")
    sizes = dict(rows="i32", cols="i32", eps="fp32", tiles="i32", step="i32", ROWS="constexpr", COLS="constexpr")
    aligned = {(number,): [["tt.divisibility", 16]] for number in (0, 1, 2, 4)}
    source = ASTSource(pair.norm_tiles, pointers | sizes, dict(ROWS=32, COLS=128), aligned)
    built = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": 4})
    one_row = ASTSource(pair.norm_row, pointers | dict(cols="i32", eps="fp32", COLS="constexpr"), dict(COLS=128))
    assert triton.compile(one_row, target=GPUTarget("cuda", capability, 32), options={"num_warps": 1}).asm["cubin"]
    wide = "st.global.v4" in built.asm["ptx"]
    assert wide and ("cp.async" in built.asm["ptx"] or "ld.global.v4" in built.asm["ptx"])


def test_the_models_are_those_of_the_page():
    pairs = {path.stem: LoadedPair(f"{FOLDER.name}/{path.stem}").module for path in FOLDER.glob("*.py")}
    costs = {name: pair.cost(**pair.workload) for name, pair in pairs.items()}
    assert costs["graph_break"]["baseline_bytes"] == 2 * costs["graph_break"]["optimized_bytes"]
    assert costs["regional_compile"]["predicted_optimized"] == pytest.approx(2.4)
    assert costs["compile_prefill"]["predicted_optimized"] == pytest.approx(1.056, abs=0.001)
    assert costs["persistent_triton"]["bytes"] == 4 * 1_048_576 * 128
    flex = costs["flex_block_mask"]
    assert flex["flops"] < flex["optimized_flops"] < flex["baseline_flops"] / 10


if __name__ == "__main__":
    print(json.dumps(interpret()))
