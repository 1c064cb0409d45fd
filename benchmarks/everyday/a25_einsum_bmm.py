"""Write attention scores as a batched matrix product with permutes: einsum does the same, after reading its formula.

einsum parses the formula, permutes, and calls bmm. Writing the permutes saves the parsing, a few microseconds. For
large arrays expect no difference; then take the one that reads better.
"""

import torch

workload = dict(batch=8, tokens=512, heads=16, head=64)
workload_cpu = dict(batch=2, tokens=64, heads=8, head=32)
smoke = dict(batch=1, tokens=7, heads=3, head=5)
tolerance = dict(rtol=1e-4, atol=2e-5)  # float32 sums of up to 64 products, results up to 40
tier = "idiomatic"


def inputs(batch, tokens, heads, head):
    return torch.randn(batch, tokens, heads, head), torch.randn(batch, tokens, heads, head)


def reference(query, key):
    query, key = query.double(), key.double()
    return (query.transpose(1, 2)[:, :, :, None] * key.transpose(1, 2)[:, :, None]).sum(-1)


def baseline(query, key):
    return torch.einsum("bqhd,bkhd->bhqk", query, key)


def optimized(query, key):
    return torch.matmul(query.permute(0, 2, 1, 3), key.permute(0, 2, 3, 1))


def cost(batch, tokens, heads, head):
    arrays = 4 * batch * heads * (2 * tokens * head + tokens * tokens)
    return dict(flops=2 * batch * heads * tokens**2 * head, bytes=arrays)
