"""Multiply in 4-bit floating point with a scale per 16 numbers where the tensor cores support it.

NVFP4 stores E2M1 numbers, an E4M3 scale per block of 16 and one float32 factor per tensor: 4.5 bits per number.
Blackwell's tensor cores multiply it at four times the rate of bfloat16. Weights are converted once; activations at
every call, by the kernel in the .cu file, which writes scales in the tiled order that the library's product reads.
Predicts: up to 4x on the product, less what converting the activations takes.
No gain where: the GPU has no such units. Accuracy: about 10 % per number; training and sensitive layers keep more
bits.
"""

import torch

from perfproof import cuda

THREADS = 256

workload = dict(rows=8_192, width=8_192, outputs=8_192)  # 1.1 TFLOP
smoke = dict(rows=131, width=192, outputs=272)  # the last tile of scales is not full
constant = ("weight",)
# Results near 1; each factor is rounded at 2**-2 of its size, sums average it to 14 %.
tolerance = dict(rtol=0.1, atol=0.6)
lowers_precision = "fp4"
tier = "vendor"
needs = dict(sm="100a")
menu = ("inference", "compute-bound")

kernels = cuda.source(__file__)


def inputs(rows, width, outputs):
    x = torch.randn(rows, width, dtype=torch.bfloat16)
    return x, torch.randn(outputs, width, dtype=torch.bfloat16) / width**0.5


def reference(x, weight):
    return x.double() @ weight.double().T


def baseline(x, weight):
    return x @ weight.T


def packed(x):
    """Two numbers per byte, scales in tiles of 128 rows by 4 blocks, and a factor that makes the largest 448."""
    x = cuda.aligned(x)
    rows, width = x.shape
    factor = torch.linalg.vector_norm(x, float("inf")).float().clamp_min(1e-30) / (448 * 6)
    numbers = torch.empty(rows, width // 2, dtype=torch.uint8, device=x.device)
    tiles = -(-rows // 128) * -(-width // 64)
    scales = torch.zeros(tiles * 512, dtype=torch.uint8, device=x.device)  # rows past the end have a scale of zero
    blocks = rows * (width // 16)
    kernels.quantise_blocks(x, numbers, scales, factor, rows, width, grid=-(-blocks // THREADS), block=THREADS)
    return numbers.view(torch.float4_e2m1fn_x2), scales.view(torch.float8_e4m3fn), factor


def prepare_optimized(x, weight):
    return packed(weight)


def optimized(packed_weight, x, weight):
    numbers, scales, factor = packed_weight
    x_numbers, x_scales, x_factor = packed(x)
    product = torch._scaled_mm(x_numbers, numbers.t(), x_scales, scales, out_dtype=torch.bfloat16)
    return product.mul_(x_factor * factor)


def cost(rows, width, outputs):
    product = rows * outputs
    return dict(
        flops=2 * product * width,
        bytes=2 * (rows * width + product) + width * outputs * 9 // 16,
        baseline_bytes=2 * (rows * width + product + width * outputs),
        optimized_bytes=4 * rows * width + 2 * (rows + outputs) * width * 9 // 16 + 6 * product,
    )
