"""Allocate temporary memory in the order of the stream: `cuMemAllocAsync` instead of `cuMemAlloc`.

`cuMemFree` waits until the device is idle, and `cuMemAlloc` maps pages anew. So each step of a chain that needs
scratch memory waits for the step before it. Stream-ordered allocation puts both into the stream: the host runs ahead,
and the pool hands the same memory out again. It keeps freed memory only if its release threshold is raised, which the
preparation does. Predicts: the cost of two driver calls and a wait per step, over that of a launch: about 6x. No gain
if memory is allocated once. `optimized_torch` takes it from PyTorch's caching allocator.
"""

import torch

from perfproof import cuda
from perfproof.cuda.bindings import call, driver

BLOCKS, THREADS = 264, 256
ALLOCATE, FREE, ORDERED, LAUNCH = 60e-6, 30e-6, 2e-6, 6e-6  # seconds, estimates

workload = dict(steps=32, count=1_048_576)  # 4 MiB a step
smoke = dict(steps=3, count=10_007)  # ragged on purpose
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 sums of squares in another order
tier = "naive"
needs = dict(cuda=8.0)
menu = ("both", "allocation-bound")

kernels = cuda.source(__file__)


def inputs(steps, count):
    return torch.randn(steps, count)


def reference(x):
    return x.double().square().sum(-1)


def sum_squares(x, scratch, out):
    warps = BLOCKS * THREADS // 32
    kernels.partial_sums(x, x.numel(), scratch, grid=BLOCKS, block=THREADS)
    kernels.total(scratch, warps, out, grid=1, block=32)


def room(x):
    """Bytes: as much as a step may need, as a library asks that does not know its sizes exactly."""
    return max(4 * x.shape[1], BLOCKS * THREADS // 32 * 4)


def baseline(x):
    x = x.contiguous()
    out = torch.empty(len(x), dtype=x.dtype, device=x.device)
    for step in range(len(x)):
        scratch = call("cuMemAlloc", driver().cuMemAlloc(room(x)))
        sum_squares(x[step], int(scratch), out[step])
        call("cuMemFree", driver().cuMemFree(scratch))
    return out


def prepare_optimized(x):
    """The pool keeps what is freed; without this it gives memory back at every wait of the host."""
    api = driver()
    pool = call("the memory pool", api.cuDeviceGetDefaultMemPool(torch.cuda.current_device()))
    threshold = api.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    call("the pool's threshold", api.cuMemPoolSetAttribute(pool, threshold, api.cuuint64_t(2**40)))


def optimized(prepared, x):
    x = x.contiguous()
    out = torch.empty(len(x), dtype=x.dtype, device=x.device)
    stream = driver().CUstream(torch.cuda.current_stream().cuda_stream)
    for step in range(len(x)):
        scratch = call("cuMemAllocAsync", driver().cuMemAllocAsync(room(x), stream))
        sum_squares(x[step], int(scratch), out[step])
        call("cuMemFreeAsync", driver().cuMemFreeAsync(scratch, stream))
    return out


def optimized_torch(x):
    x = x.contiguous()
    out = torch.empty(len(x), dtype=x.dtype, device=x.device)
    for step in range(len(x)):
        scratch = torch.empty(room(x) // 4, dtype=x.dtype, device=x.device)
        sum_squares(x[step], scratch.data_ptr(), out[step])
    return out


def cost(steps, count):
    launches = 2 * LAUNCH
    ratio = (ALLOCATE + FREE + launches) / (2 * ORDERED + launches)
    return dict(flops=2 * steps * count, bytes=4 * steps * count, launches=2 * steps, predicted_optimized=ratio)
