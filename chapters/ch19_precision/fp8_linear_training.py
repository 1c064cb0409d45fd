"""Train linear layers in 8-bit floating point, and convert each tensor in two passes that write both its layouts.

Tensor cores multiply float8 at twice the rate of bfloat16, but only rows that lie one after the other, and the backward
pass multiplies transposed. So one kernel finds a tensor's largest value. A second divides by the power of two that
brings it under 448, the limit of E4M3, and writes the numbers and their transpose. `optimized_eager` uses torch's
operators: a pass for each, and slow transposes. Sums, weights and updates stay wide.
Predicts: products at twice the rate, less the conversions: 1.5x, in eager code 1.4x at best.
No gain where: layers are small, so that conversions take longer than the products save.
"""

import torch
import triton
import triton.language as tl

RATE, LIMIT = 0.6, 448.0  # learning rate times hidden width; the largest E4M3 number
PROBE = 8  # rows of the last prediction that are returned
BLOCK, TILE = 8_192, 128  # values per program that finds the largest; side of a tile that is converted
BF16, FP8, MEMORY = 688e12, 1_330e12, 4.25e12  # operations and bytes per second that an H200 keeps up

workload = dict(steps=4, batch=8_192, width=4_096, hidden=8_192)  # 2.7 TFLOP per step
smoke = dict(steps=4, batch=96, width=144, hidden=208)  # multiples of 16, as the hardware's layouts want
tolerance = dict(
    float64=dict(rtol=6e-3, atol=0.0),  # losses: means over a batch of errors of which each is wrong by a few per cent
    # Predictions near 1: two layers of sums rounded at 2**-4 (6 %), and their training.
    bfloat16=dict(rtol=5e-2, atol=0.35),
)
lowers_precision = "fp8"
tier = "idiomatic"
needs = dict(cuda=8.9)
menu = ("training", "compute-bound")


def inputs(steps, batch, width, hidden):
    """Batches of a task that can be learned: a linear map of the features, of a strength that makes losses differ."""
    x = torch.randn(steps, batch, width, dtype=torch.bfloat16)
    y = x @ ((1 + 2 * torch.rand(())) * torch.randn(width, width) / width**0.5).bfloat16()
    return x, y, torch.randn(hidden, width) * (2 / width) ** 0.5, torch.randn(width, hidden) / hidden**0.5


def reference(x, y, up, down):
    wide_up, wide_down, losses = up.double(), down.double(), []
    for features, target in zip(x.double(), y.double(), strict=True):
        hidden = torch.relu(features @ wide_up.T)
        predicted = hidden @ wide_down.T
        error = predicted - target
        losses.append(error.square().mean())
        slope = error * (2 * RATE / (len(error) * len(up)))
        below = (slope @ wide_down) * (hidden > 0)
        wide_down = wide_down - slope.T @ hidden
        wide_up = wide_up - below.T @ features
    return torch.stack(losses), predicted[:PROBE]


def train(x, y, up, down, store, turn, product):
    """Gradient descent. `store` makes an operand, `turn` transposes one, `product` is a times b transposed."""
    up, down, losses = up.clone(), down.clone(), []
    for features, target in zip(x, y, strict=True):
        stored, stored_up, stored_down = store(features), store(up), store(down)
        hidden = torch.relu(product(stored, stored_up))
        stored_hidden = store(hidden)
        predicted = product(stored_hidden, stored_down)
        error = predicted - target
        losses.append(error.square().mean(dtype=torch.float32))
        slope = store(error * (2 * RATE / (len(error) * len(up))))
        below = store(product(slope, turn(stored_down)) * (hidden > 0))
        down -= product(turn(slope), turn(stored_hidden))
        up -= product(turn(below), turn(stored))
    return torch.stack(losses).double(), predicted[:PROBE].clone()


def baseline(x, y, up, down):
    return train(x, y, up, down, torch.Tensor.bfloat16, torch.t, lambda a, b: a @ b.T)


@triton.jit
def find_largest(x_ptr, largest_ptr, count, BLOCK: tl.constexpr):
    place = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + place, mask=place < count, other=0.0)
    tl.atomic_max(largest_ptr, tl.max(tl.abs(x.to(tl.float32))))


@triton.jit
def convert(
    x_ptr, largest_ptr, numbers_ptr, turned_ptr, scale_ptr, rows, cols, LIMIT: tl.constexpr, TILE: tl.constexpr
):
    """One tile, in both layouts. Adding all bits of the mantissa rounds the scale up to a power of two."""
    ratio = tl.maximum(tl.load(largest_ptr), 1e-30) / LIMIT
    scale = ((ratio.to(tl.int32, bitcast=True) + 0x7FFFFF) & 0x7F800000).to(tl.float32, bitcast=True)
    row = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    column = tl.program_id(1).to(tl.int64) * TILE + tl.arange(0, TILE)
    inside = (row < rows)[:, None] & (column < cols)[None, :]
    place = row[:, None] * cols + column[None, :]
    x = tl.load(x_ptr + place, mask=inside, other=0.0)
    numbers = (x.to(tl.float32) / scale).to(tl.float8e4nv)
    tl.store(numbers_ptr + place, numbers, mask=inside)
    there = (column < cols)[:, None] & (row < rows)[None, :]
    tl.store(turned_ptr + column[:, None] * rows + row[None, :], tl.trans(numbers), mask=there)
    if (tl.program_id(0) == 0) & (tl.program_id(1) == 0):
        tl.store(scale_ptr, scale)


def both_layouts(x):
    """E4M3 numbers, the same transposed, and their scale.

    Weights become bfloat16 first: Triton 3.6 writes a wrong transpose of what it loaded as float32 (seen on an H200).
    """
    x, (rows, cols) = x.bfloat16().contiguous(), x.shape
    largest, scale = torch.zeros((), device=x.device), torch.empty((), device=x.device)
    numbers = torch.empty(rows, cols, dtype=torch.float8_e4m3fn, device=x.device)
    turned = torch.empty(cols, rows, dtype=torch.float8_e4m3fn, device=x.device)
    find_largest[(triton.cdiv(rows * cols, BLOCK),)](x, largest, rows * cols, BLOCK=BLOCK, num_warps=8)
    tiles = (triton.cdiv(rows, TILE), triton.cdiv(cols, TILE))
    convert[tiles](x, largest, numbers, turned, scale, rows, cols, LIMIT=LIMIT, TILE=TILE, num_warps=8)
    return numbers, turned, scale


def scaled_product(a, b):
    """Multiply two operands: each holds its numbers first and its scale last."""
    return torch._scaled_mm(a[0], b[0].t(), a[-1], b[-1], out_dtype=torch.bfloat16)


def optimized(x, y, up, down):
    return train(x, y, up, down, both_layouts, lambda stored: (stored[1], stored[0], stored[2]), scaled_product)


def quantised(x):
    """E4M3 numbers and their scale, a power of two: dividing by it rounds nothing."""
    largest = torch.linalg.vector_norm(x, float("inf")).float().clamp_min(1e-30)
    scale = torch.exp2(torch.ceil(torch.log2(largest / LIMIT)))
    return (x / scale).to(torch.float8_e4m3fn), scale


def optimized_eager(x, y, up, down):
    return train(x, y, up, down, quantised, lambda stored: (stored[0].t().contiguous(), stored[1]), scaled_product)


def cost(steps, batch, width, hidden):
    rows, inner, weights = batch * width, batch * hidden, 2 * width * hidden
    flops = 10 * batch * width * hidden
    # Bytes besides the products: rectifier, mask, loss and update on every side, then what is stored as an operand.
    everywhere = 12 * inner + 16 * rows + 10 * weights
    wide = flops / BF16 + (everywhere + 6 * weights) / MEMORY
    narrow, eager = (
        flops / FP8 + (everywhere + stored) / MEMORY
        for stored in (12 * (rows + inner) + 12 * weights, 22 * (rows + inner) + 18 * weights)
    )
    return dict(
        flops=steps * flops,
        bytes=steps * (4 * rows + 8 * weights),
        predicted_optimized=wide / narrow,
        predicted_optimized_eager=wide / eager,
    )


def loss_curve(side, steps):
    """Losses of a call with so many steps: the network learns to move each feature on by one."""
    x = torch.randn(steps, 128, 32, dtype=torch.bfloat16)
    weights = torch.randn(64, 32) / 4, torch.randn(32, 64) / 8
    return (optimized if side == "optimized" else baseline)(x, x.roll(1, -1), *weights)[0].tolist()
