"""Skip blocks in which nothing is visible.

A block mask lists, per 128 queries, the blocks of 128 keys that hold a visible pair. With 12 packed documents of a
causal sequence that is one block in about twenty. It depends on the documents, so it is built at every call, and that
is timed.
Predicts: flops fall by 2 x documents at most, less the blocks that edges cut, and less building the mask.
No gain where: one document fills the sequence: then half of the blocks remain.
"""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

workload = dict(heads=16, length=8_192, dim=128, documents=12, dtype="float16")
smoke = dict(heads=2, length=333, dim=32, documents=5, dtype="float32")
domain = dict(document="drawn")  # numbers that rise along the sequence
inputs = "step_01_sdpa_mask"
reference = "step_01_sdpa_mask"
tolerance = "step_01_sdpa_mask"
baseline = "step_02_flex"
tier = "idiomatic"
needs = dict(cuda=8.0)  # without a GPU the kernel compiles for most of a minute
menu = ("both", "compute-bound")


def block_mask(document):
    def sees(batch, head, query, key):
        return (query >= key) & (document[query] == document[key])

    return create_block_mask(sees, None, None, len(document), len(document), device=document.device)


def prepare_optimized(q, k, v, document):
    attend = torch.compile(flex_attention, dynamic=False)
    attend(q, k, v, block_mask=block_mask(document))
    return attend


def optimized(attend, q, k, v, document):
    return attend(q, k, v, block_mask=block_mask(document))


def cost(heads, length, dim, documents, dtype):
    size, ends = getattr(torch, dtype).itemsize, 4 * heads * length * dim
    visited = min(length, length // (2 * documents) + 128)
    return dict(
        flops=4 * heads * length * length // (2 * documents) * dim,
        baseline_flops=4 * heads * length * length * dim,
        optimized_flops=4 * heads * length * visited * dim,
        bytes=size * ends,
    )
