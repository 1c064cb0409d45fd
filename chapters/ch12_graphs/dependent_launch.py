"""Let the next kernel start early and load what does not depend on this one (programmatic dependent launch).

In a chain of small kernels each one starts when the one before has ended: a gap of about a microsecond, then its
weights are loaded, then it computes. From Hopper on a launch may begin while the one before still runs. It loads its
weights, waits for the results, and computes: gap and load are hidden. The kernel is the same on both sides; only the
attribute of the launch differs. Both chains are replayed as a graph, so that the host does not count.
Predicts: about 2.4x. No gain if kernels are long, or if everything they load comes from the kernel before.
"""

import torch

from perfproof import cuda

THREADS, MOST = 256, 1_024  # of a block; values that a warp can hold of a row
NODE, REST, BANDWIDTH = (
    1.6e-6,
    0.6e-6,
    4e12,
)  # seconds from kernel to kernel; of the part after the wait; bytes per second

workload = dict(layers=24, width=1_024)  # 96 MiB of weights: larger than the L2, as a model's are
smoke = dict(layers=3, width=77)  # ragged on purpose: rows and columns end within a block and a warp
constant = ("weights",)
tolerance = dict(rtol=1e-4, atol=1e-5)  # float32 sums of up to 1,024 products, over 24 layers
tier = "idiomatic"
clock = "latency"
needs = dict(cuda=9.0)
menu = ("inference", "launch-bound")

kernels = cuda.source(__file__)


def inputs(layers, width):
    return torch.randn(width), 1.2 * torch.randn(layers, width, width) / width**0.5  # keeps the states away from 0


def reference(x, weights):
    state = x.double()
    for weight in weights.double():
        state = torch.tanh(weight @ state)
    return state


def chain(static, weights, states, early):
    """The state after each layer goes to the other of two places. The first kernel follows a copy, not a kernel."""
    width = len(static)
    for number, weight in enumerate(weights):
        source = static if number == 0 else states[(number - 1) % 2]
        launch = dict(grid=-(-width * 32 // THREADS), block=THREADS, pdl=early and number > 0)
        kernels.layer(weight, source, states[number % 2], width, **launch)


def capture(x, weights, early):
    if len(x) > MOST:
        raise ValueError(f"{len(x)} values: a warp holds rows of up to {MOST}")
    static, own, states = x.clone().contiguous(), weights.clone().contiguous(), torch.empty(2, len(x)).to(x)
    chain(static, own, states, early)  # once outside: the kernel is compiled and loaded
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        chain(static, own, states, early)
    return graph, static, own, states[(len(own) - 1) % 2]


def prepare_baseline(x, weights):
    return capture(x, weights, early=False)


def replay(captured, x):
    graph, static, _, result = captured
    static.copy_(x)
    graph.replay()
    return result.clone()


def baseline(captured, x, weights):
    return replay(captured, x)


def prepare_optimized(x, weights):
    return capture(x, weights, early=True)


def optimized(captured, x, weights):
    return replay(captured, x)


def cost(layers, width):
    load = 4 * width * width / BANDWIDTH
    return dict(
        flops=2 * layers * width * width,
        bytes=4 * layers * width * width,
        launches=layers,
        predicted_optimized=(NODE + load) / max(load, REST + load / 2),
    )
