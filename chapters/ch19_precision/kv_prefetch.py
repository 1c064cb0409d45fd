"""Fetch the next layer's key-value pages from host memory while this layer attends.

A long conversation's cache waits in host memory, in pages. A layer's pages are gathered by the CPU into one buffer,
copied to the device and attended to. Which pages a layer needs is known before it runs, so a worker thread can gather
and copy them one layer ahead, into the other of two buffers.
Predicts: gather + copy + attend per layer become the longest of them: up to 2x.
No gain where: there is one core, or attention takes much longer than fetching.
"""

from concurrent.futures import ThreadPoolExecutor

import torch

# 64 MiB fetched per layer.
workload = dict(layers=16, heads=8, pages=512, chosen=256, page=64, dim=128, dtype="float16")
workload_cpu = dict(layers=8, heads=4, pages=256, chosen=128, page=16, dim=64, dtype="float32")  # 4 MiB
smoke = dict(layers=5, heads=3, pages=11, chosen=7, page=3, dim=24, dtype="float32")
constant = ("cache",)
domain = dict(table="drawn")  # numbers of pages that exist
tolerance = dict(
    # Each layer's query holds the result before it, rounded at 2**-11, over 16 layers.
    float16=dict(rtol=2e-2, atol=2e-2),
    float32=dict(rtol=1e-4, atol=2e-5),  # exponentials of sums of products, rounded at 2**-24 each
)
tier = "idiomatic"
clock = "latency"
menu = ("inference", "transfer-bound")


def inputs(layers, heads, pages, chosen, page, dim, dtype):
    kind = getattr(torch, dtype)
    # Keys and values of a page together.
    cache = torch.randn(layers, pages, 2, heads, page, dim, dtype=kind, device="cpu")
    table = torch.stack([torch.randperm(pages, device="cpu")[:chosen] for _ in range(layers)])
    return 2 * torch.randn(layers, heads, dim, dtype=kind), cache, table


def reference(q, cache, table):
    state, rows = 0.0, []
    for queries, layer, pages in zip(q.double(), cache, table, strict=True):
        keys, values = layer[pages].to(q.device).double().transpose(0, 1).transpose(1, 2).flatten(2, 3)
        scores = (keys @ (queries + state)[..., None])[..., 0] / keys.shape[-1] ** 0.5
        state = (torch.softmax(scores, -1)[:, None] @ values)[:, 0]
        rows.append(state)
    return torch.stack(rows)


def make_buffers(q, cache, table):
    """Two staging buffers of the host, and on a GPU two of the device."""
    shape = (2, table.shape[1], *cache.shape[2:])
    host = torch.empty(shape, dtype=cache.dtype, device="cpu", pin_memory=q.is_cuda)
    return host, torch.empty_like(host, device=q.device) if q.is_cuda else host


def attend(query, pages):
    """Pages as they were gathered: page, key or value, head, token, dim."""
    keys, values = pages.transpose(0, 1).transpose(1, 2).flatten(2, 3)
    return torch.nn.functional.scaled_dot_product_attention(query[:, None], keys, values)[:, 0]


def prepare_baseline(q, cache, table):
    return make_buffers(q, cache, table)


def baseline(buffers, q, cache, table):
    host, device = buffers
    state, rows = torch.zeros_like(q[0]), []
    for layer, queries in enumerate(q):
        torch.index_select(cache[layer], 0, table[layer], out=host[0])
        if q.is_cuda:
            device[0].copy_(host[0], non_blocking=True)
            torch.cuda.current_stream().synchronize()  # the next gather overwrites the staging buffer
        state = attend(queries + state, device[0])
        rows.append(state)
    return torch.stack(rows)


def prepare_optimized(q, cache, table):
    stream = torch.cuda.Stream() if q.is_cuda else None
    return make_buffers(q, cache, table), ThreadPoolExecutor(1), stream


def fetch(buffers, stream, layer, cache, table, read):
    """Run by the worker. `read` is recorded when the device has read what lies in this pair of buffers."""
    host, device = (two[layer % 2] for two in buffers)
    torch.index_select(cache[layer], 0, table[layer], out=host)
    if stream is not None:
        with torch.cuda.stream(stream):
            if read is not None:
                stream.wait_event(read)
            device.copy_(host, non_blocking=True)
        stream.synchronize()  # the worker waits, not the loop: the staging buffer is free afterwards
    return device


def optimized(prepared, q, cache, table):
    buffers, worker, stream = prepared
    if stream is not None:
        stream.wait_stream(torch.cuda.current_stream())  # the call before has read its buffers
    state, rows, read = torch.zeros_like(q[0]), [], [None, None]
    coming = worker.submit(fetch, buffers, stream, 0, cache, table, None)
    for layer, queries in enumerate(q):
        pages = coming.result()
        if layer + 1 < len(q):
            coming = worker.submit(fetch, buffers, stream, layer + 1, cache, table, read[(layer + 1) % 2])
        state = attend(queries + state, pages)
        rows.append(state)
        if stream is not None:
            read[layer % 2] = torch.cuda.current_stream().record_event()
    return torch.stack(rows)


def cost(layers, heads, pages, chosen, page, dim, dtype):
    fetched = 2 * layers * chosen * page * heads * dim * getattr(torch, dtype).itemsize
    return dict(flops=2 * fetched, bytes=fetched, baseline_bytes=3 * fetched, optimized_bytes=3 * fetched)
