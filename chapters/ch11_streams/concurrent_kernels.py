"""Put independent small kernels on streams of their own, so that they run side by side.

A kernel of 8 blocks uses 8 of 132 multiprocessors. In one stream the next kernel starts after it, and the others stay
idle. On 16 streams the kernels run at the same time, if each takes longer than launching it: the time falls from the
sum to the longest, and to the cost of the launches. Predicts: 16x less that cost, about 9x. No gain if a kernel fills
the device or takes less than its launch. `optimized_one_launch` does the same in a single grid: better wherever the
work allows it, because it needs no streams.
"""

import torch

from perfproof import cuda

STEP = 1e-3  # of time
LAUNCH, WAIT = 6e-6, 2e-6  # seconds, estimates: a launch from Python; an event that one stream waits for
CYCLES, CLOCK = 9, 1.8e9  # of a dependent step: two multiply-adds; per second

workload = dict(families=16, count=2_048, steps=40_000)  # 8 blocks a family, about 200 µs
smoke = dict(families=3, count=301, steps=57)  # ragged on purpose: the last block is not full
constant = ("steps",)
domain = dict(stiffness=(0.5, 1.5))  # stiffer oscillators need shorter steps
tolerance = dict(rtol=1e-3, atol=1e-3)  # 40,000 steps round at 2**-24 each; 1 % of the steps left out moves it more
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("both", "occupancy")

kernels = cuda.source(__file__, defines={"STEP": "0.001f"})


def inputs(families, count, steps):
    return torch.randn(families, count), torch.rand(families) + 0.5, steps


def reference(start, stiffness, steps):
    """The matrix of one step to the power of the steps: no loop."""
    pull, step = stiffness.double() * float(torch.tensor(STEP)), float(torch.tensor(STEP))
    one = torch.stack([torch.stack([1 - step * pull, torch.full_like(pull, step)], -1),
                       torch.stack([-pull, torch.ones_like(pull)], -1)], -2)  # fmt: skip
    return torch.linalg.matrix_power(one, steps)[:, :1, 0] * start.double()


def room_for(start, stiffness):
    return start.contiguous(), stiffness.contiguous(), torch.empty(start.shape, dtype=start.dtype, device=start.device)


def launch(start, stiffness, out, steps, first, families):
    grid = (-(-start.shape[1] // 256), families)
    kernels.follow(start, stiffness, out, first, start.shape[1], steps, grid=grid, block=256)


def baseline(start, stiffness, steps):
    start, stiffness, out = room_for(start, stiffness)
    for family in range(len(start)):
        launch(start, stiffness, out, steps, family, 1)
    return out


def prepare_optimized(start, stiffness, steps):
    return [torch.cuda.Stream() for _ in range(len(start))]


def optimized(streams, start, stiffness, steps):
    start, stiffness, out = room_for(start, stiffness)
    current = torch.cuda.current_stream()
    for family, stream in enumerate(streams):
        stream.wait_stream(current)
        with torch.cuda.stream(stream):
            launch(start, stiffness, out, steps, family, 1)
    for stream in streams:
        current.wait_stream(stream)
    return out


def optimized_one_launch(start, stiffness, steps):
    start, stiffness, out = room_for(start, stiffness)
    launch(start, stiffness, out, steps, 0, len(start))
    return out


def cost(families, count, steps):
    one = steps * CYCLES / CLOCK
    together = one + families * (LAUNCH + 2 * WAIT)
    return dict(
        launches=families,
        optimized_one_launch_launches=1,
        predicted_optimized=families * one / together,
        predicted_optimized_one_launch=families * one / (one + LAUNCH),
    )
