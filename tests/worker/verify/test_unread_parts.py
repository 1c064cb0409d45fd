"""Parts of an argument that can be exchanged without a trace are named."""

from dataclasses import dataclass

import pytest
import torch
from torch import nn

from perfproof.worker.verify import unread_parts
from perfproof.worker.verify.case import Contract


@dataclass(frozen=True)
class Batch:
    x: torch.Tensor
    norm: torch.Tensor


class Block(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.branch, self.head, self.factor = nn.Linear(8, 8), nn.Linear(8, 4), factor

    def forward(self, x):
        return self.head(x + self.factor * self.branch(x)).detach()


def batch():
    x = torch.randn(8, 4)
    return Batch(x, x.norm(dim=1))


def said(make, baseline):
    declared = dict(constant=(), mutates=(), tolerance=dict(rtol=1e-4, atol=1e-5), lowers_precision="", device="cpu")
    contract = Contract(names=("given",), **declared)
    return unread_parts.check(contract, lambda own: (baseline(*own), {}), [(make(),) for _ in range(3)])


X = torch.randn(16, 8)


@pytest.mark.parametrize(
    ("make", "baseline", "parts"),
    [
        (batch, lambda given: given.x.norm(dim=1), "`given.norm` are read"),
        (lambda: vars(batch()), lambda given: given["x"].norm(dim=1), "`given.norm` are read"),
        (lambda: Block(1e-7), lambda given: given(X), "`given.branch.weight`, `given.branch.bias` are read"),
    ],
    ids=["record", "dict", "module"],
)
def test_a_part_that_nothing_proves_to_be_read_is_named(make, baseline, parts):
    (line,) = said(make, baseline)
    assert parts in line


@pytest.mark.parametrize(
    ("make", "baseline"),
    [(batch, lambda given: given.x / given.norm[:, None]), (lambda: Block(0.5), lambda given: given(X))],
    ids=["record", "module"],
)
def test_parts_that_change_the_answer_are_not_named(make, baseline):
    assert said(make, baseline) == []
