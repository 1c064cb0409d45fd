"""Pack the cache blocks of a prompt into one message, instead of sending each block of each layer on its own.

A paged cache keeps a prompt's keys and values in blocks that lie anywhere. Sent one by one, a prompt is
2 x layers x blocks messages, and a host has to start every one of them. One gather copies the blocks into a buffer,
which goes over the link in one piece; the other side reads them from there. The copies go through local memory, which
is faster than the link.
Predicts: messages x (start + bytes) against one start, all bytes, and two passes through memory.
No gain where: blocks are megabytes; starting one is then short beside sending it.
"""

import torch
import torch.distributed as dist

START = 50_000  # bytes that the link moves while a host starts a message: 50 µs at 1 GB/s of a loopback socket
LOCAL = 10  # times that local memory is wider

workload = dict(layers=32, pages=512, blocks=64, block=16 * 1_024)  # 64 KiB per block: 1,024 tokens in 16s
workload_cpu = dict(layers=4, pages=64, blocks=16, block=2_048)
smoke = dict(layers=2, pages=9, blocks=5, block=77)
ranks = 2
tolerance = dict(rtol=1e-4, atol=1e-5)  # a sum over float32 products, in one order on both sides
domain = dict(table="drawn")  # numbers of blocks, no two alike
tier = "naive"
menu = ("inference", "communication-bound")


def inputs(layers, pages, blocks, block):
    """Each rank computes prompts for the other: a cache, which blocks of it the prompt has, and a query per layer."""
    return torch.randn(layers, 2, pages, block), torch.randperm(pages)[:blocks], torch.randn(layers, block)


def other():
    return 1 - dist.get_rank()


def attended(query, received):
    """What the next token sees: every block is one key and one value here."""
    keys, values = received[:, 0], received[:, 1]
    scores = torch.einsum("lc,lbc->lb", query, keys) / keys.shape[-1] ** 0.5
    return torch.einsum("lb,lbc->lc", scores.softmax(-1), values)


def reference(cache, table, query):
    mine = cache[:, :, table].double()
    both = [torch.empty_like(mine) for _ in range(2)]
    dist.all_gather(both, mine)
    return attended(query.double(), both[other()])


def prepare_baseline(cache, table, query):
    return torch.empty(len(cache), 2, len(table), cache.shape[-1])


def baseline(received, cache, table, query):
    works = []
    for layer in range(len(cache)):
        for part in range(2):
            for place, page in enumerate(table.tolist()):
                send = dist.P2POp(dist.isend, cache[layer, part, page], other())
                receive = dist.P2POp(dist.irecv, received[layer, part, place], other())
                works += dist.batch_isend_irecv([send, receive])
    for work in works:
        work.wait()
    return attended(query, received)


def prepare_optimized(cache, table, query):
    shape = len(cache), 2, len(table), cache.shape[-1]
    return torch.empty(shape), torch.empty(shape)


def optimized(buffers, cache, table, query):
    packed, received = buffers
    torch.index_select(cache, 2, table, out=packed)
    send, receive = dist.P2POp(dist.isend, packed, other()), dist.P2POp(dist.irecv, received, other())
    for work in dist.batch_isend_irecv([send, receive]):
        work.wait()
    return attended(query, received)


def cost(layers, pages, blocks, block):
    messages, size = 2 * layers * blocks, 4 * block
    whole = messages * size
    return dict(predicted_optimized=messages * (START + size) / (START + whole + 2 * whole / LOCAL))
