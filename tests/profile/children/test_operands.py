"""Lines are marked by the arrays that they work on; usual ones are not."""

import sys

import numpy
import pytest
import torch

from perfproof.profile.children.named_values import named_values
from perfproof.profile.children.operands import (
    ALL_PAIRS,
    HALF,
    OBJECTS,
    SLOW_TYPE,
    STRIDED,
    SUBNORMAL,
    ZEROS,
    has_padding,
    marks,
)


def product(left, right):
    return here(left @ right)


def converted(left, right):
    return here(left.astype(numpy.float16) @ right)


class Store:
    def __init__(self, vectors):
        self.dtype, self.vectors = vectors.dtype, vectors


def behind_attributes(left, right):
    store = Store(right)
    return here(left.astype(store.dtype) @ store.vectors.T)


def widened(left, right):
    return here(left.astype(numpy.float32) @ right)


def total(left, right):
    return here(left.sum() + right.sum())


def scaled(left, right):
    return here(left * right)


def summed(left, right):
    return here(left.sum(axis=0))


def stored(left, right):
    return here((left.astype(numpy.float16), right))


class Trace:
    def __init__(self, values):
        self.values, self.seen = values, []

    def decay(self, factor):
        self.values *= factor + 0 * len(self.seen_here())
        return self.seen

    def seen_here(self):
        frame = sys._getframe(1)
        self.seen = marks(frame, named_values(frame, frame.f_lineno))
        return self.seen


def here(_):
    frame = sys._getframe(1)
    return marks(frame, named_values(frame, frame.f_lineno))


SPARSE = numpy.zeros((600, 600))
SPARSE[numpy.arange(600), numpy.arange(600)] = 1.0
FULL = numpy.ones((600, 600))


@pytest.mark.parametrize(
    ("call", "left", "right", "found"),
    [
        (product, FULL.astype(int), FULL.astype(int), [SLOW_TYPE]),
        (product, FULL.astype(numpy.float16), FULL.astype(numpy.float16), [SLOW_TYPE]),
        (product, FULL.astype(int), FULL, []),
        (converted, FULL, FULL.astype(numpy.float16), [SLOW_TYPE]),
        (converted, FULL, FULL.copy(), []),
        (behind_attributes, FULL, FULL.astype(numpy.float16), [SLOW_TYPE]),
        (behind_attributes, FULL.astype(int), FULL, []),
        (widened, FULL.astype(int), FULL.astype(numpy.float16), []),
        (product, numpy.ones(600, int), numpy.ones(600, int), []),
        (total, FULL.astype(int), FULL, []),
        (total, numpy.ones((2000, 20))[:, 3], FULL, [STRIDED]),
        (total, FULL.T, FULL, []),
        (total, numpy.ones((10, 20))[:, 3], FULL, []),
        (product, SPARSE, FULL, [ZEROS]),
        (product, torch.from_numpy(SPARSE), torch.ones(600, 600).double(), [ZEROS]),
        (product, torch.ones(600, 600), torch.ones(600, 600), []),
        (product, torch.from_numpy(SPARSE).to_sparse(), torch.ones(600, 600).double(), []),
        (total, SPARSE, FULL, []),
        (total, numpy.ones(2000, object), FULL, [OBJECTS]),
        (total, numpy.ones(20, object), FULL, []),
    ],
)
def test_a_line_is_marked_by_what_is_unusual_about_its_arrays(call, left, right, found):
    assert call(left, right) == found


@pytest.mark.parametrize(
    ("call", "kind", "found"),
    [
        (scaled, numpy.float16, [HALF]),
        (summed, numpy.float16, [HALF]),
        (stored, numpy.float16, []),
        (scaled, numpy.float32, []),
        (summed, numpy.float64, []),
    ],
)
def test_arithmetic_in_float16_is_marked_and_storing_in_it_is_not(call, kind, found):
    values = numpy.ones((100, 100), kind)
    assert call(values, values) == found


def test_an_attribute_that_is_changed_in_place_is_looked_at():
    assert Trace(numpy.full(5000, 1e-40, numpy.float32)).decay(0.5) == [SUBNORMAL]
    assert Trace(numpy.ones(5000, numpy.float32)).decay(0.5) == []


def test_activations_with_many_zeros_are_usual():
    assert product(numpy.maximum(numpy.random.default_rng(0).standard_normal((600, 600)), 0), FULL) == []


def distances(points, centres):
    difference = points[:, None, :] - centres[None, :, :]
    return here(difference)


def test_an_array_of_all_pairs_is_marked_if_it_is_much_larger_than_what_was_given():
    points = numpy.ones((4000, 64))
    assert distances(points, numpy.ones((40, 64))) == [ALL_PAIRS]
    assert distances(points, numpy.ones((4, 64))) == []


@pytest.mark.parametrize("kind", [torch.from_numpy, numpy.asarray])
def test_a_batch_that_is_mostly_padding_is_told_from_a_full_one_and_from_a_mask(kind):
    def padded(filled):
        rows = numpy.zeros((16, 512), dtype=numpy.int64)
        rows[:, :filled] = numpy.arange(1, filled + 1) + numpy.arange(16)[:, None]
        batch = kind(rows)
        return has_padding([sys._getframe()]), batch

    mask = kind(numpy.zeros((64, 64), dtype=numpy.int64))
    assert padded(40)[0] and not padded(400)[0]
    assert not has_padding([sys._getframe()]), mask


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("of", [numpy.asarray, torch.from_numpy], ids=["NumPy", "torch"])
def test_numbers_near_zero_are_told_from_zeros_and_from_small_ones(kind, of):
    smallest = numpy.finfo(kind).tiny
    values = numpy.random.default_rng(0).uniform(0.1, 0.9, 5000).astype(kind)

    def found(array):
        return SUBNORMAL in total(of(array), of(numpy.ones(3, kind)))

    assert found(-smallest * values) and found(numpy.where(numpy.arange(5000) % 3 == 0, smallest * values, values))
    assert not any(found(array) for array in (0 * values, -0.0 * values, 2 * smallest + values * 1e-30, values))
    assert not found((smallest * values)[:100]) and SUBNORMAL not in total(*2 * [numpy.arange(5000)])
