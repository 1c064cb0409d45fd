"""Let the library compute masked attention, instead of writing scores to memory three times.

Spelled out, attention writes the scores of all pairs, masks them, writes their softmax and reads it again. The
library's kernel keeps a tile of scores on the chip and needs only the mask from memory. Here queries see their own
document and nothing after themselves, as when documents are packed into one sequence.
Predicts: the score matrix crosses memory once (the mask) instead of seven times.
No gain where: sequences are so short that the scores stay in the cache.
"""

import torch

workload = dict(heads=16, length=8_192, dim=128, documents=12, dtype="float16")
workload_cpu = dict(heads=2, length=512, dim=64, documents=4, dtype="float32")
smoke = dict(heads=2, length=333, dim=32, documents=5, dtype="float32")  # no block of 128 is full at the end
domain = dict(document="drawn")  # numbers that rise along the sequence
tolerance = dict(
    float16=dict(rtol=5e-3, atol=5e-3),  # results near 0.5; weights and output are rounded at 2**-11 (0.05 %)
    float32=dict(rtol=1e-4, atol=1e-5),  # exponentials of sums of products, rounded at 2**-24 each
)
layout = "any"  # on a GPU the library's kernel leaves heads side by side
tier = "idiomatic"
menu = ("both", "memory-bound")


def inputs(heads, length, dim, documents, dtype):
    kind = getattr(torch, dtype)
    q, k, v = (torch.randn(1, heads, length, dim, dtype=kind) for _ in range(3))
    document = torch.randint(documents, (length,)).sort().values.int()  # of each token, in the order of the sequence
    return 2 * q, k, v, document


def reference(q, k, v, document):
    """Document by document, each alone."""
    out = torch.zeros_like(q, dtype=torch.float64)
    for number in document.unique().tolist():
        mine = (document == number).nonzero().flatten()
        queries, keys, values = (x[0][:, mine].double() for x in (q, k, v))
        scores = queries @ keys.mT / keys.shape[-1] ** 0.5
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        out[0][:, mine] = torch.softmax(scores.masked_fill(later, -torch.inf), -1) @ values
    return out


def visible(document):
    place = torch.arange(len(document), device=document.device)
    return (place[:, None] >= place) & (document[:, None] == document)


def baseline(q, k, v, document):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    return torch.softmax(scores.masked_fill(~visible(document), -torch.inf), -1) @ v


def optimized(q, k, v, document):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=visible(document))


def cost(heads, length, dim, documents, dtype):
    size, ends = getattr(torch, dtype).itemsize, 4 * heads * length * dim
    return dict(
        flops=4 * heads * length * length * dim,
        bytes=size * ends,
        baseline_bytes=size * (ends + 7 * heads * length**2),
        optimized_bytes=size * ends + 2 * length**2,
    )
