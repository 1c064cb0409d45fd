"""Backward passes and inputs that grow each time are found; training on any lengths and a cache are healthy."""

import pytest

from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules import growing_work
from perfproof.profile.children.longer_tokens import LONGER
from perfproof.profile.children.running_text import GROWS
from tests.diagnose.building import Program
from tests.diagnose.test_sampled import stacks

BACKWARD = "autograd::engine::evaluate_function: MulBackward0"


def trained(counts, forward=0.5):
    """Forward operators and a backward pass of so many operators, again and again."""
    program, now = Program(step=1000, steps=2), 0.0
    for count in counts:
        for _ in range(max(1, round(forward * count))):
            program.add(Kind.OPERATOR, "aten::linear", now, now + 0.5)
            now += 0.5
        for place in range(count):
            program.add(Kind.OPERATOR, BACKWARD, now + place, now + 0.9 + place)
        now += count
    return growing_work.find(program.evidence())


def test_a_backward_pass_through_all_steps_before_is_found():
    found = trained(range(10, 110, 10))
    assert "backward" in found.title and found.confidence == "high" and found.share == pytest.approx(0.9)
    assert "detach" in found.advice
    assert trained([100, 120, 140]).confidence == "medium"


def test_passes_that_grow_until_the_next_document_begins_are_found():
    found = trained([*range(30, 130, 10), *range(10, 130, 10), 10, 20])
    assert found.confidence == "high" and "12 backward passes" in found.evidence[0].text


@pytest.mark.parametrize(
    "counts", [[50] * 10, [40, 44, 52, 53, 70, 71, 90], [10, 30, 20, 40, 30, 50], [60, 50, 40, 30]]
)
def test_passes_of_equal_or_of_any_lengths_are_no_finding(counts):
    assert trained(counts) is None


def test_backward_passes_through_one_graph_are_found():
    found = trained([50] * 20, forward=0.05)
    assert "one graph" in found.title and found.confidence == "high" and "20 backward passes" in found.evidence[0].text
    assert "sum" in found.advice


@pytest.mark.parametrize(
    ("counts", "forward"),
    [
        ([50] * 20, 0.4),  # gradients that are added up over small batches
        ([50, 20] * 10, 0.05),  # two losses of unlike graphs, in turn
        ([4] * 40, 0.05),  # so short that nothing is known of it
        ([50] * 5, 0.05),
    ],
)
def test_passes_after_a_forward_pass_each_and_a_few_passes_are_healthy(counts, forward):
    assert trained(counts, forward) is None


def test_one_long_operator_before_a_pass_of_many_is_a_forward_pass():
    """A recurrent layer is one operator forwards and hundreds backwards."""
    program = Program(step=1000, steps=2)
    for now in range(0, 1000, 60):
        program.add(Kind.OPERATOR, "aten::lstm", now, now + 15)
        for place in range(40):
            program.add(Kind.OPERATOR, BACKWARD, now + 16 + place, now + 16.9 + place)
    assert growing_work.find(program.evidence()) is None


def generated(lengths, weights=(512, 128)):
    program = Program(step=10 * len(lengths), steps=1)
    for place, length in enumerate(lengths):
        shapes = {"Input Dims": [[4, length, 128], list(weights)]}
        program.add(Kind.OPERATOR, "aten::linear", 10 * place, 10 * place + 8, args=shapes)
    return growing_work.find(program.evidence())


def test_a_prefix_that_is_computed_again_for_every_token_is_found():
    found = generated([length for length in range(16, 40) for _ in range(2)])
    assert "again" in found.title and found.confidence == "high" and found.share == pytest.approx(0.8)
    assert generated([*range(16, 40), *range(16, 40)]) is not None  # two answers, one after the other


@pytest.mark.parametrize("lengths", [[1] * 30, [17, 40, 22, 38, 19, 25, 31, 18, 27, 33, 21], [16, 17, 18]])
def test_one_token_at_a_time_or_batches_of_any_length_are_no_finding(lengths):
    assert generated(lengths) is None


def test_a_container_that_is_gone_through_as_it_grows_is_found_and_a_wait_beside_it_is_not():
    line = f"{GROWS}progress (a.py:2) sum(losses);main (a.py:9);progress (a.py:3)"
    found = growing_work.find(Evidence(stacks=stacks(f"{line};[python] 800", "main (a.py:9) 200")))
    assert found.confidence == "high" and "`sum(losses)`" in found.evidence[0].text
    assert found.evidence[0].place == "progress (a.py:2)"
    assert not hasattr(growing_work.find(Evidence(stacks=stacks(f"{line};[waits] 800", "main (a.py:9) 200"))), "share")


def test_tokens_that_a_thread_computes_again_are_found_without_its_operators():
    line = f"{LONGER}complete (a.py:5) ids;complete (a.py:5);forward (a.py:2)"
    found = growing_work.find(
        Evidence(stacks=stacks(f"{line};torch.nn.modules.linear:forward 800", "main (a.py:9) 200"))
    )
    assert found.confidence == "high" and found.evidence[0].place == "complete (a.py:5)" and "cache" in found.advice


def generated_on_gpu(
    lengths, appends=True, feeds=False, backward=False, shape=lambda length: [[4, length, 128], [512, 128]]
):
    """A product per token, with its kernel."""
    program = Program(step=100 * len(lengths), steps=1)
    for place, length in enumerate(lengths):
        base = 100 * place
        program.add(Kind.OPERATOR, "aten::linear", base + 1, base + 9, args={"Input Dims": shape(length)})
        program.kernel(base + 10, base + 70, launched=base + 3)
        if feeds:
            program.kernel(base + 71, base + 75, "Memcpy HtoD (Pageable -> Device)", kind=Kind.COPY)
        if appends:
            dims = {"Input Dims": [[[4, length], [4, 1]], []]}
            program.add(Kind.OPERATOR, "aten::cat", base + 80, base + 85, args=dims)
        if backward:
            program.add(Kind.OPERATOR, BACKWARD, base + 86, base + 90)
    return growing_work.find(program.evidence())


@pytest.mark.parametrize(("appends", "confidence"), [(True, "high"), (False, "medium")])
def test_on_a_gpu_a_prefix_that_is_computed_again_is_found_by_the_devices_time(appends, confidence):
    found = generated_on_gpu([*range(64, 88), *range(64, 88)], appends)
    assert found.confidence == confidence and found.share == pytest.approx(0.6) and "prefix" in found.title
    assert "[4, 64, 128] to [4, 87, 128]" in found.evidence[0].text and "cache" in found.advice


def test_on_a_gpu_tokens_in_one_dimension_with_the_batch_grow_by_the_batch():
    assert generated_on_gpu(range(64, 88), shape=lambda length: [[4 * length, 128], [512, 128]]) is not None


@pytest.mark.parametrize(
    "healthy",
    [
        {"lengths": [64] * 24},
        {"lengths": [64, 80, 61, 77, 90, 64, 85, 70, 99, 61, 72, 88]},
        {"lengths": range(64, 88), "backward": True},
        {"lengths": range(64, 88), "appends": False, "feeds": True},  # batches sorted by their length
        {"lengths": range(64, 1600, 64), "appends": False},
        {"lengths": range(64, 88), "shape": lambda length: [[4, 1, 128], [4, length, 128]]},
    ],
)
def test_on_a_gpu_padding_varied_lengths_training_sorted_batches_and_a_cache_are_no_finding(healthy):
    assert generated_on_gpu(**healthy) is None
