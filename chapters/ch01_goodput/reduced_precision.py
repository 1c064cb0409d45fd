"""Do large matrix products in bfloat16 where two to three decimal digits are enough: nothing else has to change.

Half the bytes, and on matrix units many times the arithmetic: an H200 does float32 products on its vector units, and
bfloat16 on tensor cores that are more than ten times as fast. At these sizes a product does hundreds of flops for each
byte, so the rates decide and the byte count only helps. The weights are converted once, ahead of time; the activations
come and go as float32, so their conversion is in every timed call. A CPU with bfloat16 instructions (AMX,
AVX512-BF16) gains too; one without them emulates each product and loses: measure before you believe it. The price is
the answer: about 0.3 % of its scale, checked against float64.
"""

import torch

workload = dict(rows=8_192, width=4_096)  # the products of a layer of 4,096 on 8,192 tokens
workload_cpu = dict(rows=256, width=512)
smoke = dict(rows=19, width=77)
constant = ("weight",)
tolerance = dict(rtol=1e-2, atol=3e-2)  # sums near 1 of products rounded at 2**-8 (0.4 %), and rounded once more
lowers_precision = "bf16"
tier = "idiomatic"
menu = ("both", "compute-bound")


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(width, width) / width**0.5  # keeps the products near 1


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


def prepare_optimized(x, weight):
    return weight.bfloat16()


def optimized(half_weight, x, weight):
    return (x.bfloat16() @ half_weight).float()


def cost(rows, width):
    activations, weights = rows * width, width**2
    return dict(
        flops=2 * rows * width**2,
        bytes=8 * activations + 2 * weights,
        baseline_bytes=8 * activations + 4 * weights,
        optimized_bytes=16 * activations + 2 * weights,  # float32 to bfloat16 and back: 6 + 2 bytes on either side
    )
