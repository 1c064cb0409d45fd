"""Tell a graph where its argument is, instead of copying the argument to where the graph looks.

A captured graph reads the memory it was captured with. The usual way is to copy each argument there: 256 MiB read and
written before the first kernel reads them again. A graph that is instantiated can get other arguments for one of its
nodes in a few microseconds; nothing is captured again. Predicts: 12 bytes per value become 4: 3x. No gain if the
argument is small, because the copy then costs no more than the update. The argument must stay where it is until the
graph has run.
"""

import torch

from perfproof import cuda

THREADS, ROUNDS = 256, 16

workload = dict(rows=16_384, cols=4_096)  # 256 MiB: larger than any L2
smoke = dict(rows=77, cols=1_003)  # ragged on purpose: the last block has rows left over
tolerance = dict(rtol=1e-5, atol=1e-6)  # float32 sums in another order, then averages
tier = "idiomatic"
needs = dict(cuda=8.0)
menu = ("inference", "memory-bound")

kernels = cuda.source(__file__)


def inputs(rows, cols):
    return torch.randn(rows, cols) * (1 + 5 * torch.rand(rows, 1))  # rows differ, or smoothing would change little


def reference(x):
    sums = x.double().abs().sum(-1)
    for _ in range(ROUNDS):
        sums = sums.roll(1) / 4 + sums / 2 + sums.roll(-1) / 4
    return sums


def build(x):
    """The graph, its first node with what it reads and writes, and where the result is."""
    rows, cols = x.shape
    sums, smoother = torch.empty(2, rows, dtype=x.dtype, device=x.device)
    graph = cuda.Graph()
    first = graph.add(kernels.measure_rows, x, sums, rows, cols, grid=-(-rows * 32 // THREADS), block=THREADS)
    for _ in range(ROUNDS):
        graph.add(kernels.smooth, sums, smoother, rows, grid=-(-rows // THREADS), block=THREADS)
        sums, smoother = smoother, sums
    return graph, first, sums


def prepare_baseline(x):
    static = x.clone(memory_format=torch.contiguous_format)
    return *build(static), static


def baseline(prepared, x):
    graph, _, result, static = prepared
    static.copy_(x)
    graph.launch()
    return result


def prepare_optimized(x):
    return build(x.clone(memory_format=torch.contiguous_format))


def optimized(prepared, x):
    graph, first, result = prepared
    x = x.contiguous()
    graph.update(first, x, *first.arguments[1:])
    graph.launch()
    return result


def cost(rows, cols):
    count = rows * cols
    return dict(flops=count, bytes=4 * count, baseline_bytes=12 * count, optimized_bytes=4 * count, launches=ROUNDS + 1)
