"""Add `__launch_bounds__` only if the compiler's register count says that it limits the occupancy.

The attribute lets the compiler trade registers for resident warps. A short kernel needs few registers anyway: then
nothing can be traded, and the binary stays nearly the same. This pair is the usual outcome, a null result:
`--details` shows equal registers and equal occupancy for both kernels. Predicts: 1x. It pays if a kernel uses more
than 32 registers, waits for memory, and does not spill under the bound. `optimized_torch` is GELU of PyTorch.
"""

import torch

from perfproof import cuda

BLOCK = 256

workload = dict(count=2**26)  # 256 MiB in and out: larger than any L2
smoke = dict(count=100_003)  # ragged on purpose: three elements are left after the last four
tolerance = dict(rtol=2e-5, atol=2e-6)  # 1 + tanh cancels for negative x: a few roundings of 1 at 2**-24, times x
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("both", "memory-bound")
counters = ("LAUNCH",)

kernels = cuda.source(__file__)


def inputs(count):
    return torch.randn(count)


def reference(x):
    wide = x.double()
    return 0.5 * wide * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (wide + 0.044715 * wide**3)))


def gelu(kernel, x):
    x = x.contiguous()
    x = x.clone() if x.data_ptr() % 16 else x  # a slice may begin at any element
    out = torch.empty_like(x)
    kernel(x, out, x.numel(), grid=kernel.resident_blocks(block=BLOCK), block=BLOCK)
    return out


def baseline(x):
    return gelu(kernels.gelu_plain, x)


def optimized(x):
    return gelu(kernels.gelu_bounded, x)


def optimized_torch(x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def cost(count):
    return dict(flops=12 * count, bytes=8 * count, predicted_optimized=1.0)
