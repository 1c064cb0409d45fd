"""Compile the mask into the attention kernel, instead of reading it from memory.

FlexAttention takes a function that says which pairs are visible; the compiler puts it into the inner loop. No mask is
built or read. All blocks are still computed, also those in which nothing is visible.
Predicts: the mask's bytes go, the flops stay: little gain, and none against a well-tuned kernel.
No gain where: the arithmetic takes longer than the mask's bytes, as it does here: this step prepares the next.
"""

import torch
from torch.nn.attention.flex_attention import BlockMask, flex_attention

workload = dict(heads=16, length=8_192, dim=128, documents=12, dtype="float16")
smoke = dict(heads=2, length=333, dim=32, documents=5, dtype="float32")
domain = dict(document="drawn")  # numbers that rise along the sequence
inputs = "step_01_sdpa_mask"
reference = "step_01_sdpa_mask"
tolerance = "step_01_sdpa_mask"
baseline = "step_01_sdpa_mask"
layout = "any"  # as the library lays it out: heads side by side
tier = "idiomatic"
needs = dict(cuda=8.0)  # without a GPU the kernel compiles for most of a minute
menu = ("both", "memory-bound")


BLOCK = 128  # queries, and keys


def everything(document):
    """A block mask that leaves no block out and asks the function inside each."""

    def sees(batch, head, query, key):
        return (query >= key) & (document[query] == document[key])

    length, blocks = len(document), -(-len(document) // BLOCK)
    every = torch.arange(blocks, dtype=torch.int32, device=document.device).repeat(1, 1, blocks, 1)
    count = torch.full((1, 1, blocks), blocks, dtype=torch.int32, device=document.device)
    return BlockMask.from_kv_blocks(count, every, BLOCK_SIZE=BLOCK, mask_mod=sees, seq_lengths=(length, length))


def prepare_optimized(q, k, v, document):
    attend = torch.compile(flex_attention, dynamic=False)
    attend(q, k, v, block_mask=everything(document))
    return attend


def optimized(attend, q, k, v, document):
    return attend(q, k, v, block_mask=everything(document))


def cost(heads, length, dim, documents, dtype):
    size, ends = getattr(torch, dtype).itemsize, 4 * heads * length * dim
    return dict(flops=4 * heads * length * length * dim, bytes=size * ends, baseline_bytes=size * ends + 2 * length**2)
