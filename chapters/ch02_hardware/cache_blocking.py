"""Run a chain of passes over one cache-sized piece after the other, not each pass over everything.

A polynomial by Horner's rule is eight passes over the data, each of them a library call, and every pass over an array
that no cache can hold fetches it from memory and sends it back: 76 bytes for each float32 element, of which 8 have to
move. In pieces of half a megabyte the first pass fetches, the last one sends back, and those between find everything in
the core's own cache. The calls are the same ones, in the same order for each element. If that cache is twice as fast as
what lies behind it the model says 76 / (76 / 2 + 8), 1.65x; a piece too small pays for its calls, one too large falls
out of the cache. On a GPU the pieces have to stay in the L2 and each adds launches: one H200 ran them in 0.93 ms, not
1.20, but the host took 1.5 ms to queue their 128 launches, and the call became slower, 0.83x. A fused kernel (chapter
9) does better still, where there is one.
"""

import torch

COEFFICIENTS = (0.5, -1.25, 0.75, -0.375, 1.0)
PASSES_BYTES = 76  # 8 + 8 for the first coefficient and its sum, then 12 + 8 for each of three products and sums
CACHE_SPEED = 2.0  # times the speed of memory, for one core that streams

workload = dict(elements=67_108_864, piece=4_194_304)  # 256 MiB in pieces of 16: two of them, in and out, fit an L2
workload_cpu = dict(elements=1_048_576, piece=65_536)  # 4 MiB in pieces of 256 KiB
smoke = dict(elements=10_007, piece=777)  # ragged on purpose: the last piece is shorter
constant = ("piece",)
tolerance = dict(rtol=1e-5, atol=1e-5)  # eight roundings at 2**-24 of terms that may cancel
tier = "idiomatic"
tour = True
menu = ("both", "memory-bound")


def inputs(elements, piece):
    return torch.rand(elements) * 3 - 1.5, piece  # where no term of the polynomial outgrows the others


def reference(x, piece):
    wide = x.double()
    highest = len(COEFFICIENTS) - 1
    return sum(coefficient * wide ** (highest - place) for place, coefficient in enumerate(COEFFICIENTS))


def horner(x, out):
    first, second, *others = COEFFICIENTS
    torch.mul(x, first, out=out).add_(second)
    for coefficient in others:
        out.mul_(x).add_(coefficient)


def prepare_baseline(x, piece):
    return torch.empty_like(x)


def baseline(out, x, piece):
    horner(x, out)
    return out


def prepare_optimized(x, piece):
    return torch.empty_like(x)


def optimized(out, x, piece):
    for part, place in zip(x.split(piece), out.split(piece), strict=True):
        horner(part, place)
    return out


def cost(elements, piece):
    return dict(
        flops=8 * elements,
        bytes=8 * elements,
        predicted_optimized=PASSES_BYTES / (PASSES_BYTES / CACHE_SPEED + 8),
    )
