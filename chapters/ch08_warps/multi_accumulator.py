"""Sum into several independent accumulators, so that an addition need not wait for the one before.

A floating-point addition takes about four cycles, and a core can start one or two per cycle. With one accumulator each
addition waits for the last. A compiler may not reorder floating-point additions, so it keeps this chain. Eight
accumulators are eight chains. `optimized_library` is the matrix product of NumPy.
Predicts: 4x, because a product per cycle needs both load ports; more if the compiler uses vector registers.
No gain where: memory limits the loop. Here every row is used `rows` times from the cache.
"""

import numba
import numpy as np

LATENCY = 4  # cycles of an addition in float32, on x86 and on Arm server cores
LOADS_PER_PRODUCT, LOADS_PER_CYCLE = 2, 2

workload = dict(rows=24, width=4_096)  # 384 KiB, each row read 48 times
workload_cpu = dict(rows=24, width=4_096)
smoke = dict(rows=3, width=1_003)  # ragged on purpose: three elements are left over
tolerance = dict(
    rtol=1e-5, atol=4e-3
)  # sums of 4,096 products near 1 wander to 64; one chain rounds at 2**-24 of that, 4,096 times
tier = "naive"  # NumPy has this one; the loop stands for a sum that no library has
menu = ("both", "compute-bound")


def inputs(rows, width):
    return np.random.standard_normal((rows, width)).astype(np.float32)


def reference(x):
    wide = x.astype(np.float64)
    return np.einsum("ik,jk->ij", wide, wide)


@numba.njit
def one_chain(a, b):
    total = np.float32(0)
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@numba.njit
def eight_chains(a, b):
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = np.float32(0)
    whole = len(a) // 8 * 8
    for k in range(0, whole, 8):
        s0 += a[k] * b[k]
        s1 += a[k + 1] * b[k + 1]
        s2 += a[k + 2] * b[k + 2]
        s3 += a[k + 3] * b[k + 3]
        s4 += a[k + 4] * b[k + 4]
        s5 += a[k + 5] * b[k + 5]
        s6 += a[k + 6] * b[k + 6]
        s7 += a[k + 7] * b[k + 7]
    for k in range(whole, len(a)):
        s0 += a[k] * b[k]
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@numba.njit
def products_of_rows(x, product):
    out = np.empty((len(x), len(x)), np.float32)
    for i in range(len(x)):
        for j in range(len(x)):
            out[i, j] = product(x[i], x[j])
    return out


def baseline(x):
    return products_of_rows(x, one_chain)


def optimized(x):
    return products_of_rows(x, eight_chains)


def optimized_library(x):
    return x @ x.T


def cost(rows, width):
    return dict(
        flops=2 * rows * rows * width,
        bytes=4 * (rows * width + rows * rows),
        predicted_optimized=LATENCY / (LOADS_PER_PRODUCT / LOADS_PER_CYCLE),
    )
