"""Say a window in the mask, not in the scores: only a mask lets the kernel leave blocks out.

A token sees the last `window` tokens of its document. Written as a change of scores, which become minus infinity
outside, the window is right and costs what the whole document costs: the kernel cannot know beforehand that a block
will hold nothing. Written into the mask, blocks outside the window are not in the list. Both lists are built at every
call, because documents change.
Predicts: blocks of a whole causal document become those of the window: 3.4x for 4,096 tokens and a window of 512.
No gain where: documents are as short as the window.
"""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

workload = dict(heads=16, length=8_192, dim=128, documents=2, window=512, dtype="float16")
smoke = dict(heads=2, length=333, dim=32, documents=2, window=37, dtype="float32")
constant = ("window",)
domain = dict(document="drawn")  # numbers that rise along the sequence
tolerance = "step_01_sdpa_mask"
tier = "idiomatic"
needs = dict(cuda=8.0)  # without a GPU the kernel compiles for most of a minute
menu = ("both", "compute-bound")


def inputs(heads, length, dim, documents, window, dtype):
    kind = getattr(torch, dtype)
    q, k, v = (torch.randn(1, heads, length, dim, dtype=kind) for _ in range(3))
    return 2 * q, k, v, torch.randint(documents, (length,)).sort().values.int(), window


def reference(q, k, v, document, window):
    """Document by document, each alone, with a band of ones as the mask."""
    out = torch.zeros_like(q, dtype=torch.float64)
    for number in document.unique().tolist():
        mine = (document == number).nonzero().flatten()
        queries, keys, values = (x[0][:, mine].double() for x in (q, k, v))
        scores = queries @ keys.mT / keys.shape[-1] ** 0.5
        band = torch.ones_like(scores, dtype=torch.bool).tril().triu(1 - window)
        out[0][:, mine] = torch.softmax(scores.masked_fill(~band, -torch.inf), -1) @ values
    return out


def block_mask(document, window):
    """Pairs of one document, up to the token itself, and no further apart than the window, if one is given."""

    def sees(batch, head, query, key):
        same = (query >= key) & (document[query] == document[key])
        return same if window is None else same & (query - key < window)

    return create_block_mask(sees, None, None, len(document), len(document), device=document.device)


def prepare_baseline(q, k, v, document, window):
    attend = torch.compile(flex_attention, dynamic=False)
    baseline(attend, q, k, v, document, window)
    return attend


def baseline(attend, q, k, v, document, window):
    def windowed(score, batch, head, query, key):
        return torch.where(query - key < window, score, -torch.inf)

    return attend(q, k, v, score_mod=windowed, block_mask=block_mask(document, None))


def prepare_optimized(q, k, v, document, window):
    attend = torch.compile(flex_attention, dynamic=False)
    optimized(attend, q, k, v, document, window)
    return attend


def optimized(attend, q, k, v, document, window):
    return attend(q, k, v, block_mask=block_mask(document, window))


def cost(heads, length, dim, documents, window, dtype):
    size, pairs = getattr(torch, dtype).itemsize, 4 * heads * length * dim
    return dict(
        flops=pairs * min(window, length // documents),
        baseline_flops=pairs * (length // (2 * documents) + 128),
        optimized_flops=pairs * (min(window, length // (2 * documents)) + 128),
        bytes=size * pairs,
    )
