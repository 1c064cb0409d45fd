"""Two sums over bits: equal for equal values, and others for any that differ."""

import numpy
import pytest
import torch

from perfproof.worker.measure import digest as module
from perfproof.worker.measure.digest import digest

VALUES = [
    torch.randn(1_000),
    torch.randn(7, 3, dtype=torch.float64).T,
    torch.randint(100, (13,), dtype=torch.uint8),
    torch.randn(30).to(torch.bfloat16)[1:],
    numpy.arange(12.0),
    torch.nn.Linear(3, 4),
    [torch.ones(2), {"a": torch.zeros(5)}],
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_equal_values_have_equal_digests_wherever_they_lie(value):
    from perfproof.core.trees import clone

    assert digest(value) == digest(clone(value)) and digest(value)


@pytest.mark.parametrize("at", [0, 499, 999])
def test_one_bit_that_differs_is_seen(at):
    value = torch.randn(1_000)
    other = value.clone()
    other.view(torch.int32)[at] ^= 1
    assert digest(value) != digest(other)


@pytest.mark.parametrize("piece", [16, module.PIECE])
def test_values_in_other_places_are_seen_across_pieces_too(monkeypatch, piece):
    monkeypatch.setattr(module, "PIECE", piece)
    value = torch.randn(100, dtype=torch.float64)
    assert len({tuple(digest(value.roll(by))) for by in (0, 1, 16, 32)}) == 4


@pytest.mark.parametrize("value", [torch.randn(10, dtype=torch.float64), torch.randn(12), torch.ones(64)])
def test_signs_that_change_together_are_seen(value):
    assert digest(value) != digest(-value)
    other = value.clone()
    other[[1, 3]] *= -1
    assert digest(value) != digest(other)


@pytest.mark.parametrize("value", [numpy.float64(2.5), range(7), torch.float16, torch.device("cpu"), "text", 3, None])
def test_what_is_neither_tensor_nor_array_equals_itself(value):
    assert digest([value]) == digest([value])


def test_nothing_has_a_digest_too():
    assert digest(torch.empty(0)) == [(0, 0)] and digest([]) == []
