"""Calls that do more than is needed are told from those that look like them."""

import logging
import sys
from types import SimpleNamespace

import numpy
import pytest
import torch

from perfproof.profile.children.line_calls import MISSING
from perfproof.profile.children.misused import (
    ALL_INDICES,
    FEW_VALUES,
    FROM_ARRAYS,
    MORE_HANDLERS,
    NO_INDEX,
    PERMUTES,
    Handlers,
    cannot_use_index,
    marks,
)


def call(name, receiver, *arguments, texts=(), **keywords):
    return SimpleNamespace(name=name, receiver=receiver, arguments=arguments, keywords=keywords, texts=texts)


def marks_of(*calls, around=()):
    return marks([], list(calls), lambda: list(around))


OLD, NEW = numpy.random.RandomState(1), numpy.random.default_rng(1)


@pytest.mark.parametrize("drawn", [((200_000, 64), {}), ((range(9_000),), {"size": 8}), ((numpy.ones(9_000), 1), {})])
@pytest.mark.parametrize("receiver", [OLD, numpy.random])
def test_a_draw_without_replacement_from_many_permutes_all_of_them(drawn, receiver):
    arguments, keywords = drawn
    assert marks_of(call("choice", receiver, *arguments, **keywords, replace=False)) == [PERMUTES]


@pytest.mark.parametrize(
    ("receiver", "arguments", "keywords"),
    [
        (NEW, (200_000, 64), {"replace": False}),  # draws only what it needs
        (OLD, (200_000, 64), {}),  # with replacement
        (OLD, (200_000, 150_000), {"replace": False}),  # most of them are needed
        (OLD, (100, 10), {"replace": False}),
        (OLD, (200_000, 64, False, numpy.ones(4)), {}),  # weights need the whole population
        (OLD, (MISSING, 64), {"replace": False}),
        (OLD, (200_000, MISSING), {"replace": False}),
    ],
)
def test_other_draws_do_not(receiver, arguments, keywords):
    assert marks_of(call("choice", receiver, *arguments, **keywords)) == []


def test_a_tensor_from_a_list_of_arrays_is_told_from_one_of_numbers_and_of_one_array():
    rows = [numpy.ones(64)] * 32
    assert marks_of(call("tensor", torch, rows)) == [FROM_ARRAYS]
    for given in ([1.0] * 64, numpy.ones((32, 64)), [numpy.float64(1)] * 64, rows[:2]):
        assert marks_of(call("tensor", torch, given)) == []
    assert marks_of(call("tensor", numpy, rows)) == []


def test_einsum_of_three_arrays_loops_over_all_indices_unless_it_is_told_to_optimize():
    three = ("pi,qj,pqx->ijx", MISSING, MISSING, MISSING)
    assert marks_of(call("einsum", numpy, *three)) == [ALL_INDICES]
    assert marks_of(call("einsum", numpy, *three, optimize=False)) == [ALL_INDICES]
    assert marks_of(call("einsum", numpy, *three, optimize=True)) == []
    assert marks_of(call("einsum", torch, *three)) == []  # it takes two at a time
    assert marks_of(call("einsum", numpy, "ij,jk->ik", MISSING, MISSING)) == []


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT a FROM passages WHERE date(passed_at) = ? ORDER BY passed_at",
        "SELECT id FROM members WHERE lower(email) = ?",
        "select id from t where active and UPPER(t.code) IN (?, ?)",
        "select id from t where strftime('%Y-%m', sold_at) = ?",
        "update t set a = 1 where cast(number as text) = ?",
        "delete from t where name like '%son'",
        "select 1 from t where (substr(phone, 1, 3) = '030')",
    ],
)
def test_a_function_around_a_column_keeps_an_index_from_being_used(statement):
    assert cannot_use_index(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT a FROM t WHERE email = lower(?)",
        "SELECT lower(email), date(at) FROM t WHERE id = ? GROUP BY date(at)",
        "SELECT a FROM t WHERE shop = ? AND lower(email) = ?",  # an index on the other column may do
        "SELECT a FROM t WHERE at >= ? AND at < ? AND date(at) != '2024-01-01'",
        "SELECT a FROM t WHERE day = date('now')",
        "SELECT a FROM t WHERE date('now') > day",
        "SELECT a FROM t WHERE name LIKE 'son%'",
        "SELECT max(a) FROM t",
        "INSERT INTO t VALUES (lower(?))",
        "",
    ],
)
def test_plain_columns_and_functions_of_values_do_not(statement):
    assert not cannot_use_index(statement)


SLOW, FAST = "SELECT a FROM t WHERE lower(b) = ?", "SELECT a FROM t WHERE b = ?"


def test_a_statement_is_read_from_its_value_or_as_it_is_written():
    assert marks_of(call("execute", MISSING, SLOW)) == [NO_INDEX]
    assert marks_of(call("execute", MISSING, MISSING, texts=("SELECT a FROM t ", "WHERE lower(b) = ?"))) == [NO_INDEX]
    assert marks_of(call("execute", MISSING, FAST)) == marks_of(call("write", MISSING, SLOW)) == []


def test_rows_are_fetched_by_the_statement_on_an_earlier_line():
    slow, fast, fetch = call("execute", None, SLOW), call("execute", None, FAST), call("fetchone", MISSING)
    assert marks_of(fetch, around=[slow, fetch]) == [NO_INDEX]
    assert marks_of(fetch, around=[slow, fast, fetch]) == marks_of(fetch, around=[fetch]) == []


def test_a_distribution_that_is_asked_about_few_values_is_told_from_one_asked_about_many():
    stats = pytest.importorskip("scipy.stats")

    def looked(function, values):
        found = set()

        def traced(frame, event, _):
            if event == "return":
                frames = []
                while frame is not None and frame.f_code.co_filename != __file__:
                    frames.append(frame)
                    frame = frame.f_back
                found.update(marks(frames[::-1], [], list))
            return traced

        sys.settrace(traced)
        try:
            function(values)
        finally:
            sys.settrace(None)
        return found

    assert looked(lambda one: stats.norm(1.0, 2.0).logpdf(one), 0.5) == {FEW_VALUES}
    assert looked(stats.gamma(2.0).cdf, numpy.ones(30)) == {FEW_VALUES}
    assert looked(stats.norm(1.0, 2.0).logpdf, numpy.ones(100_000)) == set()
    assert looked(lambda one: stats.norm(1.0, 2.0).rvs(), 0) == {FEW_VALUES}
    assert looked(lambda many: stats.norm.rvs(size=many), 100_000) == set()


class Kept(logging.Handler):
    def __init__(self, found):
        super().__init__()
        self.found = found

    def emit(self, record):
        frames, frame = [], sys._getframe()
        while frame is not None:
            frames.append(frame)
            frame = frame.f_back
        self.found.append(KNOWN.mark(frames[::-1]))


KNOWN = Handlers()


@pytest.mark.parametrize(("grows", "marked"), [(True, True), (False, False)])
def test_a_logger_that_gets_a_handler_per_call_is_told_from_one_with_many(grows, marked):
    found, logger = [], logging.getLogger(f"{__name__}.{grows}")
    logger.propagate = False
    for _ in range(1 if grows else 12):
        logger.addHandler(Kept(found))
    for _ in range(12):
        if grows:
            logger.addHandler(Kept(found))
        logger.warning("full")
    assert ([MORE_HANDLERS] in found) == marked
    logger.handlers.clear()
