"""The lab of the asynchronous input pipeline: every setting of the switches computes the same losses."""

import itertools

import pytest
import torch

from perfproof.bench.forms.grid import plan_sweep
from perfproof.pairs.contract import read_pair
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair

PATH = CHAPTERS.parent / "labs" / "async_input_pipeline" / "input_pipeline.py"
NAME = "labs/async_input_pipeline:input_pipeline"


def losses(module, arguments, side):
    prepared = getattr(module, f"prepare_{side}")(*arguments)
    return getattr(module, side)(prepared, *arguments)


@pytest.fixture
def pair():
    return LoadedPair("../labs/async_input_pipeline/input_pipeline")


@pytest.mark.parametrize("workers", [0, 1, 2, 4])
def test_any_number_of_workers_gives_the_losses_of_the_reference(pair, workers):
    arguments = pair.draw(pair.module.smoke | {"workers": workers, "batches": 9}, seed=workers)
    expected = pair.module.reference(*arguments)
    for side in ("baseline", "optimized"):
        assert pair.of_tolerance([losses(pair.module, arguments, side)], [expected]) < 0.5


def test_each_loss_depends_on_its_own_batch_and_on_no_other(pair):
    arguments = pair.draw(pair.module.smoke, seed=3)
    before = losses(pair.module, arguments, "optimized")
    for index in range(len(before)):
        changed = [arguments[0].clone(), *arguments[1:]]
        changed[0][index] *= 2
        moved = losses(pair.module, changed, "optimized") != before
        assert moved.nonzero().flatten().tolist() == [index]


def test_without_a_gpu_the_sweep_keeps_the_workers_and_reduces_the_rest():
    sweep = plan_sweep(read_pair(PATH, NAME, "labs/async_input_pipeline"), [], on_gpu=False)
    assert set(sweep.reduced) == {"pin_memory", "non_blocking", "copy_stream"}
    assert [point["workers"] for point in sweep.points] == [0, 1, 2, 4]


def test_on_a_gpu_every_combination_is_a_point():
    assert len(plan_sweep(read_pair(PATH, NAME, "labs/async_input_pipeline"), [], on_gpu=True).points) == 32


def test_the_model_predicts_nothing_where_everything_is_off_and_most_where_everything_is_on(pair):
    switches = itertools.product(("no", "yes"), ("no", "yes"), (0, 2), ("no", "yes"))
    predicted = {one: pair.module.cost(1, 1, 1, *one)["predicted_optimized"] for one in switches}
    off, on = predicted["no", "no", 0, "no"], predicted["yes", "yes", 2, "yes"]
    assert off == 1.0 == min(predicted.values())
    assert on == pytest.approx(3.0) == max(predicted.values())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="page-locked memory and streams need a CUDA GPU")
def test_every_combination_is_right_on_a_gpu(pair):
    for pin, free, workers, stream in itertools.product(("no", "yes"), ("no", "yes"), (0, 2), ("no", "yes")):
        sizes = pair.module.smoke | dict(pin_memory=pin, non_blocking=free, workers=workers, copy_stream=stream)
        arguments = pair.draw(sizes, seed=1, device="cuda")
        expected = pair.module.reference(*arguments)
        assert pair.of_tolerance([losses(pair.module, arguments, "optimized")], [expected]) < 0.5
