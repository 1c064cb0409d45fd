"""Keep tiles of both matrices in shared memory, so that a number that was fetched is used 32 times.

A product of n x n matrices has n multiplications per number. Without a tile each of them loads two factors: 8 bytes for
2 flops, which the L1 has to deliver. A block of 32 x 32 threads that shares two tiles loads each number once per block.
Only where factors come from differs. `optimized_torch` is cuBLAS: the distance is register tiling.
Predicts: 32 times fewer requests to the caches, and less in time, because shared memory is read for every product
instead.
No gain where: matrices are so small that the L1 holds them.
"""

import torch

from perfproof import cuda

TILE = 32

workload = dict(m=2_048, n=2_048, k=2_048)  # 17 GFLOP on 48 MiB
smoke = dict(m=67, n=45, k=129)  # ragged on purpose: the last tile of every edge is cut
tolerance = dict(
    rtol=1e-5, atol=3e-5
)  # sums of up to 2,048 products near 1/45, each rounded at 2**-24, one after the other
tier = "naive"
needs = dict(cuda=8.0)
menu = ("both", "memory-bound")
counters = ("COAL", "SMEM", "L2")

kernels = cuda.source(__file__, defines={"TILE": TILE})


def inputs(m, n, k):
    return torch.randn(m, k), torch.randn(k, n) / k**0.5  # keeps the products near 1


def reference(a, b):
    return a.double() @ b.double()


def multiply(kernel, a, b):
    a, b = a.contiguous(), b.contiguous()
    m, k, n = *a.shape, b.shape[1]
    c = torch.empty(m, n, device=a.device)
    kernel(a, b, c, m, n, k, grid=(-(-n // TILE), -(-m // TILE)), block=(TILE, TILE))
    return c


def baseline(a, b):
    return multiply(kernels.multiply_direct, a, b)


def optimized(a, b):
    return multiply(kernels.multiply_tiled, a, b)


def optimized_torch(a, b):
    return a @ b


def cost(m, n, k):
    # Compulsory bytes: the L2 keeps what blocks share. What the tile saves lies between the L1 and the L2.
    return dict(flops=2 * m * n * k, bytes=4 * (m * k + k * n + m * n))
