"""Multiply many small matrices with one batched call, not with one call each.

A 256 x 256 x 256 product is 34 MFLOP: less than a microsecond of a large GPU, and its output is 4 tiles of 128 x 128
for more than a hundred multiprocessors. The loop launches forty such kernels one after the other and leaves the chip
nearly empty forty times; bmm launches once, with 160 tiles in flight. The flops are equal; stacking the results costs
the loop one more read and write of the output, 5 passes over a matrix instead of 3. So bytes alone say 1.67x; launches
say 41 to 1, and as long as a product is shorter than its launch it is the launches that decide. On a CPU the same loop
pays the dispatcher and the set-up of a matrix product forty times.
"""

import torch

workload = dict(count=40, size=256, dtype="float16")  # 1.3 GFLOP in all: microseconds, if the chip were full
workload_cpu = dict(count=40, size=32, dtype="float32")  # a product of about a microsecond, shorter than its dispatch
smoke = dict(count=7, size=33, dtype="float32")
tolerance = dict(
    float16=dict(rtol=2e-3, atol=2e-3),  # results near 1, rounded at 2**-11; halves of a split sum are rounded too
    float32=dict(rtol=1e-5, atol=1e-5),  # sums of up to 256 products near 1/16, each rounded at 2**-24
)
tier = "idiomatic"
tour = True
menu = ("both", "launch-bound")


def inputs(count, size, dtype):
    kind = getattr(torch, dtype)
    left = torch.randn(count, size, size, dtype=kind)
    right = torch.randn(count, size, size, dtype=kind) / size**0.5  # keeps the products near 1
    return left, right


def reference(left, right):
    return left.double() @ right.double()


def baseline(left, right):
    return torch.stack([a @ b for a, b in zip(left, right, strict=True)])


def optimized(left, right):
    return torch.bmm(left, right)


def cost(count, size, dtype):
    matrices = count * size**2 * getattr(torch, dtype).itemsize
    return dict(flops=2 * count * size**3, bytes=3 * matrices, baseline_bytes=5 * matrices)
