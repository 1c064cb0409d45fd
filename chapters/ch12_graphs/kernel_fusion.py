"""Fuse small kernels that follow each other into one: on little data the launches are the time.

A residual connection and its normalisation are seven operations in eager PyTorch. During decoding they work on a few
rows that stay in the L2 cache, each for about a microsecond, while launching one takes five to ten. One kernel does all
of them. A graph would make each launch cheaper but keep seven kernels and the gaps between them.
Predicts: seven launches become one, 7x. No gain if kernels are long; then the bytes count (`ch07:rmsnorm_fusion`).
`optimized_torch` has two kernels: an addition and PyTorch's own rms_norm.
"""

import torch
import triton
import triton.language as tl

TINY = 1e-6

workload = dict(rows=8, width=4_096)  # 128 KiB: launching is all there is to save
smoke = dict(rows=3, width=1_003)  # ragged on purpose: the mask must work
constant = ("gain",)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a float32 mean of squares in another order, a root and two products
tier = "idiomatic"
menu = ("inference", "launch-bound")


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(rows, width), torch.rand(width) + 0.5


def reference(x, residual, gain):
    total = x.double() + residual.double()
    return total, total / (total.square().mean(-1, keepdim=True) + TINY).sqrt() * gain.double()


def baseline(x, residual, gain):
    total = x + residual
    return total, total * torch.rsqrt(total.square().mean(-1, keepdim=True) + TINY) * gain


@triton.jit
def add_and_normalise(x_ptr, residual_ptr, gain_ptr, total_ptr, out_ptr, width, tiny, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < width
    place = tl.program_id(0).to(tl.int64) * width + column
    x = tl.load(x_ptr + place, mask=inside, other=0.0)
    total = x + tl.load(residual_ptr + place, mask=inside, other=0.0)
    factor = tl.rsqrt(tl.sum(total * total, axis=0) / width + tiny)
    gain = tl.load(gain_ptr + column, mask=inside, other=0.0)
    tl.store(total_ptr + place, total, mask=inside)
    tl.store(out_ptr + place, total * factor * gain, mask=inside)


def optimized(x, residual, gain):
    x, residual, gain = x.contiguous(), residual.contiguous(), gain.contiguous()
    total, out = torch.empty_like(x), torch.empty_like(x)
    rows, width = x.shape
    block = triton.next_power_of_2(width)
    add_and_normalise[(rows,)](x, residual, gain, total, out, width, TINY, BLOCK=block, num_warps=8)
    return total, out


def optimized_torch(x, residual, gain):
    total = x + residual
    return total, torch.nn.functional.rms_norm(total, (total.shape[-1],), gain, eps=TINY)


def cost(rows, width):
    count = rows * width
    return dict(flops=6 * count, launches=7, optimized_launches=1, optimized_torch_launches=2)
