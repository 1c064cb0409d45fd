"""Do not call `torch.cuda.empty_cache()` in a loop: the next step has to ask the driver for the memory again.

PyTorch keeps freed blocks and hands them out again in a microsecond. Emptying the cache gives them back to the driver.
Each `cudaFree` waits for the device, and each `cudaMalloc` of the next step maps pages again: some hundred microseconds
for large blocks. The call is often added against an out-of-memory error, which it rarely prevents: memory that is in
use stays in use. Predicts: the step plus three allocations and frees, over the step. No gain where: nothing is
allocated.
"""

import torch

ALLOCATE, FREE, BANDWIDTH = 2e-4, 1e-4, 4e12  # seconds per cudaMalloc and cudaFree; bytes per second

workload = dict(rows=8_192, cols=8_192)  # temporaries of 256 MiB, each a segment of its own
smoke = dict(rows=5, cols=777)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 means of thousands of values near 1
tier = "naive"
needs = dict(cuda=7.0)
menu = ("both", "allocation-bound")


def inputs(rows, cols):
    return (torch.randn(rows, cols),)


def reference(x):
    wide = x.double()
    return (wide / (1 + torch.exp(-wide)) * (wide + 1)).mean(-1)


def step(x):
    gate = torch.nn.functional.silu(x)
    return (gate * (x + 1)).mean(-1)


def baseline(x):
    means = step(x)
    torch.cuda.empty_cache()
    return means


def optimized(x):
    return step(x)


def cost(rows, cols):
    busy = 32 * rows * cols / BANDWIDTH  # eight passes of 4 bytes
    return dict(predicted_optimized=(busy + 3 * (ALLOCATE + FREE)) / busy)
