"""Calls with arguments that came before are told from new ones, and functions with a state are not looked at."""

import random
import sys

import numpy
import pytest

from perfproof.profile.children.same_calls import SameCalls, is_pure

STATE = [0]


def frame_here(*_, **__):
    return sys._getframe(1)


def square(value):
    return frame_here(value)


def drawn(count):
    return frame_here(random.random() * count)


def counted(amount):
    STATE[0] += amount
    return frame_here()


def library(array):
    return frame_here(array)


def sampled(calls, call, values, own=True):
    """The function's name per value if it was called before so; as if its frame was sampled in each turn of a loop."""
    found = []
    for turn, value in enumerate(values):
        frame = call(value)
        again = calls.repeated([(sys._getframe(), True), (frame, own)])
        found.append(again.f_code.co_name if again is not None else "")
        assert turn >= 0
    return found


def test_a_call_with_an_argument_that_came_before_is_marked():
    assert sampled(SameCalls(), square, [3, 4, 3, 3]) == ["", "", "square", "square"]


def test_many_samples_of_one_long_call_are_one_call():
    calls, frame = SameCalls(), square(3)
    assert [calls.repeated([(frame, True)]) for _ in range(5)] == [None] * 5


def test_an_unchanged_array_given_to_a_library_again_is_marked_and_a_changed_or_equal_one_is_not():
    array, equal = numpy.arange(100.0), numpy.arange(100.0)
    assert sampled(SameCalls(), library, [array, array], own=False) == ["", "library"]
    assert sampled(SameCalls(), library, [array, equal], own=False) == ["", ""]
    calls = SameCalls()
    assert sampled(calls, library, [array], own=False) == [""]
    array += 1
    assert sampled(calls, library, [array], own=False) == [""]


def test_a_tensor_whose_changes_are_not_counted_is_not_compared():
    torch = pytest.importorskip("torch")
    counted = torch.ones(4)
    with torch.inference_mode():
        uncounted = torch.ones(4)
    assert sampled(SameCalls(), library, [counted, counted], own=False) == ["", "library"]
    assert sampled(SameCalls(), library, [uncounted, uncounted], own=False) == ["", ""]


def test_a_small_array_of_the_programs_own_function_is_compared_as_a_whole():
    array, calls = numpy.zeros(100), SameCalls()
    assert sampled(calls, square, [array, array.copy()]) == ["", "square"]
    array[37] = 1
    assert sampled(calls, square, [array]) == [""]


def test_a_large_array_of_the_programs_own_function_may_change_in_few_elements_and_is_not_compared():
    array = numpy.zeros(100_000)
    assert sampled(SameCalls(), square, [array, array]) == ["", ""]


@pytest.mark.parametrize("make", [list, tuple, set])
def test_long_lists_of_numbers_are_compared_by_all_of_them(make):
    numbers, calls = list(range(5_000)), SameCalls()
    assert sampled(calls, square, [make(numbers), make(numbers)]) == ["", "square"]
    numbers[4_321] = -1
    assert sampled(calls, square, [make(numbers)]) == [""]
    assert sampled(SameCalls(), square, [list(range(20_000))] * 2) == ["", ""]


class Basket:
    def __init__(self, prices, owner=None):
        self.prices, self.owner = prices, owner

    def total(self):
        return frame_here()


def totals(calls, *baskets):
    return sampled(calls, Basket.total, baskets)


def test_an_object_of_the_programs_own_is_what_its_attributes_are():
    calls = SameCalls(is_own=lambda file: file == __file__)
    basket = Basket([1.0] * 100)
    assert totals(calls, basket, basket) == ["", "total"]
    basket.prices[7] = 2.0
    assert totals(calls, basket) == [""]


def test_an_object_of_a_library_or_with_an_attribute_that_says_nothing_is_not_compared():
    assert totals(SameCalls(), *[Basket([1.0])] * 2) == ["", ""]
    own = SameCalls(is_own=lambda file: file == __file__)
    assert totals(own, *[Basket([1.0], owner=object())] * 2) == ["", ""]


def test_torch_counts_the_changes_of_a_tensor_also_for_the_programs_own_function():
    torch = pytest.importorskip("torch")
    tensor, calls = torch.zeros(4), SameCalls()
    assert sampled(calls, square, [tensor, tensor]) == ["", "square"]
    tensor += 1
    assert sampled(calls, square, [tensor]) == [""]


def test_what_a_library_calls_inside_is_not_looked_at():
    calls = SameCalls()
    for turn in range(3):
        frame = square(3)
        assert calls.repeated([(sys._getframe(), True), (library(object()), False), (frame, False)]) is None, turn


@pytest.mark.parametrize("function", [drawn, counted])
def test_functions_that_draw_numbers_or_use_global_objects_are_not_looked_at(function):
    assert not is_pure(function.__code__, globals())
    assert sampled(SameCalls(), function, [1, 1, 1]) == ["", "", ""]


def test_objects_with_a_state_make_a_call_unknown():
    assert sampled(SameCalls(), square, [object()] * 3) == ["", "", ""]


def moved(calls, step):
    return calls.moved_on(1, [(sys._getframe(), True)]) and step


def test_a_loop_that_goes_on_is_told_from_one_long_call():
    calls = SameCalls()
    assert [bool(moved(calls, step)) for step in (5, 5, 6, 7, 7)] == [False, False, True, True, False]
