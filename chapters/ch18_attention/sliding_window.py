"""Give FlexAttention a block mask, so that it skips the blocks of a sliding window's mask that are empty.

A dense mask hides scores after they are computed: all length x length of them. A block mask lists, per 128 queries,
the blocks of keys that hold anything to see, and the compiled kernel visits only those; blocks that are cut by the
window's edge are masked inside. The mask function is compiled into the kernel, so no mask is read from memory.
Predicts: 16,384 keys per query become about 1,024 + 128, so up to 14x.
No gain where: the window covers most of the sequence, or each call has a new mask, which must be built first.
"""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

workload = dict(heads=16, length=16_384, dim=128, window=1_024, dtype="float16")
smoke = dict(heads=3, length=333, dim=32, window=37, dtype="float32")  # blocks at the end and at the edge are cut
tolerance = dict(
    float16=dict(rtol=5e-3, atol=5e-3),  # results near 0.5; weights and output are rounded at 2**-11 (0.05 %)
    float32=dict(rtol=1e-4, atol=1e-5),  # exponentials of sums of products, rounded at 2**-24 each
)
tier = "idiomatic"
needs = dict(cuda=8.0)  # without a GPU the kernel compiles for most of a minute
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
    """The mask in the form that the library adds to scores: a boolean one would be converted at every call."""
    place = torch.arange(q.shape[2], device=q.device)
    back = place[:, None] - place
    return torch.zeros(1, dtype=q.dtype, device=q.device).where((back >= 0) & (back < window), -torch.inf)


def baseline(mask, q, k, v, window):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def block_mask(length, window, device):
    def sees(batch, head, query, key):
        return (query >= key) & (query - key < window)

    return create_block_mask(sees, None, None, length, length, device=device)


def prepare_optimized(q, k, v, window):
    attend, blocks = torch.compile(flex_attention, dynamic=False), block_mask(q.shape[2], window, q.device)
    attend(q, k, v, block_mask=blocks)  # compiles
    return attend, blocks


def optimized(compiled, q, k, v, window):
    attend, blocks = compiled
    return attend(q, k, v, block_mask=blocks)


def cost(heads, length, dim, window, dtype):
    size = getattr(torch, dtype).itemsize
    return dict(
        flops=4 * heads * length * window * dim,
        baseline_flops=4 * heads * length * length * dim,
        optimized_flops=4 * heads * length * (window + 128) * dim,
        bytes=4 * size * heads * length * dim,
        baseline_bytes=4 * size * heads * length * dim + size * length**2,
    )
