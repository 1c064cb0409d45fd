"""A result that the next call overwrites, and objects that are never freed, are named."""

import functools
import gc

import numpy
import pytest

from perfproof.worker.verify import kept_memory
from perfproof.worker.verify.case import Contract

CONTRACT = Contract(names=("x",), constant=(), mutates=(), tolerance={}, lowers_precision="", device="cpu")
DRAWN = [(numpy.arange(64.0),), (numpy.ones(64),)]
KEPT, FEW, BUFFER = [], [], numpy.empty(64)


@pytest.fixture(autouse=True)
def few_objects():
    """What the tests have loaded need not be looked at by every collection."""
    gc.freeze()
    yield
    gc.unfreeze()


def plain(x):
    return x + 1


def into_a_buffer(x):
    return numpy.add(x, 1, out=BUFFER)


def keeping(x):
    KEPT.append(x)
    return x + 1


@functools.lru_cache(maxsize=2)
def table(size):
    return numpy.ones(size)


def filling_slowly(x):
    """As a library does that keeps a little for each of its first calls."""
    if len(FEW) < 40:
        FEW.append([len(FEW)])
    return x + 1


def said(baseline, optimized):
    return kept_memory.check(CONTRACT, dict(baseline=baseline, optimized=optimized), DRAWN, is_short=True)


def test_memory_that_the_next_call_overwrites_is_named_unless_the_baseline_s_is_too():
    assert "next call overwrites" in said(plain, into_a_buffer)[0]
    assert said(into_a_buffer, into_a_buffer) == []


def test_objects_of_every_call_are_named_and_a_cache_of_limited_size_is_not():
    assert ["keeps objects of every call" in line for line in said(plain, keeping)] == [True]
    assert said(plain, lambda x: x + table(len(x))) == []
    assert said(plain, filling_slowly) == []
    assert said(keeping, keeping) == []
