"""A wrong answer is told with what it is the answer to."""

import numpy
import pytest
import torch

from perfproof.worker.verify.shown_inputs import MOST_SHOWN, inputs_shown

TITLES = ["a b", " c ", "d"]


@pytest.mark.parametrize(
    ("arguments", "answer", "problem", "said"),
    [
        ((TITLES,), ["a-b", "c", "d"], "[1] is wrong: got '-c-', expected 'c'", " for `x0[1]` = ' c '"),
        ((TITLES,), "a-b", "is wrong: got '[2]', expected 'a'", " for `x0` = ['a b', ' c ', 'd']"),
        ((TITLES, 2), [1, 2], "[1] is wrong", " for `x0` = ['a b', ' c ', 'd'], `x1` = 2"),
        ((TITLES,), ["a", "b"], "[7] is wrong", " for `x0` = ['a b', ' c ', 'd']"),
        ((list(range(9)),), 3, "", " for `x0` = [0, 1, 2, 3, ...] (9 items)"),
        ((numpy.arange(6.0).reshape(2, 3),), 3, "", " for `x0` = float64[2, 3] [0, 1, 2, 3, ...]"),
        ((torch.tensor([1, 2]), 0.1 + 0.2), 3, "", " for `x0` = int64[2] [1, 2], `x1` = 0.3"),
        (({"a": numpy.zeros(1), "b": None},), 3, "", " for `x0` = {'a': float64[1] [0], 'b': None}"),
        (
            (torch.arange(6),),
            torch.ones(6),
            "the worst at [5]: got 1",
            " for `x0` = int64[6] [0, 1, 2, 3, ...], [5] = 5",
        ),
        ((torch.arange(6),), [1, 2], "the worst at [1]: got 1", " for `x0` = int64[6] [0, 1, 2, 3, ...]"),
        ((), 3, "is wrong", ""),
    ],
)
def test_the_item_that_is_wrong_or_the_beginning_of_each_argument(arguments, answer, problem, said):
    assert inputs_shown([f"x{at}" for at in range(len(arguments))], arguments, answer, problem) == said


class Unprintable:
    def __repr__(self):
        raise ValueError


@pytest.mark.parametrize("value", ["x" * 9999, ["y" * 500] * 500, [[[[[1] * 99] * 99] * 99]], Unprintable(), "a\nb"])
def test_it_is_short_and_on_one_line(value):
    said = inputs_shown(["x", "y"], (value, value), None, "is wrong")
    assert len(said) <= MOST_SHOWN + 12 and "\n" not in said
