"""The gate on loss curves: what trains as well passes, what trains worse does not, and a weak band judges nothing."""

import importlib.util
import math
from pathlib import Path

import pytest

from tests.chapters.loaded_pair import CHAPTERS

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "loss_curves.py"
STEPS, SEEDS = 100, (1, 2, 3)
TRAINED_STEPS = 50  # of a real model: the loss has fallen to a tenth by then


def _gate():
    spec = importlib.util.spec_from_file_location("loss_curves", BENCHMARK)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gate = _gate()


def falling(seed: int, rate: float = 0.03, floor: float = 0.1) -> list[float]:
    return [floor + (1 + 0.02 * seed) * math.exp(-rate * step) for step in range(STEPS)]


BASELINE = [falling(seed) for seed in SEEDS]


def test_the_same_curves_and_those_of_a_rounding_pass():
    assert gate.judged(BASELINE, BASELINE).result == "pass"
    near = [[loss * 1.001 for loss in curve] for curve in BASELINE]
    verdict = gate.judged(BASELINE, near)
    assert verdict.result == "pass" and verdict.difference == pytest.approx(0.001, rel=0.01)


@pytest.mark.parametrize(
    "wrong",
    [
        [falling(seed, rate=0.02) for seed in SEEDS],
        [falling(seed, floor=0.2) for seed in SEEDS],  # it stops learning early
        [[1.0] * STEPS for _ in SEEDS],
        [[*falling(seed)[:-1], math.nan] for seed in SEEDS],
        [BASELINE[0], BASELINE[1], falling(3, rate=0.02)],  # one seed of three
    ],
)
def test_a_curve_outside_of_the_band_fails(wrong):
    verdict = gate.judged(BASELINE, wrong)
    assert verdict.result == "fail" and "seed 3" in verdict.detail


@pytest.mark.parametrize(
    ("baseline", "word"),
    [
        ([[1.0 + 0.01 * seed] * STEPS for seed in SEEDS], "learn"),
        (
            [falling(seed, rate=0.01 * 3 ** (seed - 1)) for seed in SEEDS],
            "wide",
        ),  # seeds differ more than a slow curve does
        (BASELINE[:2], "seeds"),
        ([[math.inf] * STEPS for _ in SEEDS], "finite"),
    ],
)
def test_a_baseline_that_proves_nothing_is_not_run(baseline, word):
    verdict = gate.judged(baseline, baseline)
    assert verdict.result == "not-run" and word in verdict.detail


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        # An optimizer that forgets to step in every other call, and gradients that lose half of the batch.
        (
            "fused_optimizer",
            "        optimizer.step()\n    return losses",
            "        _ % 2 or optimizer.step()\n    return losses",
        ),
        ("autocast_bf16", "return loss.detach().double(), *", "return loss.detach().double(), *(g / 2 for g in ["),
    ],
)
def test_a_training_pair_passes_with_three_seeds_and_a_side_that_trains_worse_is_found(tmp_path, name, right, wrong):
    path, worse = CHAPTERS / "ch13_pytorch" / f"{name}.py", tmp_path / f"{name}.py"
    source = path.read_text()
    assert source.count(right) == 1
    changed = source.replace(right, wrong)
    if name == "autocast_bf16":
        changed = changed.replace("torch.autograd.grad(loss, leaves)", "*torch.autograd.grad(loss, leaves)])")
    worse.write_text(changed)
    baseline, optimized, wrong_side = (
        [gate.train(file, side, seed, TRAINED_STEPS, "cpu") for seed in SEEDS]
        for file, side in ((path, "baseline"), (path, "optimized"), (worse, "optimized"))
    )
    assert gate.judged(baseline, optimized).result == "pass"
    assert gate.judged(optimized, wrong_side).result == "fail"


def test_a_row_that_was_not_run_here_keeps_what_another_machine_found():
    page = f"above\n{gate.BEGIN}\n| `a` | 5 | pass |\n| `b` | 5 | pass |\n{gate.END}\nbelow\n"
    rows = {"a": "| `a` | – | not run: needs a GPU |", "b": "| `b` | 5 | fail |"}
    text = gate.placed(page, rows)
    assert "| `a` | 5 | pass |" in text and "| `b` | 5 | fail |" in text
    assert text.startswith("above\n") and text.endswith("\nbelow\n")
    assert gate.placed(text, rows) == text


def test_a_pair_for_a_gpu_is_not_run_on_a_cpu():
    verdict = gate.judged_pair(CHAPTERS / "ch13_pytorch" / "graphed_train_step.py", "cpu")
    assert (verdict.result, verdict.detail) == ("not-run", "needs a GPU")
