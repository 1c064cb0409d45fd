"""Do not ask for an occupancy that takes away registers which the kernel needs.

A Hadamard transform of 64 values per thread needs about 80 registers. `__launch_bounds__(256, 8)` asks for full
occupancy, which leaves 32. The compiler keeps the other values in local memory, and that of 2,048 threads does not fit
in the L1 cache. Without the second bound a third of the threads fit, each with 64 loads in flight: more than enough.
`optimized_torch` multiplies by the matrix.
Predicts: 2.7x if all that is spilled goes to the L2 and back.
No gain where: nothing is spilled.
"""

import torch

from perfproof import cuda

SIZE, BLOCK = 64, 256  # values of a thread, threads of a block
SPILLED = 2_096  # bytes per thread, written and read again, as the compiler reports for sm_90
MEMORY, L2 = 4.67e12, 8.76e12  # bytes per second of an H200

workload = dict(cols=1_048_576)  # 256 MiB: larger than any L2
smoke = dict(cols=1_003)  # ragged on purpose: the last block is not full
tolerance = dict(rtol=1e-5, atol=2e-6)  # six rounds of additions in float32 near 1, 2**-24 each
tier = "naive"  # a launch bound that was set for occupancy's sake
needs = dict(cuda=8.0)
counters = ("SPILL", "BASE.warps_active", "LAUNCH")
menu = ("both", "memory-bound")

kernels = cuda.source(__file__)


def inputs(cols):
    return torch.randn(SIZE, cols)


def hadamard(device):
    """The matrix in float64: entry (i, k) is 1 / 8, negative if i and k have an odd number of common bits."""
    places = torch.arange(SIZE, device=device)
    common = places[:, None] & places
    odd = sum(common >> bit & 1 for bit in range(6)) % 2
    return (1 - 2 * odd).double() / SIZE**0.5


def reference(x):
    return hadamard(x.device) @ x.double()


def transformed(kernel, x):
    x = x.contiguous()
    out = torch.empty_like(x)
    kernel(x, out, x.shape[1], grid=-(-x.shape[1] // BLOCK), block=BLOCK)
    return out


def baseline(x):
    return transformed(kernels.full_occupancy, x)


def optimized(x):
    return transformed(kernels.enough_registers, x)


def prepare_optimized_torch(x):
    return hadamard(x.device).float()


def optimized_torch(matrix, x):
    return matrix @ x


def cost(cols):
    compulsory = 8 * SIZE  # bytes per thread
    return dict(
        flops=7 * SIZE * cols,
        bytes=compulsory * cols,
        optimized_torch_flops=2 * SIZE * SIZE * cols,
        launches=1,
        predicted_optimized=(compulsory + SPILLED) / L2 / (compulsory / MEMORY),
    )
