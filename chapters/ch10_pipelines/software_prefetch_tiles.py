"""Copy a tile into a small buffer before you use it many times: packed tiles stay in the first-level cache.

A blocked product uses a tile of `b` once per row of `a`. In place, the rows of a tile lie a whole matrix row apart. If
that is a power of two, they fall into the same few sets of the cache and push each other out, although the tile is
small. A packed tile lies in one piece. Loops and arithmetic are the same. `optimized_library` is NumPy's product, which
packs as well.
Predicts: what the second cache delivers per cycle against the first, about 1.6x.
No gain where: rows spread over the sets, or few rows of `a` use a tile.
"""

import numba
import numpy as np

TILE = 64  # a tile of 64 x 64 is 16 KiB: half of a first-level cache
FIRST, SECOND = 64, 40  # bytes per cycle from the first-level cache and from the second, estimated

workload = dict(rows=96, cols=2_048, depth=512)  # rows of 8 KiB: a tile's rows share four sets of the cache
workload_cpu = dict(rows=96, cols=2_048, depth=512)
smoke = dict(rows=7, cols=131, depth=77)  # ragged on purpose: the last tiles are cut in both directions
tolerance = dict(rtol=1e-5, atol=2e-5)  # 512 products near 1/23 in float32, 2**-24 each, in another order
tier = "naive"  # a hand-written product where a library has one
menu = ("both", "memory-bound")


def inputs(rows, cols, depth):
    a = np.random.standard_normal((rows, depth)).astype(np.float32)
    return a, (np.random.standard_normal((depth, cols)) / depth**0.5).astype(np.float32)  # keeps the products near 1


def reference(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


@numba.njit
def add_tile(a, start, source, top, side, deep, wide, out, left):
    """out += columns `start` on of a, times the tile of `source` that begins at row `top` and column `side`."""
    for i in range(a.shape[0]):
        row, sums = a[i, start : start + deep], out[i, left : left + wide]
        whole = deep // 4 * 4
        for k in range(0, whole, 4):  # four rows of the tile for each time that the sums are loaded and stored
            k0, k1 = source[top + k, side : side + wide], source[top + k + 1, side : side + wide]
            k2, k3 = source[top + k + 2, side : side + wide], source[top + k + 3, side : side + wide]
            for j in range(wide):
                sums[j] += (row[k] * k0[j] + row[k + 1] * k1[j]) + (row[k + 2] * k2[j] + row[k + 3] * k3[j])
        for k in range(whole, deep):
            k0 = source[top + k, side : side + wide]
            for j in range(wide):
                sums[j] += row[k] * k0[j]


@numba.njit
def multiply_in_place(a, b, out, tile):
    depth, cols = b.shape
    for left in range(0, cols, tile):
        for start in range(0, depth, tile):
            deep, wide = min(tile, depth - start), min(tile, cols - left)
            add_tile(a, start, b, start, left, deep, wide, out, left)


@numba.njit
def multiply_packed(a, b, out, tile):
    depth, cols = b.shape
    packed = np.empty((tile, tile), b.dtype)
    for left in range(0, cols, tile):
        for start in range(0, depth, tile):
            deep, wide = min(tile, depth - start), min(tile, cols - left)
            for k in range(deep):
                packed[k, :wide] = b[start + k, left : left + wide]
            add_tile(a, start, packed, 0, 0, deep, wide, out, left)


def multiplied(kernel, a, b):
    out = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    kernel(np.ascontiguousarray(a), np.ascontiguousarray(b), out, TILE)
    return out


def baseline(a, b):
    return multiplied(multiply_in_place, a, b)


def optimized(a, b):
    return multiplied(multiply_packed, a, b)


def optimized_library(a, b):
    return a @ b


def cost(rows, cols, depth):
    return dict(
        flops=2 * rows * cols * depth,
        bytes=4 * (rows * depth + depth * cols + rows * cols),
        predicted_optimized=FIRST / SECOND,
    )
