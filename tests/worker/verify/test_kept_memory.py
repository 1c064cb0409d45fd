"""A result that the next call overwrites, and objects that are never freed, are named."""

import functools
import gc
import os

import numpy
import pytest

from perfproof.worker.verify import kept_memory
from perfproof.worker.verify.case import Contract

CONTRACT = Contract(names=("x",), constant=(), mutates=(), tolerance={}, lowers_precision="", device="cpu")
DRAWN = [(numpy.arange(64.0),), (numpy.ones(64),)]
KEPT, BUFFER = [], numpy.empty(64)


@pytest.fixture(autouse=True, scope="module")
def small_heap():
    """What other tests have left is not searched for garbage: that takes most of the time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def plain(x):
    return x + 1


def into_a_buffer(x):
    return numpy.add(x, 1, out=BUFFER)


RING = [numpy.empty(64) for _ in range(7)]


def into_one_of_seven(x):
    RING.append(RING.pop(0))
    return numpy.add(x, 1, out=RING[-1])


def keeping(x):
    KEPT.append(x)
    return x + 1


@functools.lru_cache(maxsize=2)
def table(size):
    return numpy.ones(size)


REMEMBERED = []


def remembering_some_hundred(x):
    """As the guards of a compiled module do: a list that is full after a few hundred calls."""
    if len(REMEMBERED) < 256:
        REMEMBERED.append(object())
    return x + 1


def said(baseline, optimized):
    return kept_memory.check(CONTRACT, dict(baseline=baseline, optimized=optimized), DRAWN, is_short=True)


def test_a_ring_of_buffers_is_named_and_memory_that_is_freed_between_calls_is_not():
    assert "a later call overwrites" in said(plain, into_one_of_seven)[0]
    assert said(plain, lambda x: numpy.concatenate([x])) == []
    assert said(into_a_buffer, into_one_of_seven) == [], "the baseline's results are overwritten too"


def test_memory_that_the_next_call_overwrites_is_named_unless_the_baseline_s_is_too():
    assert "next call overwrites" in said(plain, into_a_buffer)[0]
    assert said(into_a_buffer, into_a_buffer) == []


def test_objects_of_every_call_are_named_and_a_cache_of_limited_size_is_not():
    assert ["keeps objects of every call" in line for line in said(plain, keeping)] == [True]
    assert said(plain, lambda x: x + table(len(x))) == []
    assert said(keeping, keeping) == []


POOL = {number: [number] for number in range(4)}


def test_lists_that_several_results_hold_are_named_and_tuples_are_not():
    made, lent = (lambda x: [[number] for number in range(4)]), (lambda x: list(POOL.values()))
    assert ["other results hold too" in line for line in said(made, lent)] == [True]
    assert said(lent, lent) == said(made, lambda x: [tuple(one) for one in POOL.values()]) == []


def test_files_that_stay_open_are_named_and_one_that_is_kept_is_not():
    opened = []

    def leaving_open(x):
        opened.append(os.open(os.devnull, os.O_RDONLY))
        return x + 1

    def keeping_one(x):
        if not kept:
            kept.append(os.open(os.devnull, os.O_RDONLY))
        return x + 1

    kept = []
    assert "keeps open files of every call" in " ".join(said(plain, leaving_open))
    assert said(plain, keeping_one) == []
    for one in opened + kept:
        os.close(one)


def test_a_cache_that_takes_hundreds_of_calls_to_fill_is_not_named():
    assert said(plain, remembering_some_hundred) == []
    assert len(REMEMBERED) == 256  # what was seen was a growth that ends


@pytest.mark.parametrize(("graphs", "named"), [(0, True), (1, False)])
def test_growth_of_few_calls_is_not_named_where_something_was_compiled(monkeypatch, graphs, named):
    monkeypatch.setattr(kept_memory, "LONG_SECONDS", 0.0)  # as if a call were long: the limit is not reached
    monkeypatch.setattr(kept_memory, "compiled_graphs", lambda: graphs)
    found = kept_memory.check(CONTRACT, {"baseline": plain, "optimized": keeping}, DRAWN, is_short=True)
    assert any("keeps objects" in line for line in found) == named
