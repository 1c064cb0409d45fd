"""Compute a softmax in one kernel that holds a row from its maximum to its last division.

Written as its formula, softmax is five passes over the tensor: maximum, difference, exponential, sum, quotient. Three
of them write the tensor, and all of them read it: 32 bytes per float32 element, of which 8 have to move. One program
per row loads it once and stores it once. Predicts: 4x, the ratio of bytes. No gain for rows too long for the registers
of a program: they have to be read twice. `optimized_torch` is `torch.softmax`: look there before you write your own.
"""

import torch
import triton
import triton.language as tl

workload = dict(rows=16_384, cols=4_096)  # 256 MiB of float32: larger than any L2
smoke = dict(rows=5, cols=777)  # ragged on purpose: the mask must work
tolerance = dict(
    rtol=2e-5, atol=1e-8
)  # an exponential of up to 10 below the maximum: its argument is rounded at 10 * 2**-24
tier = "naive"  # the formula, where a library has the function
counters = ("BYTES", "FLOP")
menu = ("both", "memory-bound")


def inputs(rows, cols):
    return torch.randn(rows, cols)


def reference(x):
    weight = torch.exp(x.double() - x.double().amax(-1, keepdim=True))
    return weight / weight.sum(-1, keepdim=True)


def baseline(x):
    highest = x.amax(-1, keepdim=True)
    weight = torch.exp(x - highest)
    return weight / weight.sum(-1, keepdim=True)


@triton.jit
def softmax_row(x_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * cols  # one program, one row
    column = tl.arange(0, BLOCK)
    inside = column < cols
    x = tl.load(x_ptr + start + column, mask=inside, other=float("-inf"))  # has the weight 0
    weight = tl.exp(x - tl.max(x))
    tl.store(out_ptr + start + column, weight / tl.sum(weight), mask=inside)


def optimized(x):
    x = x.contiguous()  # the kernel goes through rows that lie one after the other
    out = torch.empty_like(x)
    rows, cols = x.shape
    softmax_row[(rows,)](x, out, cols, BLOCK=triton.next_power_of_2(cols), num_warps=8)
    return out


def optimized_torch(x):
    return torch.softmax(x, -1)


def cost(rows, cols):
    return dict(
        flops=5 * rows * cols,
        bytes=8 * rows * cols,
        baseline_bytes=(4 + 8 + 8 + 4 + 8) * rows * cols,  # maximum, difference, exponential, sum, quotient
    )
