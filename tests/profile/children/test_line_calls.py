"""The calls of a line are found with the values of their arguments, without running code of the program."""

import ast
import inspect
import sys

import numpy

from perfproof.profile.children.line_calls import MISSING, calls_in_function, calls_of

TREE = ast.parse(inspect.getsource(sys.modules[__name__]))


class Store:
    def __init__(self, size):
        self.size = size

    @property
    def dear(self):
        raise AssertionError("code of the program ran")


def here(*_, **__):
    frame = sys._getframe(1)
    return calls_of(frame, frame.f_lineno, TREE)


def named(calls, name):
    return next(one for one in calls if one.name == name)


def test_arguments_are_constants_names_attributes_and_arithmetic_of_them():
    store, rows = Store(8), numpy.zeros((3, 5))
    call = named(here(store.size, 2 * store.size - 1, rows.shape[1], len(rows), -1, n=store.size // 2), "here")
    assert call.arguments == (8, 15, 5, 3, -1) and call.keywords == {"n": 4}


def test_what_would_run_code_is_not_known():
    store = Store(8)

    def compute():
        return 3

    call = named(here(store.dear if False else 1, compute(), store.size / 2), "here")
    assert call.arguments == (MISSING, MISSING, MISSING)


def test_a_chain_of_calls_over_several_lines_is_one_statement():
    found = "".join(
        one.name
        for one in here(
            "SELECT a "
            "FROM b",
        )
    )  # fmt: skip
    texts = named(
        here(
            "SELECT a "
            "FROM b",
        ),
        "here",
    ).texts  # fmt: skip
    assert "here" in found and texts == ("SELECT a FROM b",)


def test_the_calls_of_a_function_are_those_of_all_of_its_lines():
    frame = sys._getframe()
    assert {"_getframe", "calls_in_function", "len"} <= {one.name for one in calls_in_function(frame, TREE)}
    assert len("") == 0


def test_without_the_file_there_are_none():
    assert calls_of(sys._getframe(), 1, None) == []
