"""Launch kernels from a kernel, if the device knows sizes that the host would have to wait for.

Segment lengths come out of a computation on the device. The host reads them, which waits for the device, and launches
a grid per segment, some microseconds each. A parent kernel reads them where they are: every thread starts the grid of
its segment, and the host launches once. Predicts: a wait and 256 launches over 256 launches by the device, about 4x.
No gain if one launch can do all segments: `optimized_flat` lets each thread find its segment, and is usually the best
of the three. The source is linked with CUDA's device runtime, which needs nvlink of the toolkit.
"""

import itertools

import torch

from perfproof import cuda

THREADS = 256
READ, LAUNCH, FROM_DEVICE = (
    20e-6,
    6e-6,
    1.5e-6,
)  # seconds, estimates: reading sizes back; a launch from Python; from a kernel

workload = dict(segments=256, count=4_194_304)  # 16 MiB: launching is what takes the time
smoke = dict(segments=37, count=10_007)  # ragged on purpose: some segments are empty
domain = dict(offsets="drawn")  # where segments begin
tolerance = dict(rtol=1e-6, atol=1e-7)  # one product in float32
tier = "idiomatic"
needs = dict(cuda=9.0)
menu = ("both", "launch-bound")

kernels = cuda.source(__file__, defines={"THREADS": THREADS}, options=("-rdc=true",))


def inputs(segments, count):
    inner = torch.randint(count + 1, (segments - 1,)).sort().values
    offsets = torch.cat([torch.zeros(1, dtype=torch.int64), inner, torch.full((1,), count, dtype=torch.int64)])
    return torch.randn(count), torch.randn(segments), offsets


def reference(x, factors, offsets):
    return x.double() * factors.double().repeat_interleave(offsets.diff(), output_size=len(x))


def room_for(x, factors):
    x = x.contiguous()
    return x, torch.empty_like(x), factors.contiguous()


def baseline(x, factors, offsets):
    x, out, factors = room_for(x, factors)
    places = offsets.tolist()  # waits for the device
    for segment, (first, end) in enumerate(itertools.pairwise(places)):
        if end > first:
            grid = -(-(end - first) // THREADS)
            kernels.scale_segment(x, out, factors, segment, first, end - first, grid=grid, block=THREADS)
    return out


def optimized(x, factors, offsets):
    x, out, factors = room_for(x, factors)
    segments = len(offsets) - 1
    kernels.launch_segments(x, out, factors, offsets.contiguous(), segments, grid=-(-segments // 32), block=32)
    return out


def optimized_flat(x, factors, offsets):
    x, out, factors = room_for(x, factors)
    sizes = (len(offsets) - 1, len(x))
    kernels.scale_flat(x, out, factors, offsets.contiguous(), *sizes, grid=-(-len(x) // THREADS), block=THREADS)
    return out


def cost(segments, count):
    by_host, by_device = READ + segments * LAUNCH, LAUNCH + segments * FROM_DEVICE
    flat = LAUNCH + 8 * count / 4e12
    return dict(
        flops=count,
        bytes=8 * count,
        launches=segments,
        predicted_optimized=by_host / by_device,
        predicted_optimized_flat=by_host / flat,
    )
