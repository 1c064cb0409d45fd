"""Chapter 12, graphs: every step of a chain counts, a graph needs a GPU, and a queue keeps the order of results."""

import numpy
import pytest
import torch

from tests.chapters.loaded_pair import LoadedPair
from tests.chapters.planted_defect import planted

PAIR = LoadedPair("ch12_graphs/graph_replay")
with_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def share(side: str, x: torch.Tensor, steps: int) -> float:
    prepare = getattr(PAIR.module, f"prepare_{side}", None)
    state = (prepare(torch.randn_like(x), steps),) if prepare else ()
    output = getattr(PAIR.module, side)(*state, x, steps)
    return PAIR.of_tolerance([output], [PAIR.module.reference(x, steps)])


@pytest.mark.parametrize("steps", [1, 3, 200])
def test_the_chain_is_right_at_ragged_sizes(steps):
    assert share("baseline", torch.randn(77), steps) < 1


@pytest.mark.parametrize("steps", [1, 2, 50, 200])
def test_a_chain_that_is_one_step_shorter_is_found(steps):
    x = torch.randn(77)
    short = PAIR.module.baseline(x, steps - 1)
    assert PAIR.of_tolerance([short], [PAIR.module.reference(x, steps)]) > 1


def test_the_model_is_the_ratio_of_a_launch_and_a_step_inside_a_graph():
    cost = PAIR.module.cost
    assert cost(count=4096, steps=200)["predicted_optimized"] == pytest.approx(4.76, abs=0.01)
    assert cost(count=4096, steps=1)["predicted_optimized"] < 1, "a graph of one kernel only adds a copy"


@with_gpu
def test_the_graph_follows_its_argument():
    for x in (torch.randn(77, device="cuda"), torch.randn(77, device="cuda")):
        assert share("optimized", x, 5) < 1


@pytest.mark.parametrize("pieces", [1, 2, 5])
def test_pieces_from_a_queue_come_back_in_their_order(pieces):
    module = LoadedPair("ch12_graphs/shared_queue").module
    recordings = module.inputs(pieces, step=7)
    for side in ("baseline", "optimized"):
        workers = getattr(module, f"prepare_{side}")(recordings)
        assert numpy.array_equal(getattr(module, side)(workers, recordings), module.reference(recordings)), side


def test_results_in_the_order_of_the_queue_are_caught(tmp_path):
    wrong = planted("ch12_graphs/shared_queue", "recordings[::-1]))[::-1]", "recordings[::-1]))", tmp_path).module
    recordings = wrong.inputs(5, step=7)
    found = wrong.optimized(wrong.prepare_optimized(recordings), recordings)
    assert not numpy.array_equal(found, wrong.reference(recordings))
