"""Give attention a block mask instead of a matrix of booleans: blocks without a single pair are not computed.

Packed documents attend to themselves only. A dense mask makes attention compute every score of the sequence, and throws
away those between documents. `create_block_mask` finds the tiles of 128 by 128 that hold at least one allowed pair;
compiled FlexAttention visits only those, and applies the mask inside the tiles at an edge. Both masks are made
beforehand; a batch needs one for all layers. Predicts: the pairs of tiles over those visited. No gain where: one
document fills the sequence, or documents are much shorter than a tile.
"""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

TILE = 128

workload = dict(heads=16, length=8_192, documents=16, head=64, dtype="bfloat16")
workload_cpu = dict(heads=2, length=1_024, documents=8, head=32, dtype="float32")
smoke = dict(heads=2, length=300, documents=5, head=16, dtype="float32")
constant = ("document",)
tolerance = dict(
    bfloat16=dict(rtol=2e-2, atol=1e-2),  # weights and means of values near 1, rounded at 2**-9
    float32=dict(rtol=1e-4, atol=1e-5),  # means with weights from an exponential, at 2**-24
)
tier = "idiomatic"
menu = ("training", "compute-bound")


def inputs(heads, length, documents, head, dtype):
    """Queries, keys, values, and for each token the number of its document; their ends are drawn."""
    ends = torch.randperm(length - 1)[: documents - 1] + 1
    document = torch.zeros(length, dtype=torch.int64).index_fill_(0, ends, 1).cumsum(0)
    return *torch.randn(3, 1, heads, length, head, dtype=getattr(torch, dtype)).unbind(), document


def reference(query, key, value, document):
    """Document by document, head by head, in float64."""
    out = torch.empty_like(query, dtype=torch.float64)
    for number in range(int(document.max()) + 1):
        tokens = (document == number).nonzero().flatten()
        place = torch.arange(len(tokens))
        for head in range(query.shape[1]):
            own = [part[0, head, tokens].double() for part in (query, key, value)]
            scores = own[0] @ own[1].T / query.shape[-1] ** 0.5
            scores.masked_fill_(place > place[:, None], -torch.inf)
            out[0, head, tokens] = scores.softmax(-1) @ own[2]
    return out


def allowed(document):
    """May a token look at another one: in the same document, and not after it."""

    def mask(batch, head, row, column):
        return (row >= column) & (document[row] == document[column])

    return mask


def prepare_baseline(query, key, value, document):
    place = torch.arange(len(document), device=document.device)
    return allowed(document)(None, None, place[:, None], place)


def baseline(mask, query, key, value, document):
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)


def prepare_optimized(query, key, value, document):
    length = len(document)
    blocks = create_block_mask(allowed(document), None, None, length, length, device=query.device, BLOCK_SIZE=TILE)
    return torch.compile(flex_attention, dynamic=False), blocks


def optimized(prepared, query, key, value, document):
    compiled, blocks = prepared
    return compiled(query, key, value, block_mask=blocks)


def cost(heads, length, documents, head, dtype):
    per_pair = 4 * heads * head
    squares = 2 * length**2 / (documents + 1)  # the mean over drawn ends of the sum of squared lengths
    visited = min(length**2, squares / 2 + length * TILE)  # half of each square, and the tiles at its edges
    return dict(
        flops=per_pair * squares / 2,
        bytes=4 * heads * length * head * getattr(torch, dtype).itemsize,
        baseline_flops=per_pair * length**2,
        optimized_flops=per_pair * visited,
    )
