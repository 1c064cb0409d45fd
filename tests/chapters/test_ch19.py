"""Chapter 19, precision and adaptation: fewer bits stay within their error, and early decisions are the right ones.

Triton kernels run in a child process through Triton's interpreter; this file is also the child's program.
"""

import ctypes
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from perfproof.bench.launches import Launches
from perfproof.bench.run import make_job
from perfproof.bench.target import run_target
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair
from tests.chapters.interpreted import interpreted_by, round_to_e4m3_as_torch_does
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair, wrong_answers
from tests.chapters.planted_defect import drawn, planted, share
from tests.chapters.test_loss_curves import gate

CHAPTER = "ch19_precision"
SECONDS = 60.0
ON_A_CPU = ["kv_prefetch", "quantised_kv", "static_scales"]
DEFECTS = {  # what is wrong: pair, line, what replaces it
    "a scale applied twice, in the cache": ("quantised_kv", "return numbers * step", "return numbers * step * step"),
    "a scale applied twice, in the product": (
        "static_scales", "(scale * weight_scale)", "(scale * scale * weight_scale)",
    ),
    "a scale of the whole cache instead of one per token": (
        "quantised_kv", 'vector_norm(wide, float("inf"), dim=-1, keepdim=True) / 127', "vector_norm(wide) / 127",
    ),
    "numbers that wrap around instead of being clamped": ("static_scales", ".clamp_(-127, 127)", ".mul_(2)"),
    "pages of the layer before": (
        "kv_prefetch", "cache[layer], 0, table[layer], out=host)", "cache[0], 0, table[layer], out=host)",
    ),
    "a layer without the result before it": (
        "kv_prefetch", "state = attend(queries + state, pages)", "state = attend(queries, pages)",
    ),
}  # fmt: skip
NOT_TRAINED = ("        up -= product(", "        product(")
TRAINING_DEFECTS = {
    "a scale that is left out": ("a[-1], b[-1], out", "a[-1], a[-1], out"),
    "a scale applied twice": ("/ scale).to(tl.float8e4nv)", "/ scale / scale).to(tl.float8e4nv)"),
    "a transpose that is none": ("tl.trans(numbers), mask", "numbers, mask"),
    "the largest value of the first block": ("place = tl.program_id(0).to(tl.int64) * BLOCK", "place = 0"),
    "a scale one too small": ("+ 0x7FFFFF)", "+ 0)"),
    "weights that are not trained": NOT_TRAINED,
}
KERNEL_DEFECTS = {
    "a policy the wrong way round": ("> limit)", "< limit)"),
    "a lower plane of twice its weight": ("low.to(tl.float32) / 256", "low.to(tl.float32) / 128"),
    "a vector that is read past its end": (
        "mask=column < width, other=0.0)\n    x = x /", "mask=column < width, other=1.0)\n    x = x /",
    ),
    "a lower plane that is never read": ("inside & (both == 1)", "inside & (both == 3)"),
}  # fmt: skip


def pair_of(name: str) -> LoadedPair:
    return LoadedPair(f"{CHAPTER}/{name}")


@pytest.mark.parametrize("name", ON_A_CPU)
def test_every_side_agrees_with_the_reference(name):
    pair = pair_of(name)
    for seed in range(3):
        arguments = drawn(pair, seed)
        for side in pair.sides:
            assert share(pair, side, arguments) < 0.9, (side, seed)


@pytest.mark.parametrize("name", ["kv_prefetch", "quantised_kv", "static_scales"])
def test_a_wrong_answer_is_outside_the_tolerance(name):
    pair = pair_of(name)
    expected = pair.module.reference(*drawn(pair, 4))
    for what, wrong in wrong_answers(expected, [], torch.float32).items():
        if what != "one element missing":  # one small element may be within the error of eight bits
            assert pair.of_tolerance([wrong], [expected]) > 1, what


@pytest.mark.parametrize("what", DEFECTS)
def test_a_planted_defect_is_caught(what, tmp_path):
    name, old, new = DEFECTS[what]
    wrong = planted(f"{CHAPTER}/{name}", old, new, tmp_path)
    assert share(wrong, "optimized", drawn(wrong, 2)) > 1


def test_a_prefetched_buffer_is_never_one_that_is_still_read():
    """Two buffers take turns: at every number of layers each layer has its own pages."""
    pair = pair_of("kv_prefetch")
    for layers in (1, 2, 3, 6):
        assert share(pair, "optimized", drawn(pair, layers, layers=layers)) < 0.6


# The accuracy gate of the quantised cache: a model that is trained here.

TEXT = (CHAPTERS.parent / "LICENSE").read_text()  # the losses depend on it, and it does not change
LETTERS = sorted(set(TEXT))
CODES = torch.tensor([LETTERS.index(letter) for letter in TEXT])
CONTEXT, WIDTH, HEADS = 32, 32, 2
ALLOWED = 0.01  # what the loss may rise by


def sequences(count: int, seed: int) -> torch.Tensor:
    torch.manual_seed(seed)
    starts = torch.randint(len(CODES) - CONTEXT - 1, (count, 1))
    return CODES[starts + torch.arange(CONTEXT + 1)]


def new_model() -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    shapes = dict(letter=(len(LETTERS), WIDTH), place=(CONTEXT, WIDTH), head=(WIDTH, len(LETTERS)))
    shapes |= dict.fromkeys(("query", "key", "value", "out"), (WIDTH, WIDTH))
    return {name: (torch.randn(shape) * 0.2).requires_grad_() for name, shape in shapes.items()}


def loss_of(model: dict, rows: torch.Tensor, through_cache) -> torch.Tensor:
    """Next-letter loss of a layer of attention; keys and values pass through the cache that is tried."""
    x = model["letter"][rows[:, :-1]] + model["place"]

    def heads(name):
        return (x @ model[name]).unflatten(-1, (HEADS, -1)).transpose(1, 2)

    q, k, v = heads("query"), through_cache(heads("key")), through_cache(heads("value"))
    mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    logits = (x + mixed.transpose(1, 2).flatten(2) @ model["out"]) @ model["head"]
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())


@pytest.fixture(scope="module")
def trained() -> dict[str, torch.Tensor]:
    model = new_model()
    untrained = loss_of(model, sequences(64, 1), lambda wide: wide).item()
    optimizer = torch.optim.Adam(model.values(), lr=0.02)
    for step in range(150):
        optimizer.zero_grad()
        loss_of(model, sequences(16, step), lambda wide: wide).backward()
        optimizer.step()
    final = loss_of(model, sequences(64, 999), lambda wide: wide).item()
    assert final < 0.75 * untrained, "the model has learned, so that there is accuracy to lose"
    return {name: value.detach() for name, value in model.items()}


def rise(trained: dict, pair: LoadedPair) -> float:
    rows, module = sequences(64, 999), pair.module
    plain = loss_of(trained, rows, lambda wide: wide)
    narrow = loss_of(trained, rows, lambda wide: module.restored(module.quantised(wide)))
    return (narrow / plain - 1).item()


def test_the_quantised_cache_passes_the_accuracy_gate_of_a_trained_model(trained):
    assert abs(rise(trained, pair_of("quantised_kv"))) < ALLOWED


@pytest.mark.parametrize(
    ("old", "new"),
    [("numbers * step", "numbers * step * step"), ("/ 127\n", "/ 1\n"), (".round_()", ".div_(64).round_().mul_(64)")],
    ids=["a scale applied twice", "one bit", "two bits"],
)
def test_a_cache_that_loses_accuracy_does_not_pass_it(trained, old, new, tmp_path):
    assert rise(trained, planted(f"{CHAPTER}/quantised_kv", old, new, tmp_path)) > ALLOWED


def test_the_model_of_memory_counts_the_scales():
    module = pair_of("quantised_kv").module
    assert 1.7 < module.cost(**module.workload)["predicted_optimized"] < 2
    assert 2.8 < module.cost(**module.workload_cpu)["predicted_optimized"] < 4


# Training in eight bits.


def curves(pair: LoadedPair, side: str) -> list[list[float]]:
    found = []
    for seed in (1, 2, 3):
        torch.manual_seed(seed)
        found.append(pair.module.loss_curve(side, steps=30))
    return found


def different_conversions(pair: LoadedPair) -> Iterator[tuple[int, int, float]]:
    """Sizes and factors at which the kernels give other numbers, scales or a transpose than torch."""
    for rows, cols, kind in ((96, 144, torch.bfloat16), (300, 130, torch.float32), (16, 1, torch.float32)):
        for factor in (1.0, 2.0**-90, 2.0**60, 0.0):
            x = (torch.randn(rows, cols) * factor).to(kind)
            x[-1, -1] = 448 * factor  # a scale that is exact
            (numbers, turned, scale), expected = pair.module.both_layouts(x), pair.module.quantised(x.bfloat16())
            same = torch.equal(numbers.float(), expected[0].float()) and scale == expected[1]
            if not same or not torch.equal(turned.float(), numbers.float().T):
                yield rows, cols, factor


def convert_with_torch(pair: LoadedPair) -> None:
    """From here on the pair converts without its kernels: in the interpreter a curve takes 20 times as long."""
    module = pair.module

    def both_layouts(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        numbers, scale = module.quantised(x.bfloat16())
        return numbers, numbers.t().contiguous(), scale

    module.both_layouts = both_layouts


def quick_scaled_mm(a, b, scale_a, scale_b, *, out_dtype):
    """What torch._scaled_mm gives: on a CPU torch takes a hundred times as long for it."""
    assert a.dtype == b.dtype == torch.float8_e4m3fn and scale_a.dtype == scale_b.dtype == torch.float32
    assert a.is_contiguous() and b.t().is_contiguous(), "rows that lie one after the other"
    assert all(size % 16 == 0 for size in (a.shape[1], *b.shape)), "as the hardware wants it"
    return (a.float() @ b.float() * (scale_a * scale_b)).to(out_dtype)


def multiply_quickly() -> bool:
    """From here on products in eight bits are quick. Are they those of torch? Sums of integers are exact in both."""
    same = []
    for rows, depth, cols in ((48, 80, 32), (19, 144, 208), (1, 16, 16)):
        a, b = (torch.randint(-16, 17, (size, depth)).to(torch.float8_e4m3fn) for size in (rows, cols))
        given = a, b.t(), torch.tensor(0.25), torch.tensor(8.0)
        theirs = torch._scaled_mm(*given, out_dtype=torch.bfloat16)
        same.append(torch.equal(quick_scaled_mm(*given, out_dtype=torch.bfloat16), theirs))
    torch._scaled_mm = quick_scaled_mm
    return all(same)


def interpret_training(folder: Path) -> dict:
    """Run in the child: shares of the tolerance, which defects show, and loss curves.

    The curves are those of torch's conversion. That the kernels give the same bits is asserted by itself.
    """
    round_to_e4m3_as_torch_does()
    name = f"{CHAPTER}/fp8_linear_training"
    right, found = LoadedPair(name), []
    few = drawn(right, 3, batch=64, width=48, hidden=80)
    with_torch = {side: share(right, side, few) for side in right.sides}
    same_products = multiply_quickly()
    for what, (old, new) in TRAINING_DEFECTS.items():
        pair = planted(name, old, new, folder)
        if any(different_conversions(pair)) or not share(pair, "optimized", drawn(pair, 2)) <= 1:  # it may be NaN
            found.append(what)
    honest = {side: share(right, side, drawn(right, 3)) for side in right.sides}
    different = list(different_conversions(right))
    convert_with_torch(right)
    untrained = planted(name, *NOT_TRAINED, folder)
    losses = dict(bf16=curves(right, "baseline"), fp8=curves(right, "optimized"), worse=curves(untrained, "baseline"))
    return dict(
        honest=honest, with_torch=with_torch, same_products=same_products, different=different, found=found,
        losses=losses,
    )  # fmt: skip


def test_training_in_eight_bits_is_right_on_every_side(interpreted):
    found = interpreted["training"]
    assert found["different"] == [] and found["same_products"]
    for shares in (found["honest"], found["with_torch"]):
        assert {side: share for side, share in shares.items() if not share < 0.9} == {}


@pytest.mark.parametrize("what", TRAINING_DEFECTS)
def test_a_planted_defect_of_the_training_is_caught(interpreted, what):
    assert what in interpreted["training"]["found"]


def test_the_loss_curves_in_eight_bits_lie_inside_the_band_of_bfloat16_runs(interpreted):
    losses = interpreted["training"]["losses"]
    assert gate.judged(losses["bf16"], losses["fp8"]).result == "pass"
    assert gate.judged(losses["bf16"], losses["worse"]).result == "fail"


@pytest.mark.parametrize("capability", [90, 100])
@pytest.mark.parametrize("kind", ["*bf16", "*fp32"])
def test_the_conversion_compiles_for_hopper_and_blackwell(kind, capability):
    pytest.importorskip("triton", reason="the kernels are written in Triton")
    from tests.chapters.compiled_triton import SHARED_LIMIT, build

    module = pair_of("fp8_linear_training").module
    types = {"x_ptr": kind, "largest_ptr": "*fp32", "scale_ptr": "*fp32", "count": "i32", "rows": "i32", "cols": "i32"}
    types |= dict.fromkeys(("numbers_ptr", "turned_ptr"), "*fp8e4nv")
    build(module.find_largest, types, dict(BLOCK=module.BLOCK), capability, num_warps=8)
    tiles = build(module.convert, types, dict(LIMIT=module.LIMIT, TILE=module.TILE), capability, num_warps=8)
    assert tiles.shared < SHARED_LIMIT // 4, "four blocks per multiprocessor"


def test_a_power_of_two_as_scale_rounds_nothing():
    module = pair_of("fp8_linear_training").module
    exact = torch.tensor([[1.0, -0.5, 0.25, 1.75]])
    for factor in (1.0, 1024.0, 2.0**-20):
        numbers, scale = module.quantised(exact * factor)
        assert torch.equal(numbers.float() * scale, exact * factor)
        assert numbers.float().abs().max() <= 448
    zeros, scale = module.quantised(torch.zeros(2, 2))
    assert not zeros.float().any() and scale.isfinite()


# The device's own policy.


def interpret() -> dict:
    """Run in the child: shares of the tolerance, and which layers read both planes."""
    torch.set_num_threads(1)
    name = f"{CHAPTER}/dynamic_precision"
    right, honest, wrong = LoadedPair(name), {}, {}
    for seed, sizes in enumerate([{}, dict(width=8), dict(width=1, layers=2), dict(width=65, limit=2.0)]):
        arguments = drawn(right, seed, **({"layers": 3} | sizes))
        honest[str(sizes)] = [share(right, side, arguments) for side in right.sides]
    with tempfile.TemporaryDirectory() as folder:
        for what, (old, new) in KERNEL_DEFECTS.items():
            pair = planted(name, old, new, Path(folder))
            shares = (share(pair, "optimized", drawn(pair, seed, layers=3, width=45)) for seed in range(3))
            wrong[what] = next((one for one in shares if one > 1), 0.0)
        training = interpret_training(Path(folder))
    return dict(honest=honest, planted=wrong, training=training)


@pytest.fixture(scope="module")
def interpreted(one_warm_python) -> dict:
    pytest.importorskip("triton", reason="the kernels are written in Triton")
    return interpreted_by(one_warm_python, __name__)


def test_layers_whose_precision_the_device_decides_are_right_at_ragged_widths(interpreted):
    assert {case: found for case, found in interpreted["honest"].items() if not max(found) < 0.6} == {}


@pytest.mark.parametrize("what", KERNEL_DEFECTS)
def test_a_planted_defect_of_the_kernels_is_caught(interpreted, what):
    assert interpreted["planted"][what] > 1


def test_both_precisions_are_used_at_the_smoke_sizes():
    module = pair_of("dynamic_precision").module
    torch.manual_seed(0)
    vectors = torch.randn(200, module.smoke["width"])
    outliers = (vectors / vectors.square().mean(-1, keepdim=True).sqrt()).abs().amax(-1) > module.smoke["limit"]
    assert 0.2 < outliers.float().mean() < 0.8


@pytest.mark.parametrize("capability", [90, 100])
@pytest.mark.parametrize("choice", [0, 2])
def test_the_kernels_compile_for_hopper_and_blackwell(choice, capability):
    pytest.importorskip("triton", reason="the kernels are written in Triton")
    from tests.chapters.compiled_triton import build

    module = pair_of("dynamic_precision").module
    types = dict.fromkeys(("x_ptr", "scale_ptr", "out_ptr"), "*fp32")
    types |= {"upper_ptr": "*i8", "lower_ptr": "*i8", "choice_ptr": "*i32", "width": "i32", "limit": "fp32"}
    build(module.multiply, types, dict(CHOICE=choice, ROWS=module.ROWS, COLUMNS=module.COLUMNS), capability)
    build(module.normalise, types, dict(BLOCK=4096), capability, num_warps=8)


# Plans.


def test_both_plans_and_the_planner_are_right_on_two_ranks(launches: Launches):
    path = CHAPTERS / CHAPTER / "adaptive_parallelism.py"
    pair, options = read_pair(path, path.stem, "tests"), RunOptions(timeout=SECONDS, fast=True)
    job = make_job(pair, {}, options, read_facts("cpu"), "5eed", time.monotonic() + SECONDS)
    result = run_target(job, launches, lambda *_, **__: None, timed=False)[0]
    assert result.status == "skipped", result.reason  # verified only
    assert {check.result for check in result.checks} == {"pass"}


def test_the_planner_takes_the_plan_that_was_measured_faster_at_the_next_size(monkeypatch):
    module = pair_of("adaptive_parallelism").module
    steps = {module.own_rows: lambda rows: 10 + rows, module.own_weights: lambda rows: 6 + 2 * rows}
    monkeypatch.setattr(module, "seconds", lambda plan, shards, x, up, down: steps[plan](len(x)))
    chosen = module.measure_plans([torch.ones(2, 3), torch.ones(48, 3)], None, torch.ones(4, 3), torch.ones(3, 4))
    assert sorted(chosen) == [1, 4, 16, 48]
    taken = [module.plan_for(chosen, rows) for rows in (1, 3, 4, 5, 48, 99)]
    thin, thick = module.own_weights, module.own_rows
    assert taken == [thin, chosen[4], chosen[4], thick, thick, thick]


# Four bits.


@pytest.mark.skipif(not shutil.which("g++"), reason="needs a C++ compiler")
def test_scales_lie_in_the_tiles_that_the_product_reads(tmp_path):
    """The function of the .cu itself, compiled for the CPU, against the documented order of 128 x 4 tiles."""
    text = (CHAPTERS / CHAPTER / "nvfp4_gemm.cu").read_text()
    body = text[text.index("long long place_of_scale") :]
    (tmp_path / "place.cpp").write_text('extern "C" ' + body[: body.index("\n}\n") + 3])
    subprocess.run(["g++", "-shared", "-fPIC", "place.cpp", "-o", "place.so"], cwd=tmp_path, check=True, timeout=60)
    place = ctypes.CDLL(str(tmp_path / "place.so")).place_of_scale
    place.argtypes, place.restype = [ctypes.c_longlong] * 3, ctypes.c_longlong
    rows, blocks = 256, 8
    tiles = torch.arange(rows * blocks).view(rows // 128, 4, 32, blocks // 4, 4)  # tile, r / 32, r mod 32, tile, c
    order = tiles.permute(0, 3, 2, 1, 4).flatten()
    for row in range(0, rows, 7):
        for block in range(blocks):
            assert order[place(row, block, blocks)] == row * blocks + block


def test_what_needs_a_gpu_says_which():
    needs = {
        name: pair_of(name).module.needs for name in ("fp8_linear_training", "double_buffered_weights", "nvfp4_gemm")
    }
    assert needs == {
        "fp8_linear_training": {"cuda": 8.9},
        "double_buffered_weights": {"cuda": 7.0},
        "nvfp4_gemm": {"sm": "100a"},
    }


@pytest.mark.skipif(not torch.cuda.is_available(), reason="streams need a CUDA GPU")
@pytest.mark.parametrize("name", ["double_buffered_weights", "kv_prefetch"])
def test_buffers_that_take_turns_are_right_on_a_gpu_call_after_call(name):
    pair = pair_of(name)
    with torch.device("cuda"):
        arguments = drawn(pair, 1)
        state = pair.module.prepare_optimized(*arguments)
        for seed in range(5):
            others = tuple(
                o if n in pair.constant else f for n, o, f in zip(pair.names, arguments, drawn(pair, seed), strict=True)
            )
            result = pair.module.optimized(state, *others)
            assert pair.of_tolerance([result], [pair.module.reference(*others)]) < 0.6


if __name__ == "__main__":
    print(json.dumps(interpret()))
