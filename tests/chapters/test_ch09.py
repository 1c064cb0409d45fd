"""Chapter 9, arithmetic intensity: the sides are right, also through Triton's interpreter, and so are their costs.

The interpreter has to be chosen before Triton is imported, so this file is also the child's program.
"""

import importlib.util
import json
import tempfile
from pathlib import Path

import pytest
import torch

from perfproof.calc.prediction import predict
from perfproof.core.options import Effort
from perfproof.pairs.contract import read_pair
from tests.chapters.interpreted import interpreted_by
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair, wrong_answers

FOLDER = CHAPTERS / "ch09_arithmetic_intensity"
ON_A_CPU = ["gemm_epilogue", "recompute_or_store", "sdpa_attention"]
IN_CUDA = ["micro_tiling", "tensor_core_gemm"]
SHAPES = {
    "fused_l2norm": [dict(rows=5, cols=777), dict(rows=1, cols=1), dict(rows=2, cols=1_024), dict(rows=2, cols=1_025)],
    "fused_softmax": [dict(rows=5, cols=777), dict(rows=1, cols=1), dict(rows=2, cols=1_024), dict(rows=2, cols=1_025)],
    "elementwise_chain": [dict(count=10_007), dict(count=1), dict(count=1_024), dict(count=1_025)],
}
DEFECTS = {
    "fused_l2norm": {
        "a column short": ("inside = column < cols", "inside = column < cols - 1"),
        "no bound below": ("tl.maximum(norm, eps)", "norm"),
    },
    "fused_softmax": {
        "zeros beside the row": ('other=float("-inf")', "other=0.0"),
        "no maximum": ("tl.exp(x - tl.max(x))", "tl.exp(x)"),
    },
    "elementwise_chain": {
        "an element short": ("inside = place < count", "inside = place < count - 1"),
        "another sign": ("tl.exp(-2 * inner)", "tl.exp(2 * inner)"),
    },
}
TINY = Effort("quick", 1, 1, couples=1, quads=5, most_quads=5, seconds=0.01, new_interpreters=False)
MARGIN = 0.6  # honest rounding uses at most this share of a tolerance
has_triton = importlib.util.find_spec("triton") is not None
needs_triton = pytest.mark.skipif(not has_triton, reason="the pair is written in Triton")


def pair(name: str) -> LoadedPair:
    return LoadedPair(f"ch09_arithmetic_intensity/{name}")


def drawn(module, sizes: dict) -> list:
    torch.manual_seed(5)
    values = module.inputs(**sizes)
    return list(values) if isinstance(values, tuple) else [values]


def interpret() -> dict:
    """Run in the child: every kernel on ragged shapes, on strided and extreme values, and with its defects."""
    found: dict = {"shares": {}, "defects": {}}
    for name, shapes in SHAPES.items():
        loaded = pair(name)
        for sizes in shapes:
            x = drawn(loaded.module, sizes)[0]
            for kind, values in {"drawn": x, "large": x * 1_024, "zeros": x * 0, "far": x + 100}.items():
                share = loaded.of_tolerance([loaded.module.optimized(values)], [loaded.module.reference(values)])
                found["shares"][f"{name} {sizes} {kind}"] = share
        strided = drawn(loaded.module, shapes[0])[0].repeat_interleave(2, -1)[..., ::2]
        found["shares"][f"{name} strided"] = loaded.of_tolerance(
            [loaded.module.optimized(strided)], [loaded.module.reference(strided)]
        )
        found["defects"] |= {f"{name}: {what}": caught(loaded, *change) for what, change in DEFECTS[name].items()}
    return found


def caught(loaded: LoadedPair, old: str, new: str) -> bool:
    text = loaded.path.read_text()
    assert text.count(old) == 1, old
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changed.py"
        path.write_text(text.replace(old, new))
        spec = importlib.util.spec_from_file_location("changed", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        x = drawn(module, loaded.module.smoke)[0]
        cases = [x, x * 1_024, x * 0]
        return any(loaded.of_tolerance([module.optimized(one)], [module.reference(one)]) > 1 for one in cases)


@pytest.fixture(scope="module")
def interpreted(one_warm_python) -> dict:
    return interpreted_by(one_warm_python, __name__)


@needs_triton
def test_the_kernels_in_triton_agree_with_the_reference_on_ragged_shapes(interpreted):
    assert len(interpreted["shares"]) == 3 * (4 * 4 + 1)
    assert {case: share for case, share in interpreted["shares"].items() if not share < MARGIN} == {}


@needs_triton
def test_a_defect_in_a_kernel_in_triton_is_caught(interpreted):
    assert len(interpreted["defects"]) == 6
    assert {what for what, was_caught in interpreted["defects"].items() if not was_caught} == set()


@needs_triton
@pytest.mark.parametrize("capability", [90, 100])
def test_the_kernels_in_triton_load_and_store_16_bytes_at_a_time(capability):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    row = {"x_ptr": "*fp32", "out_ptr": "*fp32", "cols": "i32"}
    kernels = {
        ("fused_l2norm", "normalise_row", 8): (row | {"eps": "fp32"}, 4_096),
        ("fused_softmax", "softmax_row", 8): (row, 4_096),
        ("elementwise_chain", "gelu", 4): (
            {"x_ptr": "*fp32", "out_ptr": "*fp32", "count": "i32", "cubic": "fp32", "scale": "fp32"},
            1_024,
        ),
    }
    for (name, kernel, warps), (signature, block) in kernels.items():
        aligned = {(number,): [["tt.divisibility", 16]] for number in range(3)}
        function = getattr(pair(name).module, kernel)
        source = ASTSource(function, {**signature, "BLOCK": "constexpr"}, {"BLOCK": block}, aligned)
        built = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": warps})
        assert "ld.global.v4" in built.asm["ptx"] and "st.global.v4" in built.asm["ptx"]


@pytest.mark.parametrize("name", [*SHAPES, *ON_A_CPU, *IN_CUDA])
def test_every_pair_keeps_the_contract(name):
    read = read_pair(FOLDER / f"{name}.py", f"ch09:{name}", "ch09")
    assert (read.workload_cpu is not None) == (name in ON_A_CPU)
    assert ("cuda" in read.needs) == (name in IN_CUDA) == bool(read.kernel_files)
    assert read.claim == ("memory" if name == "recompute_or_store" else "time")
    assert read.smoke and read.menu and not read.lowers_precision


@pytest.mark.parametrize("name", ON_A_CPU)
def test_the_harness_verifies_every_side_at_smoke_sizes(name, run_pair):
    result = run_pair(FOLDER / f"{name}.py", effort=TINY, fast=True)
    assert result.status == "ok", result.reason
    assert {check.result for check in result.checks} <= {"pass", "not-run"}
    assert all(side.error.of_tolerance < MARGIN for side in result.variants.values())


GPU_TYPES = {  # the types of the GPU workload at sizes that a CPU can do
    "gemm_epilogue": dict(rows=37, depth=130, cols=51, dtype="bfloat16"),
    "sdpa_attention": dict(batch=1, heads=2, tokens=130, width=64, dtype="float16"),
}


@pytest.mark.parametrize("name", [*SHAPES, *GPU_TYPES])
def test_the_sides_in_plain_torch_agree_with_the_reference_and_wrong_answers_do_not(name):
    loaded = pair(name) if name not in SHAPES or has_triton else pytest.skip("the pair is written in Triton")
    arguments = drawn(loaded.module, GPU_TYPES.get(name, loaded.module.smoke))
    expected = loaded.module.reference(*arguments)
    for side in loaded.sides:
        if side in ("baseline", "optimized_torch", "optimized_bias") or name in GPU_TYPES:
            result = getattr(loaded.module, side)(*arguments)
            assert loaded.of_tolerance([result], [expected]) < 0.85, side
    for what, wrong in wrong_answers(expected, [], result.dtype).items():
        if what != "one element missing":  # the first one may be near zero
            assert loaded.of_tolerance([wrong], [expected]) > 1, what


def test_recomputing_stores_one_tensor_per_layer_and_autograd_four():
    module = pair("recompute_or_store").module
    x, gains = module.inputs(count=1_003, layers=5)
    stored = {"gelu": 0, "recomputed": 0}
    for name, activation in (("gelu", module.gelu), ("recomputed", module.Recomputed.apply)):
        out = x.clone().requires_grad_()
        seen = {}

        def keep(tensor, seen=seen):
            seen[tensor.data_ptr()] = tensor  # held, so that no address comes twice
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            for gain in gains:
                out = out + activation(gain * out) / len(gains)
        stored[name] = sum(tensor.numel() == x.numel() for tensor in seen.values())
    assert stored == {"gelu": module.STORED * 5, "recomputed": 5}


def test_the_derivative_of_the_reference_is_that_of_autograd():
    module = pair("recompute_or_store").module
    x, gains = (values.double() for values in module.inputs(count=50, layers=4))
    torch.testing.assert_close(module.baseline(x, gains), module.reference(x, gains), rtol=1e-12, atol=1e-12)


def test_costs_predict_what_the_docstrings_say():
    for name, ratio in {"fused_l2norm": 2.5, "fused_softmax": 4.0, "elementwise_chain": 9.0}.items():
        if has_triton:
            module = pair(name).module
            cost = module.cost(**module.workload)
            assert cost["baseline_bytes"] / cost["bytes"] == ratio
    cost = pair("micro_tiling").module.cost(**pair("micro_tiling").module.workload)
    assert predict(cost, "optimized").ratio == 8
    epilogue = pair("gemm_epilogue").module
    assert predict(epilogue.cost(**epilogue.workload), "optimized").ratio == pytest.approx(1.8, rel=0.01)
    assert pair("recompute_or_store").module.cost(count=1, layers=16)["predicted_optimized"] == pytest.approx(
        3, rel=0.01
    )


@pytest.mark.skipif(not has_triton, reason="three of the pairs are written in Triton")
def test_the_intensities_of_the_page_are_those_of_the_costs():
    page = (FOLDER / "README.md").read_text()
    for name in [*SHAPES, *IN_CUDA, "sdpa_attention", "gemm_epilogue"]:
        module = pair(name).module
        cost = module.cost(**module.workload)
        (row,) = (line for line in page.splitlines() if line.startswith(f"| `{name}`"))
        stated = [float(cell) for cell in row.split("|")[3:5]]
        traffic = [cost.get(f"{side}_bytes", cost["bytes"]) for side in ("baseline", "optimized")]
        assert stated == pytest.approx([cost["flops"] / moved for moved in traffic], rel=0.05), name


@pytest.mark.skipif(not torch.cuda.is_available(), reason="compiled kernels need a CUDA GPU")
@pytest.mark.parametrize("name", [*SHAPES, *ON_A_CPU])
def test_every_side_is_right_on_a_gpu(name):
    loaded = pair(name)
    with torch.device("cuda"):
        arguments = drawn(loaded.module, loaded.module.smoke)
    expected = loaded.module.reference(*arguments)
    for side in loaded.sides:
        prepare = getattr(loaded.module, f"prepare_{side}", None)
        state = [prepare(*arguments)] if prepare else []
        assert loaded.of_tolerance([getattr(loaded.module, side)(*state, *arguments)], [expected]) < MARGIN, side


if __name__ == "__main__":
    print(json.dumps(interpret()))
