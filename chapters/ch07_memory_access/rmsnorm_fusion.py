"""Fuse RMSNorm so that every element crosses memory once.

Eager PyTorch runs RMSNorm as six kernels over the whole tensor. Each reads its input from memory and writes its output
back: 36 bytes for every bfloat16 element. A fused kernel keeps a row in registers: 4 bytes. The arithmetic is trivial
beside that. `optimized_torch` is the fused kernel that PyTorch brings: look there before you write your own.
Predicts: the ratio of bytes, 9x.
No gain where: rows stay in a cache between the kernels; then launches are what is saved (`ch12:kernel_fusion`).
"""

import torch
import triton
import triton.language as tl

EPS = 1e-6

workload = dict(rows=16_384, cols=4_096, dtype="bfloat16")  # 128 MiB: larger than any L2
smoke = dict(rows=5, cols=777, dtype="float32")  # ragged on purpose: the mask must work
constant = ("weight",)
tolerance = dict(
    bfloat16=dict(rtol=1e-2, atol=1e-3),  # the baseline rounds twice, at 2**-8 each: 0.8 % at worst
    float32=dict(rtol=1e-5, atol=1e-6),  # a mean of squares and two products, a few times 2**-24
)
tier = "idiomatic"
tour = True
menu = ("both", "memory-bound")


def inputs(rows, cols, dtype):
    kind = getattr(torch, dtype)
    return torch.randn(rows, cols, dtype=kind), torch.randn(cols, dtype=kind)


def reference(x, weight):
    wide = x.double()
    return wide / torch.sqrt(wide.square().mean(-1, keepdim=True) + EPS) * weight.double()


def baseline(x, weight):
    wide = x.float()
    scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + EPS)
    return (wide * scale).to(x.dtype) * weight


@triton.jit
def rmsnorm_row(x_ptr, weight_ptr, out_ptr, cols, eps, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * cols  # one program, one row
    column = tl.arange(0, BLOCK)
    inside = column < cols
    x = tl.load(x_ptr + start + column, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + column, mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(x * x) / cols + eps)
    tl.store(out_ptr + start + column, (x * scale * weight).to(out_ptr.dtype.element_ty), mask=inside)


def optimized(x, weight):
    x = x.contiguous()  # the kernel goes through rows that lie one after the other
    out = torch.empty_like(x)
    rows, cols = x.shape
    rmsnorm_row[(rows,)](x, weight, out, cols, EPS, BLOCK=triton.next_power_of_2(cols))
    return out


def optimized_torch(x, weight):
    return torch.nn.functional.rms_norm(x, weight.shape, weight, EPS)


def cost(rows, cols, dtype):
    size = getattr(torch, dtype).itemsize
    eager = 36 if size == 2 else 28  # float32 needs neither cast
    return dict(flops=4 * rows * cols, bytes=2 * size * rows * cols, baseline_bytes=eager * rows * cols)
