"""Let the device decide whether a loop goes on: a conditional node of a graph instead of a number read by the host.

An iterative solver stops when a round changes little. If the host decides, it reads a flag after each round: the device
waits for the host, and the host for the device. A loop node of a CUDA graph repeats its kernels while one of them says
so; the host launches once. Predicts: launches and a wait per round over two nodes: about 4.4x. No gain if a round takes
much longer than a wait. `optimized_polled` needs no graph: it reads the flag every eighth round, for up to seven
rounds that change nothing.
"""

import torch

from perfproof import cuda

THREADS, LIMIT, MOST, POLL = 256, 1e-6, 500, 8
LAUNCH, READ, NODE, AGAIN = 6e-6, 12e-6, 1.6e-6, 1.5e-6  # seconds, estimates; the last is a loop's own cost per round

workload = dict(size=1_024)  # 4 MiB: a round takes some microseconds
smoke = dict(size=77)
constant = ("matrix",)
tolerance = dict(rtol=1e-4, atol=2e-5)  # the rounds end at changes of 1e-6; what is left is up to three times that
tier = "idiomatic"
clock = "latency"
needs = dict(cuda=8.0)
menu = ("both", "launch-bound")

kernels = cuda.source(__file__, defines={"THREADS": THREADS, "LIMIT": "1e-6f", "MOST": MOST})


def inputs(size):
    """The rounds converge as 0.6 to the power of their number: the matrix is close to the unit matrix."""
    return torch.randn(size), torch.eye(size) + 0.6 * torch.randn(size, size) / size**0.5


def reference(b, matrix):
    return torch.linalg.solve(matrix.double(), b.double())


def buffers(b):
    """x, the x after it, and the number of rounds."""
    return torch.empty_like(b), torch.empty_like(b), torch.zeros(1, dtype=torch.int32, device=b.device)


def prepare_baseline(b, matrix):
    return *buffers(b.contiguous()), torch.zeros(1, dtype=torch.int32, device=b.device)


def improve_until(read_every, prepared, b, matrix):
    x, better, rounds, again = prepared
    b, matrix, size = b.contiguous(), matrix.contiguous(), len(b)
    kernels.begin(x, rounds, size, grid=-(-size // THREADS), block=THREADS)
    done = 0
    while done % read_every or done == 0 or again.item():
        kernels.improve(matrix, b, x, better, size, grid=-(-size * 32 // THREADS), block=THREADS)
        kernels.settle_for_host(b, better, x, rounds, again, size, grid=1, block=THREADS)
        done += 1
    return x.clone()


def baseline(prepared, b, matrix):
    return improve_until(1, prepared, b, matrix)


def prepare_optimized(b, matrix):
    own, kept, size = b.clone().contiguous(), matrix.clone().contiguous(), len(b)
    x, better, rounds = buffers(own)
    graph = cuda.Graph()
    graph.add(kernels.begin, x, rounds, size, grid=-(-size // THREADS), block=THREADS)
    loop = graph.add_loop()
    loop.add(kernels.improve, kept, own, x, better, size, grid=-(-size * 32 // THREADS), block=THREADS)
    loop.add(kernels.settle_for_graph, own, better, x, rounds, size, loop.condition, grid=1, block=THREADS)
    return graph, own, x


def optimized(prepared, b, matrix):
    graph, own, x = prepared
    own.copy_(b)
    graph.launch()
    return x.clone()


def prepare_optimized_polled(b, matrix):
    return prepare_baseline(b, matrix)


def optimized_polled(prepared, b, matrix):
    return improve_until(POLL, prepared, b, matrix)


def cost(size):
    work = 4 * size * size / 4e12  # seconds of a round's memory traffic
    by_host, by_device = 2 * LAUNCH + READ + work, 2 * NODE + AGAIN + work
    polled = 2 * LAUNCH + READ / POLL + work
    return dict(predicted_optimized=by_host / by_device, predicted_optimized_polled=by_host / polled)
