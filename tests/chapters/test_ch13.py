"""Chapter 13, PyTorch: sides are right on ragged sizes, and what leaves something out is found.

Pairs that need a GPU run here on a CPU, with a replay that runs the captured function instead of a CUDA graph.
"""

import time
from types import ModuleType

import pytest
import torch

from perfproof.bench.launches import Launches
from perfproof.bench.run import make_job
from perfproof.bench.target import run_target
from perfproof.core.documents import TargetResult
from perfproof.core.facts import Facts
from perfproof.core.options import RunOptions
from perfproof.core.trees import clone, map_leaves
from perfproof.machine.facts import read_facts
from perfproof.pairs.availability import availability
from perfproof.pairs.contract import read_pair
from perfproof.worker.verify.compare import difference
from tests.chapters.loaded_pair import CHAPTERS

FOLDER = CHAPTERS / "ch13_pytorch"
ON_RANKS = "tensor_parallel_step"
NEEDS_GPU = {"allocator_reuse": 7.0, "fp8_linear": 9.0, "graphed_train_step": 7.0}
PAIRS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != ON_RANKS)
CAPTURE = ("    beside = torch.cuda.Stream()", "    return step\n    beside = torch.cuda.Stream()")
DEFECTS = [  # a part of a pair's source, and what is wrong in its place
    ("allocator_reuse", "(x + 1)", "x"),
    ("autocast_bf16", "torch.tanh(x @ weights[0])", "torch.relu(x @ weights[0])"),
    ("channels_last", "x.contiguous(memory_format=torch.channels_last)", "x.transpose(2, 3)"),
    ("checkpointing", "torch.tanh(x @ up) @ down", "torch.tanh(x.detach() @ up) @ down"),  # a slope is lost
    ("dataloader_workers", "num_workers=workers)", "num_workers=workers, shuffle=workers > 0)"),
    ("dataloader_workers", "num_workers=workers)", "num_workers=workers, drop_last=workers > 0)"),
    ("foreach_ops", "torch._foreach_lerp_(average, weights,", "torch._foreach_lerp_(average[:-1], weights[:-1],"),
    ("fp8_linear", "_scaled_mm(left, small.T, left_scale,", "_scaled_mm(left, small.T, torch.ones_like(left_scale),"),
    ("fused_optimizer", "for gradient in gradients:", "for gradient in gradients[:2]:"),
    ("fused_optimizer", "    torch._foreach_zero_(moments)\n", ""),  # those of the call before
    ("fused_optimizer", "    torch._foreach_zero_(counts)\n", ""),
    ("fused_optimizer", "    torch._foreach_copy_(parameters, start)\n", ""),
    ("graphed_train_step", "        own_features.copy_(features)\n", ""),  # the graph sees an old batch
    ("graphed_train_step", "        own_target.copy_(target)\n", ""),
    ("graphed_train_step", "    torch._foreach_copy_(own_weights, start)\n", ""),  # and old weights
    ("sdpa_backend", "is_causal=True)", "is_causal=False)"),
]


def load(name: str, *changes: tuple[str, str]) -> ModuleType:
    """A pair as a module, with changes of its source."""
    source = (FOLDER / f"{name}.py").read_text()
    for old, new in [CAPTURE, *changes] if name == "graphed_train_step" else changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    module = ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), vars(module))
    return module


def problem(pair: ModuleType, side: str, seed: int) -> str:
    """What is wrong with the answer of a side to values it has not seen; its second answer, where graphs go stale."""
    prepare = getattr(pair, f"prepare_{side}", None)
    torch.manual_seed(seed)
    first, second = pair.inputs(**pair.smoke), pair.inputs(**pair.smoke)
    names = pair.reference.__code__.co_varnames
    constant, mutates = getattr(pair, "constant", ()), getattr(pair, "mutates", ())
    second = [one if name in constant else two for name, one, two in zip(names, first, second, strict=False)]
    state = (prepare(*clone(first)),) if prepare else ()
    answers = []
    for function, before in ((pair.reference, ()), (getattr(pair, side), state)):
        if function is not pair.reference:
            function(*before, *clone(first))
        own = clone(second)
        result = function(*before, *own)
        answers.append([result, *(value for name, value in zip(names, own, strict=False) if name in mutates)])
    return difference(answers[1], answers[0], pair.tolerance).problem


@pytest.mark.parametrize("name", PAIRS)
def test_both_sides_are_right_on_ragged_sizes(name):
    pair = load(name)
    for side in ("baseline", "optimized"):
        for seed in range(2):
            assert not problem(pair, side, seed), (side, seed)


@pytest.mark.parametrize(("name", "right", "wrong"), DEFECTS)
def test_a_defect_is_found(name, right, wrong):
    assert problem(load(name, (right, wrong)), "optimized", seed=0)


@pytest.mark.parametrize("name", PAIRS)
def test_an_answer_of_zeros_is_outside_the_tolerance(name):
    pair = load(name)
    torch.manual_seed(0)
    arguments = pair.inputs(**pair.smoke)
    right = pair.reference(*clone(arguments)) if not hasattr(pair, "mutates") else arguments[0]
    zeros = map_leaves(right, lambda leaf: torch.zeros_like(leaf))
    assert difference(zeros, right, pair.tolerance).problem


@pytest.mark.parametrize("name", NEEDS_GPU)
def test_a_pair_that_needs_a_gpu_says_so_and_runs_on_one(name):
    pair = read_pair(FOLDER / f"{name}.py", f"ch13:{name}", "ch13")
    without = availability(pair, read_facts("cpu"))
    assert not without.timed and f"{NEEDS_GPU[name]}" in without.reason
    on_hopper = Facts(device="cuda", cuda=9.0, gpus=1, numa=1, has_package=lambda _: True)
    assert availability(pair, on_hopper).timed


def test_a_call_of_the_optimizer_makes_no_tensor_per_parameter():
    """The state outlives a call: what is timed is the step, not a hundred small allocations."""
    pair, made = load("fused_optimizer"), {}
    for tensors in (4, 12):
        torch.manual_seed(0)
        arguments = pair.inputs(steps=2, tensors=tensors, elements=8)
        training = pair.prepare_optimized(*arguments)
        with torch.profiler.profile() as profile:
            pair.optimized(training, *arguments)
        names = [event.name for event in profile.events()]
        made[tensors] = sum(names.count(name) for name in ("aten::clone", "aten::zeros", "aten::zeros_like"))
    assert made[4] == made[12] == 0


def test_a_checkpoint_keeps_less_for_the_backward_pass():
    """Bytes that autograd keeps, arguments and weights aside."""
    pair, kept = load("checkpointing"), {}
    torch.manual_seed(0)
    x, weights = pair.inputs(blocks=4, rows=256, width=8)
    for side in ("baseline", "optimized"):
        seen: dict[int, int] = {}

        def keep(tensor: torch.Tensor, seen: dict[int, int] = seen) -> torch.Tensor:
            seen[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            for up, down in weights:
                run = pair.kept if side == "baseline" else pair.recomputed
                x = run(pair.block, x.requires_grad_(), up, down)
        kept[side] = sum(seen.values())
        x = x.detach()
    assert kept["optimized"] < kept["baseline"] / 2


def test_fp8_loses_what_it_declares_and_no_more():
    pair = load("fp8_linear")
    torch.manual_seed(1)
    x, weight = pair.inputs(**pair.smoke)
    right, small = pair.reference(x, weight), pair.optimized(pair.prepare_optimized(x, weight), x, weight)
    error = float((small.double() - right).norm() / right.norm())
    assert 0.01 < error < 2 * 2**-4 and pair.lowers_precision == "fp8"


def test_a_row_with_large_values_does_not_take_the_digits_of_the_others():
    pair = load("fp8_linear")
    torch.manual_seed(2)
    x, weight = pair.inputs(**pair.smoke)
    x[0] *= 1e4
    right, small = pair.reference(x, weight), pair.optimized(pair.prepare_optimized(x, weight), x, weight)
    assert not difference(small[1:], right[1:], pair.tolerance).problem


@pytest.fixture
def verified(launches: Launches, tmp_path):
    """The pair on two ranks at smoke sizes, with changes of its source; no time is measured."""

    def verify(*changes: tuple[str, str]) -> TargetResult:
        source = (FOLDER / f"{ON_RANKS}.py").read_text()
        for old, new in changes:
            assert source.count(old) == 1
            source = source.replace(old, new)
        path = tmp_path / "pair.py"
        path.write_text(source)
        options = RunOptions(timeout=60.0, fast=True)
        job = make_job(read_pair(path, "pair", "tests"), {}, options, read_facts("cpu"), "5eed", time.monotonic() + 60)
        return run_target(job, launches, lambda *_, **__: None, timed=False)[0]

    return verify


def test_a_step_split_over_two_ranks_does_not_drift_from_one(verified):
    result = verified()
    assert result.status == "skipped", result.reason  # verified only
    assert {check.result for check in result.checks} == {"pass"}
    assert all(side.error.of_tolerance < 0.1 for side in result.variants.values())


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("        dist.all_reduce(output)  # a sum of the parts\n", ""),
        ("dist.all_reduce(output)", "[dist.all_reduce(output) for _ in range(2)]"),
        (
            "own_rows(up.T).T, own_rows(down)",
            "own_rows(up.T.flip(0)).T, own_rows(down)",
        ),  # the parts do not belong together
    ],
)
def test_a_sum_that_is_missing_or_done_twice_is_drift(verified, right, wrong):
    result = verified((right, wrong))
    assert result.status == "failed-verification" and "optimized" in result.reason


def test_the_costs_are_those_of_a_count_by_hand():
    costs = {name: load(name).cost(**load(name).workload) for name in PAIRS}
    fused = costs["fused_optimizer"]
    assert fused["baseline_bytes"] / fused["optimized_bytes"] == pytest.approx((16 + 160) / (16 + 56))
    assert costs["sdpa_backend"]["baseline_flops"] == 2 * costs["sdpa_backend"]["optimized_flops"]
    assert costs["foreach_ops"]["baseline_launches"] == 64 * costs["foreach_ops"]["optimized_launches"]
    assert costs["checkpointing"]["predicted_optimized"] == pytest.approx((60 + 13 + 1.5) / (12 + 13 + 1.5), rel=0.05)
    assert load("dataloader_workers").cost(images=8, side=8, batch=8, workers=2)["predicted_optimized"] < 1
