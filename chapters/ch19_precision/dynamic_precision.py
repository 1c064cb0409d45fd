"""Let the device decide the precision of its next layer: a decision on the host stops the queue.

Weights are kept as two planes of 8 bits. A layer whose input has outliers reads both, others read only the upper one
and move half of the bytes. If the host looks at the input to choose a kernel, it waits for the device at every layer.
If the kernel reads the choice from memory, nothing waits, and the whole loop can be captured in a graph.
Predicts: the same bytes; one wait per layer goes, about 2x where a layer is as short as a launch.
No gain where: layers run for much longer than a wait of 20 microseconds.
"""

import torch
import triton
import triton.language as tl

ROWS, COLUMNS = 8, 1_024  # of a tile of weights: 8 KiB, four programs per multiprocessor at this width

workload = dict(layers=32, width=4_096, limit=3.6)  # 512 MiB per plane; about half of the layers have an outlier
smoke = dict(layers=5, width=77, limit=2.5)
constant = ("upper", "lower", "scale", "limit")
tolerance = dict(rtol=1e-4, atol=1e-4)  # results near 1; sums of 4,096 products, rounded at 2**-24, over 32 layers
tier = "idiomatic"
menu = ("inference", "host-bound")


def inputs(layers, width, limit):
    upper, lower = (torch.randint(-127, 128, (layers, width, width), dtype=torch.int8) for _ in range(2))
    scale = (torch.rand(layers, width) + 0.5) / (73 * width**0.5)
    return torch.randn(width), upper, lower, scale, limit


def reference(x, upper, lower, scale, limit):
    x = x.double()
    for high, low, steps in zip(upper, lower, scale.double(), strict=True):
        x = x / (x.square().mean() + 1e-12).sqrt()
        weight = high.double() + low.double() / 256 if x.abs().max() > limit else high.double()
        x = steps * (weight @ x)
    return x


@triton.jit
def normalise(x_ptr, out_ptr, choice_ptr, width, limit, BLOCK: tl.constexpr):
    """One program: the vector over its root mean square, and whether it has an outlier."""
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + column, mask=column < width, other=0.0)
    x = x / tl.sqrt(tl.sum(x * x) / width + 1e-12)
    tl.store(out_ptr + column, x, mask=column < width)
    tl.store(choice_ptr, (tl.max(tl.abs(x)) > limit).to(tl.int32))


@triton.jit
def multiply(
    x_ptr, upper_ptr, lower_ptr, scale_ptr, choice_ptr, out_ptr, width,
    CHOICE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """ROWS rows of weights times the vector. CHOICE: 0 upper plane, 1 both, 2 as the memory at `choice_ptr` says."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    both = CHOICE
    if CHOICE == 2:
        both = tl.load(choice_ptr)
    total = tl.zeros([ROWS, COLUMNS], tl.float32)
    for first in range(0, width, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        inside = (row < width)[:, None] & (column < width)[None, :]
        place = row.to(tl.int64)[:, None] * width + column[None, :]
        x = tl.load(x_ptr + column, mask=column < width, other=0.0)
        weight = tl.load(upper_ptr + place, mask=inside, other=0).to(tl.float32)
        low = tl.load(lower_ptr + place, mask=inside & (both == 1), other=0)  # masked loads move nothing
        total += (weight + low.to(tl.float32) / 256) * x[None, :]
    scale = tl.load(scale_ptr + row, mask=row < width, other=0.0)
    tl.store(out_ptr + row, tl.sum(total, 1) * scale, mask=row < width)


def run_layers(x, upper, lower, scale, limit, choose):
    upper, lower, scale, x = upper.contiguous(), lower.contiguous(), scale.contiguous(), x.contiguous()
    width, normal, choice = len(x), torch.empty_like(x), torch.empty(1, dtype=torch.int32, device=x.device)
    for high, low, steps in zip(upper, lower, scale, strict=True):
        normalise[(1,)](x, normal, choice, width, limit, BLOCK=triton.next_power_of_2(width), num_warps=8)
        x = torch.empty_like(x)
        multiply[(triton.cdiv(width, ROWS),)](
            normal, high, low, steps, choice, x, width, CHOICE=choose(choice), ROWS=ROWS, COLUMNS=COLUMNS
        )
    return x


def baseline(x, upper, lower, scale, limit):
    return run_layers(x, upper, lower, scale, limit, choose=torch.Tensor.item)  # waits for the device


def optimized(x, upper, lower, scale, limit):
    return run_layers(x, upper, lower, scale, limit, choose=lambda choice: 2)


def cost(layers, width, limit):
    return dict(
        flops=2 * layers * width**2,
        bytes=layers * width**2,  # the upper planes; how many lower ones depends on the data, on both sides alike
    )
