"""Capture a chain of small kernels once, and replay it with a single launch.

A kernel on a few thousand numbers runs for about a microsecond. Launching it from Python takes five to ten: dispatch,
checks, the driver. So a chain of small kernels waits for its host. A captured graph holds the whole chain: the host
launches once, and the device goes from kernel to kernel by itself in one to two microseconds. The graph reads the
memory it was captured with, so every call first copies its argument there.
Predicts: the cost of a launch over that of a step inside the graph, about 5x.
No gain where: kernels run for longer than their launches take.
"""

import torch

workload = dict(count=4_096, steps=200)  # 16 KiB: launching is all there is to save
smoke = dict(count=77, steps=3)
tolerance = dict(rtol=1e-4, atol=1e-5)  # 200 steps round at 2**-24 each; a step left out moves it by 0.15 %
tier = "idiomatic"
tour = True
needs = dict(cuda=7.0)
menu = ("inference", "launch-bound")

LAUNCH, NODE = 8e-6, 1.6e-6  # seconds: a launch from Python, and from one kernel of a graph to the next


def inputs(count, steps):
    return torch.randn(count), steps


constant = ("steps",)


def chain(x, steps):
    """As a small recurrent model steps: an update of a small state, over and over."""
    state = torch.zeros_like(x)
    for _ in range(steps):
        state = torch.add(x, state, alpha=0.99)
    return state


def reference(x, steps):
    return chain(x.double(), steps)


def baseline(x, steps):
    return chain(x, steps)


def prepare_optimized(x, steps):
    static = x.clone()
    chain(static, steps)  # once outside: libraries initialise, memory is there
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        state = chain(static, steps)
    return graph, static, state


def optimized(captured, x, steps):
    graph, static, state = captured
    static.copy_(x)
    graph.replay()
    return state


def cost(count, steps):
    return dict(predicted_optimized=steps * LAUNCH / (steps * NODE + 2 * LAUNCH))
