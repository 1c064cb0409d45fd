"""Lines are marked by the arrays that they work on; usual ones are not."""

import sys

import numpy
import pytest
import torch

from perfproof.profile.children.operands import SLOW_TYPE, STRIDED, ZEROS, marks


def product(left, right):
    return here(left @ right)


def total(left, right):
    return here(left.sum() + right.sum())


def here(_):
    return marks(sys._getframe(1))


SPARSE = numpy.zeros((600, 600))
SPARSE[numpy.arange(600), numpy.arange(600)] = 1.0
FULL = numpy.ones((600, 600))


@pytest.mark.parametrize(
    ("call", "left", "right", "found"),
    [
        (product, FULL.astype(int), FULL.astype(int), [SLOW_TYPE]),
        (product, FULL.astype(numpy.float16), FULL.astype(numpy.float16), [SLOW_TYPE]),
        (product, FULL.astype(int), FULL, []),
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
    ],
)
def test_a_line_is_marked_by_what_is_unusual_about_its_arrays(call, left, right, found):
    assert call(left, right) == found


def test_activations_with_many_zeros_are_usual():
    assert product(numpy.maximum(numpy.random.default_rng(0).standard_normal((600, 600)), 0), FULL) == []
