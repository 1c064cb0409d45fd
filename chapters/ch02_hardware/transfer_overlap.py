"""Send a result to the host in pieces, each while the next one is computed: the copy engine works beside the rest.

A GPU has engines of its own for copies. Still, a program that computes and then copies uses one half of the machine at
a time: it takes c + t seconds. Cut into n pieces, all but one piece of the shorter part runs while the longer one does:
max(c, t) + min(c, t) / n. For 64 MiB over a PCIe 5 link t is 1.2 ms; a float32 product of about the same length makes
that 1.7x with eight pieces, and 2x is the limit. The same bytes and flops on both sides, through the same page-locked
buffer: without it (`ch01:pinned_transfer`) a copy does not run by itself and there is nothing to hide. Pieces that are
too small fill neither the chip nor the link. The copies' stream waits for each piece, and the caller's for all copies.
"""

import torch

PIECES = 8
LINK, COMPUTE = 55e9, 45e12  # bytes a second over PCIe 5 x16, float32 flops a second in products of this size

workload = dict(rows=16_384, inner=1_536, cols=1_024)  # 64 MiB of result, and a product that takes as long as its copy
smoke = dict(rows=77, inner=33, cols=19)  # ragged on purpose: the last piece is shorter
constant = ("weight",)
tolerance = dict(rtol=1e-5, atol=1e-5)  # sums near 1 of up to 1,536 products, rounded at 2**-24
tier = "idiomatic"
needs = dict(cuda=7.0)
menu = ("both", "transfer-bound")


def inputs(rows, inner, cols):
    return torch.randn(rows, inner), torch.randn(inner, cols) / inner**0.5  # keeps the products near 1


def reference(x, weight):
    return (x.double() @ weight.double()).cpu()


def page_locked(x, weight):
    return torch.empty(x.shape[0], weight.shape[1], device="cpu", pin_memory=True)


def prepare_baseline(x, weight):
    return page_locked(x, weight)


def baseline(host, x, weight):
    return host.copy_(x @ weight)


def prepare_optimized(x, weight):
    return page_locked(x, weight), torch.cuda.Stream()


def optimized(prepared, x, weight):
    host, copies = prepared
    current, products = torch.cuda.current_stream(), []
    for piece, target in zip(x.chunk(PIECES), host.chunk(PIECES), strict=True):
        products.append(piece @ weight)  # kept until the end: its memory must not be used again before it is copied
        copies.wait_stream(current)
        with torch.cuda.stream(copies):
            target.copy_(products[-1], non_blocking=True)
    current.wait_stream(copies)
    current.synchronize()  # the host may read what is returned, as it may after the baseline's copy
    return host


def cost(rows, inner, cols):
    compute, transfer = 2 * rows * inner * cols / COMPUTE, 4 * rows * cols / LINK
    longer, shorter = max(compute, transfer), min(compute, transfer)
    return dict(predicted_optimized=(compute + transfer) / (longer + shorter / PIECES))
