"""Train linear layers in 8-bit floating point with a scale per tensor, and hold the loss curve against bfloat16.

Tensor cores multiply float8 at twice the rate of bfloat16. Each tensor is divided by a power of two that brings its
largest value under 448, the limit of E4M3; sums, master weights and updates stay in wider formats. Every tensor is
quantised once per step and used by the forward and the backward product.
Predicts: up to 2x on the products; the passes that find scales and convert are the price.
No gain where: layers are small: then the conversions take longer than the products save.
"""

import torch

# Learning rate times hidden width; the largest E4M3 number; rows of the last prediction that are returned.
RATE, LIMIT, PROBE = 0.6, 448.0, 8

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


def quantised(x):
    """E4M3 numbers and their scale, a power of two: dividing by it rounds nothing."""
    largest = torch.linalg.vector_norm(x, float("inf")).float().clamp_min(1e-30)
    scale = torch.exp2(torch.ceil(torch.log2(largest / LIMIT)))
    return (x / scale).to(torch.float8_e4m3fn), scale


def turned(stored):
    """The product wants rows that lie one after the other in both operands."""
    numbers, scale = stored
    return numbers.t().contiguous(), scale


def scaled_product(a, b):
    return torch._scaled_mm(a[0], b[0].t(), a[1], b[1], out_dtype=torch.bfloat16)


def optimized(x, y, up, down):
    return train(x, y, up, down, quantised, turned, scaled_product)


def cost(steps, batch, width, hidden):
    rows = 2 * batch * width  # bfloat16 in and out
    return dict(flops=steps * 10 * batch * width * hidden, bytes=steps * (2 * rows + 4 * 4 * width * hidden))
