"""How code reaches a part of a result."""

from collections import OrderedDict, namedtuple
from dataclasses import dataclass

import numpy
import pytest
import torch

from perfproof.core.trees import leaves
from perfproof.worker.verify.places import argument_place, described, place, place_in_answer, structure_problem

Point = namedtuple("Point", "x y")


@dataclass
class Row:
    rows: list
    total: float = 0.0


class Node:
    def __init__(self, items):
        self.items = items


@pytest.mark.parametrize(
    ("value", "path", "code"),
    [
        ([0, [1, 2]], ("1", "0"), "[1][0]"),
        ({"total": 1}, ("total",), '["total"]'),
        ({3: {"a b": [1]}}, ("3", "a b", "0"), '[3]["a b"][0]'),
        (Row([1, 2, 3]), ("rows", "2"), ".rows[2]"),
        ([Row([]), Row([])], ("1", "total"), "[1].total"),
        (Point(1, 2), ("1",), ".y"),
        (Node([Row([])]), ("items.0.total",), ".items[0].total"),
        (numpy.zeros(2, dtype=[("a", "f4")]), ("a",), '["a"]'),
        ([torch.nn.Linear(1, 1)], ("0", "weight"), "part weight of [0]"),
        (3.0, (), ""),
    ],
)
def test_a_part_is_named_as_code_reaches_it(value, path, code):
    assert path in [one for one, _ in leaves(value)] and place(value, path) == code


def test_columns_of_a_frame_are_named():
    frame = pytest.importorskip("pandas").DataFrame({"price": [1.0]})
    assert place([frame], ("0", "price")) == '[0]["price"]' and place(frame, ("index",)) == ".index"


def test_an_argument_that_was_changed_is_named():
    assert argument_place("rows", [Row([])], ("0", "total")) == "the argument `rows[0].total`"
    answer = ([1.0], {"model": torch.nn.Linear(1, 1)})
    assert place_in_answer(answer, ("0", "0")) == "[0]"
    assert place_in_answer(answer, ("1", "model", "bias")) == "the argument `model`, part bias"


@pytest.mark.parametrize(
    ("ours", "theirs", "path", "words"),
    [
        ([1, 2], [1, 2, 3], (), "has 2 items, expected 3"),
        ({"a": [1]}, {"a": [1, 2]}, ("a",), "has 1 item, expected 2"),
        ({"a": 1, "c": 2}, {"a": 1, "b": 2}, (), 'lacks ["b"] and has ["c"]'),
        ([None], [[1]], ("0",), "is None, expected a list of 1 item"),
        (Row([]), {"rows": []}, (), "is a Row, expected a dict with 1 key"),
        (dict.fromkeys(range(9)), {}, (), "has [0], [1], [2] and 6 more"),
    ],
)
def test_another_structure_is_told_where_it_begins(ours, theirs, path, words):
    where, said = structure_problem(ours, theirs)
    assert where == path and words in said


def test_equal_structures_have_no_problem():
    assert structure_problem(OrderedDict(a=[1]), OrderedDict(a=[2])) == ((), "")
    assert structure_problem(1.0, "a") == ((), "")


def test_a_value_is_described_in_a_few_words():
    assert described(None) == "None" and described("abc") == "a str ('abc')"
    assert described(torch.ones(2, 3)) == "a Tensor of shape (2, 3)"
