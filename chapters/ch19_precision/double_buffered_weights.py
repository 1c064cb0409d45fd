"""Copy the next layer's weights while this layer computes, with two buffers that take turns.

A model that does not fit is streamed from page-locked host memory, layer by layer. On one stream each copy waits for
the product before it and the product for its copy: the times add up. A second stream fills the other buffer; events
say when a buffer is full and when it may be overwritten.
Predicts: copy + compute per layer become the longer of the two: 1.7x with 0.6 ms and 0.45 ms.
No gain where: either is much the longer, or the host memory is not page-locked.
"""

import torch

COPY, COMPUTE = 32 * 2**20 / 55e9, 2 * 8_192 * 4_096**2 / 600e12  # seconds per layer of the workload on a fast link

workload = dict(layers=10, rows=8_192, width=4_096, dtype="bfloat16")  # 32 MiB per layer
# An odd number of layers: the buffers swap roles between calls.
smoke = dict(layers=5, rows=19, width=77, dtype="float32")
constant = ("weights",)
tolerance = dict(
    bfloat16=dict(rtol=3e-2, atol=5e-2),  # ten layers, each rounded at 2**-8 (0.4 %): six sigma of 33 million sums
    float32=dict(rtol=1e-5, atol=1e-5),  # sums of 77 products, rounded at 2**-24, over five layers
)
tier = "idiomatic"
needs = dict(cuda=7.0)
menu = ("inference", "transfer-bound")


def inputs(layers, rows, width, dtype):
    kind = getattr(torch, dtype)
    weights = torch.randn(layers, width, width, dtype=kind, device="cpu") * (2 / width) ** 0.5  # keeps layers near 1
    return torch.randn(rows, width, dtype=kind), weights


def reference(x, weights):
    wide = x.double()
    for weight in weights:
        wide = torch.relu(wide @ weight.to(x.device).double())
    return wide


def prepare_baseline(x, weights):
    return weights.pin_memory(), torch.empty_like(weights[0], device=x.device)


def baseline(prepared, x, weights):
    host, buffer = prepared
    for weight in host:
        buffer.copy_(weight, non_blocking=True)
        x = torch.relu(x @ buffer)
    return x


def prepare_optimized(x, weights):
    return weights.pin_memory(), torch.empty_like(weights[:2], device=x.device), torch.cuda.Stream()


def optimized(prepared, x, weights):
    host, buffers, copies = prepared
    compute = torch.cuda.current_stream()
    copies.wait_stream(compute)  # the call before has read its last buffer
    full, read = ([torch.cuda.Event(), torch.cuda.Event()] for _ in range(2))
    for layer, weight in enumerate(host):
        turn = layer % 2
        with torch.cuda.stream(copies):
            if layer >= 2:
                copies.wait_event(read[turn])
            buffers[turn].copy_(weight, non_blocking=True)
            full[turn].record(copies)
        compute.wait_event(full[turn])
        x = torch.relu(x @ buffers[turn])
        read[turn].record(compute)
    return x


def cost(layers, rows, width, dtype):
    longer, shorter = max(COPY, COMPUTE), min(COPY, COMPUTE)
    return dict(predicted_optimized=layers * (COPY + COMPUTE) / (layers * longer + shorter))
