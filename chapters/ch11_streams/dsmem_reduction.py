"""Let a cluster of blocks share a row that is too long for one block: each keeps its part in shared memory.

A row of 512 KiB does not fit in the shared memory of a multiprocessor. A single block reads it for the sum of squares
and again for the result: 12 bytes per float32 value. Eight blocks of a cluster hold it together, 64 KiB each, and read
each other's sums from distributed shared memory without a second kernel: 8 bytes. Predicts: 1.5x. No gain if rows fit
in one block, or if the second read comes from the L2 cache. `optimized_torch` is PyTorch's own rms_norm.
"""

import torch

from perfproof import cuda

TINY = 1e-6
THREADS, BLOCKS = 512, 8  # of a block, of a cluster; 8 is what every GPU with clusters can do

workload = dict(rows=512, cols=131_072)  # 256 MiB in and out: larger than any L2
smoke = dict(rows=3, cols=10_007)  # ragged on purpose: no row but the first begins at 16 bytes, and parts differ
tolerance = dict(rtol=1e-5, atol=1e-6)  # a float32 sum of squares in another order, a root and a product
tier = "idiomatic"
needs = dict(cuda=9.0)
menu = ("both", "memory-bound")
counters = ("DSM", "BASE")

kernels = cuda.source(__file__, defines={"THREADS": THREADS, "BLOCKS": BLOCKS})


def inputs(rows, cols):
    return torch.randn(rows, cols)


def reference(x):
    wide = x.double()
    return wide / (wide.square().mean(-1, keepdim=True) + TINY).sqrt()


def words_of(x):
    """Contiguous, and how many floats are loaded at once: four if every row begins at a multiple of 16 bytes."""
    x = x.contiguous()
    return x, 4 if x.shape[1] % 4 == 0 and x.data_ptr() % 16 == 0 else 1


def baseline(x):
    x, width = words_of(x)
    out = torch.empty_like(x)
    kernel = kernels["one_block<float4>"] if width == 4 else kernels["one_block<float>"]
    kernel(x, out, x.shape[1] // width, x.shape[1], TINY, grid=x.shape[0], block=THREADS)
    return out


def optimized(x):
    x, width = words_of(x)
    out = torch.empty_like(x)
    rows, words = x.shape[0], x.shape[1] // width
    part = -(-words // BLOCKS)
    kernel = kernels["cluster_of_blocks<float4>"] if width == 4 else kernels["cluster_of_blocks<float>"]
    shared = 16 * (-(-part * width // 4) + -(-THREADS // 128))  # bytes: a part, and a sum per warp
    kernel(*(x, out, words, x.shape[1], TINY, part), grid=rows * BLOCKS, block=THREADS, shared=shared, cluster=BLOCKS)
    return out


def optimized_torch(x):
    return torch.nn.functional.rms_norm(x.contiguous(), (x.shape[1],), eps=TINY)


def cost(rows, cols):
    count = rows * cols
    return dict(flops=4 * count, bytes=8 * count, baseline_bytes=12 * count, optimized_bytes=8 * count)
