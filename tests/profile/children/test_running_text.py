"""The running part of a line is told as it is written; containers that are gone through as they grow are marked."""

import linecache
import random
import sys
from collections import deque

import numpy
import pytest

from perfproof.profile.children.running_text import (
    FEWEST_LOOKS,
    GROWS,
    LONG_ARRAY,
    LONG_DEQUE,
    LONG_REST,
    Growth,
    read_files,
    running_text,
)


@pytest.fixture(autouse=True)
def files_are_read():
    running_text(sys._getframe(), 1)
    read_files()


def here(*_):
    frame = sys._getframe(1)
    return running_text(frame, frame.f_lineno)


def test_a_file_that_was_not_read_yet_gives_no_text_until_it_is(monkeypatch):
    monkeypatch.setattr(linecache, "cache", {})
    assert here() == ""
    read_files()
    assert here().startswith("here()")


def test_only_the_part_of_the_line_that_runs_is_told():
    text = len("before") * [here("a", 1)][0]
    assert text.startswith('here("a", 1)')


def test_long_literals_are_left_out():
    assert here("0123456789abcdefghij") == "here('…')"


def looked_at(look, function, container, growing=True):
    """The marks of the last call, of many between which the container grew."""
    found = []
    for _ in range(2 * FEWEST_LOOKS):
        found = function(look, container)
        container = container + container[:1] if growing else container
    return found


def summed(look, values):
    return look(sum(values))


def appended(look, values):
    return look(values.append(values[0]))


def found_in(look, values):
    known = 3 in values
    return look(known)


def added(look, text):
    text += "a"
    return look(text)


def indexed(look, values):
    return look(values[-1])


@pytest.fixture
def look():
    growth = Growth()

    def mark(_):
        frame = sys._getframe(1)
        return growth.mark(frame, frame.f_lineno)

    return mark


@pytest.mark.parametrize("function", [summed, found_in, added])
def test_a_line_that_goes_through_what_grows_is_marked(look, function):
    container = "a" * 2_000 if function is added else [1] * 2_000
    assert looked_at(look, function, container)[0].startswith(GROWS)


@pytest.mark.parametrize("function", [appended, indexed])
def test_adding_at_the_end_and_taking_one_element_are_not(look, function):
    assert looked_at(look, function, [1] * 2_000) == []


def test_a_long_list_is_marked_without_growth_only_if_it_is_searched(look):
    assert looked_at(look, found_in, [1] * 2_000, growing=False)
    assert looked_at(look, summed, [1] * 2_000, growing=False) == []


def test_short_lists_and_sets_are_not_marked(look):
    assert looked_at(look, found_in, [1] * 20) == []
    assert looked_at(look, found_in, set(range(2_000)), growing=False) == []


def drawn(look, values):
    return look(random.sample(values, 4))


def taken(look, values):
    return look(values[len(values) // 2])


@pytest.mark.parametrize("function", [drawn, taken])
def test_taking_elements_of_a_long_deque_by_their_places_is_marked_and_of_a_list_is_not(look, function):
    assert looked_at(look, function, deque(range(LONG_DEQUE)), growing=False)
    assert looked_at(look, function, deque(range(LONG_DEQUE // 10)), growing=False) == []
    assert looked_at(look, function, list(range(LONG_DEQUE)), growing=False) == []


def test_the_ends_of_a_deque_are_near(look):
    assert looked_at(look, indexed, deque(range(LONG_DEQUE)), growing=False) == []


def taken_from_the_front(look, data):
    data = data[8:]
    return look(len(data))


def test_a_long_text_whose_rest_is_copied_for_a_few_bytes_is_marked_and_a_short_one_is_not(look):
    def marks(length):
        found, data = [], b"a" * length
        for _ in range(2 * FEWEST_LOOKS):
            found, data = taken_from_the_front(look, data), data[1000:]
        return found

    assert marks(LONG_REST + 20_000)[0].startswith(GROWS)
    assert marks(20_000) == []


def of_group(look, labels, label):
    chosen = labels == label
    return look(chosen)


def test_an_array_that_is_compared_with_one_value_after_the_other_is_marked(look):
    labels = numpy.arange(LONG_ARRAY) % 50
    assert [bool(of_group(look, labels, label)) for label in range(FEWEST_LOOKS)] == [False] * 4 + [True]


def test_an_array_that_changes_or_is_compared_with_one_value_or_with_an_array_is_not(look):
    labels = numpy.arange(LONG_ARRAY) % 50
    assert not any(of_group(look, labels, 3) for _ in range(20))
    assert not any(of_group(look, labels + turn, turn) for turn in range(20))
    assert not any(of_group(look, labels, labels + turn) for turn in range(20))
    assert not any(of_group(look, labels[:100], label) for label in range(20))


def joined(look, rows):
    return look(numpy.concatenate([rows, rows[:1]]))


def test_an_array_that_is_copied_to_add_to_it_is_marked_and_one_of_a_kept_size_is_not(look):
    def marks(growing):
        found, rows = [], numpy.zeros((2_000, 2))
        for _ in range(2 * FEWEST_LOOKS):
            found = joined(look, rows)
            rows = numpy.concatenate([rows, rows[:1]]) if growing else rows.copy()
        return found

    assert marks(growing=False) == []
    assert marks(growing=True)[0].startswith(GROWS)
