"""A product for all positions of which only few are taken is named; one whose answer is used is not."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.discarded_results import find
from tests.diagnose.building import Program

BATCH, LENGTH, WORDS = 4, 128, 4096
ANSWER, FLAT = [BATCH, LENGTH, WORDS], [BATCH * LENGTH, WORDS]
LAST = ("aten::select", [ANSWER, [], []], ["", "1", "-1"])
SOFTMAX = ("aten::_log_softmax", [ANSWER, [], []], ["", "-1", "False"])


def scoring(*after, answer=FLAT, backward=()):
    """A product of 400 of 1000 µs in each step, and operators behind it that take 100 µs each."""
    program = Program()
    for base in program.starts():
        product = {"Input Dims": [[answer[0], 512], [512, answer[1]]], "Concrete Inputs": ["", ""]}
        program.add(Kind.OPERATOR, "aten::mm", base, base + 10, args=product)
        program.kernel(base + 20, base + 420, "nvjet", launched=base + 2)
        for place, (name, dims, values) in enumerate((*after, *backward)):
            start, thread = base + 20 + 20 * place, 1 if place < len(after) else 2
            args = {"Input Dims": dims, "Concrete Inputs": values}
            program.add(Kind.OPERATOR, name, start, start + 10, args=args, thread=thread)
            if name.startswith("aten::_"):
                program.kernel(base + 420 + 100 * place, base + 520 + 100 * place, launched=start + 1)
    return program.evidence()


def test_the_last_position_of_scores_for_all_is_told_with_what_lies_between():
    found = find(scoring(SOFTMAX, LAST))
    assert found.title == "most of a result is thrown away" and found.confidence == "high"
    assert found.share == pytest.approx(0.5 * (1 - 1 / LENGTH))  # the product and the softmax
    assert str(ANSWER) in found.evidence[0].text and "head(hidden[:, -1])" in found.advice


@pytest.mark.parametrize(
    "taken",
    [
        ("aten::slice", [ANSWER, [], [], [], []], ["", "1", "-1", "9223372036854775807", "1"]),
        ("aten::narrow", [ANSWER, [], [], []], ["", "1", "0", "2"]),
        ("aten::select", [FLAT, [], []], ["", "0", "7"]),
    ],
)
def test_slices_are_parts_as_well(taken):
    assert find(scoring(taken)) is not None


@pytest.mark.parametrize(
    "after",
    [
        [("aten::slice", [ANSWER, [], [], [], []], ["", "1", "0", "-1", "1"])],  # training on all but the last
        [SOFTMAX, LAST, ("aten::nll_loss_forward", [FLAT, [512], [], [], []], [""] * 5)],
        [("aten::sum", [ANSWER, [], [], []], [""] * 4), LAST],
        [LAST, ("aten::cat", [[ANSWER, ANSWER], []], ["", "0"])],
        [("aten::copy_", [ANSWER, ANSWER, []], [""] * 3), LAST],  # it is kept in a tensor of the program
        [("aten::_to_copy", [ANSWER, []], ["", "6", "", "cpu"]), LAST],  # the host may read it
        [("aten::select", [ANSWER, [], []], ["", "1", str(place)]) for place in range(LENGTH)],  # one after the other
        [("aten::select", [[BATCH, LENGTH, 4, 1024], [], []], ["", "2", "0"])],  # a quarter
        [("aten::select", [ANSWER, [], []], None)],  # the arguments were not recorded
        [SOFTMAX],
    ],
)
def test_an_answer_that_is_used_is_no_finding(after):
    assert find(scoring(*after)) is None


def test_a_small_answer_does_not_matter():
    assert find(scoring(("aten::select", [[4, 16, 64], [], []], ["", "1", "-1"]), answer=[64, 64])) is None


def test_without_a_trace_it_abstains():
    assert isinstance(find(Evidence()), Abstained)
