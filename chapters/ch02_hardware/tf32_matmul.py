"""Let float32 matrix products run on the tensor cores (TF32) where three decimal digits are enough: one switch.

PyTorch multiplies float32 matrices on the vector units unless it is told otherwise, and leaves the tensor cores idle.
TF32 keeps float32 in memory and its range of exponents; the inputs of each product are rounded to 10 bits behind the
point, the sums stay in float32. The data sheet of an H200 has 495 TFLOP/s for TF32 and 67 for float32: 7.4x, less what
the power limit takes from the faster side and what memory takes from both. No byte is saved, and nothing is converted.
The price is in the answer: about 0.04 % of its scale instead of 0.00001 %. The switch belongs to the whole process; a
program sets it once at its start, here each call puts it back.
"""

import torch

VECTOR, TENSOR_CORES = 67e12, 495e12  # flops a second in float32 and in TF32: the data sheet of an H200

workload = dict(rows=8_192, width=4_096)  # the products of a layer of 4,096 on 8,192 tokens
smoke = dict(rows=19, width=77)
constant = ("weight",)
tolerance = dict(rtol=1e-3, atol=4e-3)  # sums near 1 of products of two numbers rounded at 2**-11 (0.05 %)
lowers_precision = "tf32"
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("training", "compute-bound")


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(width, width) / width**0.5  # keeps the products near 1


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def optimized(x, weight):
    usual = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    product = x @ weight
    torch.set_float32_matmul_precision(usual)
    return product


def cost(rows, width):
    numbers = 2 * rows * width + width**2
    return dict(flops=2 * rows * width**2, bytes=4 * numbers, predicted_optimized=TENSOR_CORES / VECTOR)
