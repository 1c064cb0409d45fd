"""Attend to a sliding window chunk by chunk: a chunk of queries needs only its own keys and those before it.

With a dense mask, attention computes every score and throws nearly all of them away. Cut the sequence into chunks as
long as the window: no query of a chunk sees further back than the chunk before. So each chunk attends to two chunks
of keys, all chunks in one batched call with the same small mask, in plain PyTorch.
Predicts: `length` scores per query become 2 x `window`: 4x at 2,048 and 256.
No gain where: the window is half of the sequence or more.
"""

import torch

workload = dict(heads=16, length=8_192, dim=128, window=1_024, dtype="float16")
workload_cpu = dict(heads=2, length=2_048, dim=64, window=256, dtype="float32")
smoke = dict(heads=3, length=203, dim=24, window=37, dtype="float32")  # the last chunk is short
tolerance = dict(
    float16=dict(rtol=5e-3, atol=5e-3),  # results near 0.5; weights and output are rounded at 2**-11 (0.05 %)
    float32=dict(rtol=1e-4, atol=1e-5),  # exponentials of sums of products, rounded at 2**-24 each
)
tier = "idiomatic"
menu = ("both", "compute-bound")


def inputs(heads, length, dim, window, dtype):
    kind = getattr(torch, dtype)
    q, k, v = (torch.randn(1, heads, length, dim, dtype=kind) for _ in range(3))
    return 2 * q, k, v, window


constant = ("window",)


def reference(q, k, v, window):
    """Head by head, with a band of ones as the mask."""
    band = torch.ones(q.shape[2], q.shape[2], dtype=torch.bool, device=q.device).tril().triu(1 - window)
    heads = []
    for queries, keys, values in zip(q[0].double(), k[0].double(), v[0].double(), strict=True):
        scores = (queries @ keys.T / keys.shape[-1] ** 0.5).masked_fill(~band, -torch.inf)
        heads.append(torch.softmax(scores, -1) @ values)
    return torch.stack(heads)[None]


def prepare_baseline(q, k, v, window):
    place = torch.arange(q.shape[2], device=q.device)
    back = place[:, None] - place
    return (back >= 0) & (back < window)


def baseline(seen, q, k, v, window):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)


def prepare_optimized(q, k, v, window):
    """Which of two chunks of keys a chunk of queries sees. Before the first chunk are zeros, which it must not see."""
    back = window + torch.arange(window, device=q.device)[:, None] - torch.arange(2 * window, device=q.device)
    seen = ((back >= 0) & (back < window)).repeat(-(-q.shape[2] // window), 1, 1, 1)
    seen[0, :, :, :window] = False
    return seen


def chunks(x, window, before):
    """Chunks as a batch: chunk, head, place, dim; with `before`, each has the one before it in front."""
    length, pad = x.shape[2], torch.nn.functional.pad
    x = pad(x[0], (0, 0, window * before, -length % window))
    return x.unfold(1, window * (1 + before), window).permute(1, 0, 3, 2)


def optimized(seen, q, k, v, window):
    parts = (chunks(q, window, 0), chunks(k, window, 1), chunks(v, window, 1))
    mixed = torch.nn.functional.scaled_dot_product_attention(*parts, attn_mask=seen)
    return mixed.transpose(0, 1).flatten(1, 2)[None, :, : q.shape[2]].contiguous()


def cost(heads, length, dim, window, dtype):
    size = getattr(torch, dtype).itemsize
    return dict(
        flops=4 * heads * length * window * dim,
        baseline_flops=4 * heads * length * length * dim,
        optimized_flops=4 * heads * length * 2 * window * dim,
        bytes=4 * size * heads * length * dim,
    )
