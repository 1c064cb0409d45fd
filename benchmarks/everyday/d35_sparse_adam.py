"""Embedding update: SparseAdam touches only the rows of the batch."""

import torch

constant = ["table"]


def inputs():
    table = torch.randn(500, 16)
    return torch.randint(500, (64,)), torch.randn(64, 16), table


def run(ids, target, table, sparse):
    emb = torch.nn.Embedding(*table.shape, sparse=sparse, _weight=table.clone())
    if sparse:
        opt = torch.optim.SparseAdam(emb.parameters(), lr=0.01)
    else:
        opt = torch.optim.Adam(emb.parameters(), lr=0.01)
    (emb(ids) - target).square().sum().backward()
    opt.step()
    return emb.weight.detach()


def baseline(ids, target, table):
    return run(ids, target, table, False)


def optimized(ids, target, table):
    return run(ids, target, table, True)
