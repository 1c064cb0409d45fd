"""Add the bias and apply the activation inside the matrix product, before its result is written.

`relu(x @ weight + bias)` writes the product to memory and reads and writes it twice more, for two operations per
element. The product holds each result in registers at its end; there both operations are free. Predicts: on an H200
the four passes over the result take four fifths of the time of the product, 1.8x. No gain for deep products, where the
passes are small beside the operations. `optimized_bias` puts only the bias inside, with a public function. On a CPU
the activation of `optimized` is still a pass of its own.
"""

import torch

# By type: operations in the time of one byte (989 TFLOP/s and 4.8 TB/s of an H200; an estimate for a core of a CPU),
# and how often the activation of `optimized` still reads or writes the result.
RIDGE = dict(bfloat16=206, float32=10)
LEFT = dict(bfloat16=0, float32=2)

workload = dict(rows=16_384, depth=1_024, cols=4_096, dtype="bfloat16")  # the result is 128 MiB
workload_cpu = dict(rows=1_024, depth=64, cols=1_024, dtype="float32")  # the result is 4 MiB
smoke = dict(rows=37, depth=33, cols=51, dtype="float32")
constant = ("weight", "bias")
tolerance = dict(
    bfloat16=dict(rtol=2e-2, atol=2e-2),  # the baseline rounds the product, then the sum, at 2**-8 of up to 4
    float32=dict(rtol=1e-5, atol=2e-5),  # sums of 64 products near 1 / 8, 2**-24 each
)
tier = "idiomatic"
counters = ("BYTES", "FLOP", "TC")
menu = ("both", "memory-bound")


def inputs(rows, depth, cols, dtype):
    kind = getattr(torch, dtype)
    weight = torch.randn(depth, cols, dtype=kind) / depth**0.5  # keeps the products near 1
    return torch.randn(rows, depth, dtype=kind), weight, torch.randn(cols, dtype=kind)


def reference(x, weight, bias):
    return torch.clamp(x.double() @ weight.double() + bias.double(), min=0)


def baseline(x, weight, bias):
    return torch.relu(x @ weight + bias)


def optimized(x, weight, bias):
    return torch._addmm_activation(bias, x, weight)  # on a GPU: the epilogue of cuBLASLt


def optimized_bias(x, weight, bias):
    return torch.addmm(bias, x, weight).relu_()


def cost(rows, depth, cols, dtype):
    size = getattr(torch, dtype).itemsize
    result = rows * cols * size
    needed = (rows * depth + depth * cols + cols) * size + result
    product = 2 * rows * cols * depth / RIDGE[dtype]  # the kernels run in turn, so their times add up
    return dict(
        flops=2 * rows * cols * depth,
        bytes=needed,
        predicted_optimized=(product + 4 * result) / (product + LEFT[dtype] * result),
        predicted_optimized_bias=(product + 4 * result) / (product + 2 * result),
        baseline_bytes=needed + 4 * result,
        optimized_bytes=needed + LEFT[dtype] * result,
        optimized_bias_bytes=needed + 2 * result,
        baseline_launches=3,
        optimized_launches=1,
        optimized_bias_launches=2,
    )
