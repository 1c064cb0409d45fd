"""What a message says about a wrong answer: how much of it is wrong, and where."""

import dataclasses
import math

import numpy
import pytest
import torch

from perfproof.worker.verify import compare
from perfproof.worker.verify.compare import difference
from perfproof.worker.verify.numbers import (
    EXACT,
    PIECE,
)

LOOSE = dict(rtol=1e-3, atol=1e-3)
NAN, INF = math.nan, math.inf


def problem(result, reference, tolerance=LOOSE):
    return difference(result, reference, tolerance).problem


def test_a_wrong_answer_says_how_much_is_wrong_and_where_the_worst_of_it_is():
    right = torch.ones(3, 5)
    wrong = right.clone()
    wrong[0, 1], wrong[2, 4] = 1.5, 3.0
    said = problem(wrong, right)
    assert said.startswith("differs in 2 of 15 elements; the worst at [2, 4]: got 3, expected 1, ")
    assert "times the tolerance (rtol " in said and "atol " in said


def test_whole_numbers_that_differ_are_shown_with_the_largest_difference():
    said = problem(numpy.array([1, 2, 3, 4]), numpy.array([1, 3, 3, 40]))
    assert said == "differs in 2 of 4 elements; the worst at [3]: got 4, expected 40, which must be equal"


def test_a_single_number_is_shown_without_a_place():
    assert problem(torch.tensor(2.0), torch.tensor(3.0)).startswith("is wrong: got 2, expected 3, ")


def test_values_that_look_alike_are_shown_with_all_their_digits():
    assert "got 1.0000001, expected 1.0" in problem([1.0000001], [1.0], dict(rtol=0.0, atol=1e-9))


@pytest.mark.parametrize("odd", [NAN, INF])
def test_the_first_odd_value_is_shown_with_its_place_whatever_the_piece(odd):
    right = torch.zeros(3 * PIECE)
    wrong = right.clone()
    wrong[PIECE + 7] = odd
    assert f"first at [{PIECE + 7}]: got {odd}, expected 0" in problem(wrong, right)
    assert f"got 0, expected {odd}" in problem(right, wrong)


def test_text_that_differs_is_shown():
    assert problem("left", "right") == "is wrong: got 'left', expected 'right'"
    names = numpy.array(["a", "b", None], dtype=object), numpy.array(["a", "x", "y"], dtype=object)
    assert problem(*names) == "differs in 2 of 3 elements; the first at [1]: got 'b', expected 'x'"


class Unprintable(str):
    def __repr__(self):
        raise RuntimeError("no")


def test_a_value_that_cannot_be_printed_is_still_told():
    assert "got a frozenset, expected frozenset({'b'})" in problem({Unprintable("a")}, {"b"})


def test_parts_of_an_answer_are_named_as_a_user_knows_them():
    def said(answer, expected):
        return compare.answer_difference(answer, expected, EXACT).problem

    one, two = torch.zeros(2), torch.ones(2)
    assert said((one, {}), (two, {})).startswith("differs in 2 of 2 elements")
    assert said(((one, one), {}), ((one, two), {})).startswith("[1] differs in")
    assert said((None, {"x": one}), (None, {"x": two})).startswith("the argument `x` differs in")
    assert said((None, {"x": [one]}), (None, {"x": [two]})).startswith("the argument `x[0]` differs in")


@dataclasses.dataclass
class Row:
    name: str
    count: int


def rows(wrong=None, **change):
    """Forty rows, one of them changed."""
    return [Row("a", 4) if at != wrong else dataclasses.replace(Row("a", 4), **change) for at in range(40)]


def test_a_number_among_many_is_named_with_its_field():
    said = problem(rows(3, count=5), rows())
    assert said.startswith("differs in 1 of 40 elements; the worst at [3].count: got 5, expected 4")


def test_texts_that_differ_are_counted():
    said = problem({"rows": rows(7, name="b")}, {"rows": rows()})
    assert said == "[\"rows\"][7].name is wrong: got 'b', expected 'a'; 1 of 40 values of type str differ"


@pytest.mark.parametrize("expected", [rows(), {"a": 1}, 3.5, torch.ones(2)])
def test_a_missing_return_is_asked_for(expected):
    said = compare.answer_difference((None, {}), (expected, {}), EXACT).problem
    assert said.startswith("returns None, expected a ") and "`return`" in said


def test_no_message_speaks_of_a_reference_that_may_not_be_there():
    wrong = [({"a": 1}, {"b": 1}), ("a", 1), (torch.ones(2), torch.ones(3)), (torch.tensor(NAN), torch.tensor(INF))]
    assert all(said and "reference" not in said for said in (problem(*one) for one in wrong))


def test_texts_that_differ_in_spaces_or_far_behind_are_shown_apart():
    assert "got 'Al Jones', expected 'Al  Jones'" in difference(["Al Jones"], ["Al  Jones"], {}).problem
    ours, theirs = "x" * 500 + "one", "x" * 500 + "two"
    said = difference([ours], [theirs], {}).problem
    assert "one'" in said and "two'" in said and "from character 480 on" in said
