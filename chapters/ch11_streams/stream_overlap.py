"""Copy in, compute and copy out at the same time: one stream for each.

A GPU has a copy engine for each direction beside its multiprocessors. In one stream a batch is copied in, multiplied
and copied out in turn, and two of the three are always idle. With a stream for each, cut into 16 pieces, only the
longest of the three counts, and one piece of the others. Events keep the order within a piece. Both sides use the same
pieces and page-locked memory; what differs is the streams.
Predicts: about 2.3x on a PCIe 5 link. No gain if one stage is much the longest, or if host memory is not page-locked.
"""

import torch

PIECES = 16
LINK, COMPUTE = 50e9, 45e12  # bytes per second in each direction; float32 flops per second in products of this size

workload = dict(rows=16_384, cols=1_024)  # 64 MiB each way
smoke = dict(rows=77, cols=19)  # ragged on purpose: the last piece is shorter
constant = ("data",)
tolerance = dict(rtol=1e-5, atol=1e-5)  # sums near 1 of up to 1,024 products, rounded at 2**-24
tier = "idiomatic"
tour = True
clock = "latency"
needs = dict(cuda=7.0)
menu = ("both", "transfer-bound")


def inputs(rows, cols):
    """Data of the host that does not fit on the device with everything else, and weights that change at each call."""
    return torch.randn(rows, cols, device="cpu"), torch.randn(cols, cols) / cols**0.5  # keeps the products near 1


def reference(data, weight):
    return (data.to(weight.device).double() @ weight.double()).cpu()


def page_locked(data):
    """A copy of the data, and room for the result."""
    return data.contiguous().pin_memory(), torch.empty(data.shape, dtype=data.dtype, device="cpu", pin_memory=True)


def prepare_baseline(data, weight):
    return page_locked(data)


def baseline(host, data, weight):
    kept, result = host
    for piece, target in zip(kept.chunk(PIECES), result.chunk(PIECES), strict=True):
        product = piece.to(weight.device, non_blocking=True) @ weight
        target.copy_(product, non_blocking=True)
    torch.cuda.current_stream().synchronize()  # the host may read what is returned
    return result


def prepare_optimized(data, weight):
    return page_locked(data), torch.cuda.Stream(), torch.cuda.Stream()


def optimized(prepared, data, weight):
    (kept, result), way_in, way_out = prepared
    current, alive = torch.cuda.current_stream(), []
    way_in.wait_stream(current)
    for piece, target in zip(kept.chunk(PIECES), result.chunk(PIECES), strict=True):
        with torch.cuda.stream(way_in):
            here = piece.to(weight.device, non_blocking=True)
        current.wait_stream(way_in)
        product = here @ weight
        alive.append((here, product))  # until the end: memory must not be used again before all streams have read it
        way_out.wait_stream(current)
        with torch.cuda.stream(way_out):
            target.copy_(product, non_blocking=True)
    current.wait_stream(way_out)
    current.synchronize()
    return result


def cost(rows, cols):
    transfer, compute = 4 * rows * cols / LINK, 2 * rows * cols * cols / COMPUTE
    stages = (transfer, compute, transfer)
    together = max(stages) + (sum(stages) - max(stages)) / PIECES
    return dict(predicted_optimized=sum(stages) / together)
