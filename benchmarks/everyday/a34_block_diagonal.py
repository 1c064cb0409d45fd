"""Multiply a block-diagonal matrix block by block, not as one dense matrix.

The dense product spends (count - 1) / count of its flops and of its bytes on zeros. A loop over the blocks does the
rest alone; it pays a dispatch per block, so blocks should not be tiny.
"""

import torch

workload = dict(rows=1_024, count=16, size=256)
workload_cpu = dict(rows=128, count=8, size=64)
smoke = dict(rows=5, count=3, size=7)
constant = ("blocks",)
tolerance = dict(rtol=1e-4, atol=2e-5)  # float32 sums of up to 256 products, results near 1
tier = "naive"


def inputs(rows, count, size):
    return torch.randn(rows, count * size), torch.randn(count, size, size) / size**0.5


def reference(x, blocks):
    parts = x.double().unflatten(-1, blocks.shape[:2])
    return torch.einsum("rcs,cst->rct", parts, blocks.double()).flatten(1)


def prepare_baseline(x, blocks):
    return torch.block_diag(*blocks)


def baseline(dense, x, blocks):
    return x @ dense


def optimized(x, blocks):
    parts = x.chunk(len(blocks), dim=-1)
    return torch.cat([part @ block for part, block in zip(parts, blocks, strict=True)], dim=-1)


def cost(rows, count, size):
    flops = 2 * rows * count * size**2
    array = 4 * rows * count * size
    blocks = 4 * count * size**2
    return dict(
        flops=flops,
        baseline_flops=flops * count,
        bytes=2 * array + blocks,
        baseline_bytes=2 * array + blocks * count,
        optimized_bytes=4 * array + blocks,
    )
