"""Compile the mask into the attention kernel, instead of reading it from memory.

FlexAttention takes a function that says which pairs are visible; the compiler puts it into the inner loop. No mask is
built or read. All blocks are still computed, also those in which nothing is visible.
Predicts: the mask's bytes go, the flops stay: little gain, and none against a well-tuned kernel.
No gain where: the arithmetic takes longer than the mask's bytes, as it does here: this step prepares the next.
"""

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

workload = dict(heads=16, length=8_192, dim=128, documents=12, dtype="float16")
smoke = dict(heads=2, length=333, dim=32, documents=5, dtype="float32")
domain = dict(document="drawn")  # numbers that rise along the sequence
inputs = "step_01_sdpa_mask"
reference = "step_01_sdpa_mask"
tolerance = "step_01_sdpa_mask"
baseline = "step_01_sdpa_mask"
tier = "idiomatic"
needs = dict(cuda=8.0)  # without a GPU the kernel compiles for most of a minute
menu = ("both", "memory-bound")


def everything(document):
    """A block mask that leaves no block out and asks the function inside each."""

    def sees(batch, head, query, key):
        return (query >= key) & (document[query] == document[key])

    length = len(document)
    blocks = create_block_mask(lambda b, h, query, key: query >= 0, None, None, length, length, device=document.device)
    full, indices = blocks.full_kv_num_blocks, blocks.full_kv_indices
    return type(blocks).from_kv_blocks(
        full, indices, BLOCK_SIZE=blocks.BLOCK_SIZE, mask_mod=sees, seq_lengths=(length, length)
    )


def prepare_optimized(q, k, v, document):
    attend = torch.compile(flex_attention, dynamic=False)
    attend(q, k, v, block_mask=everything(document))
    return attend


def optimized(attend, q, k, v, document):
    return attend(q, k, v, block_mask=everything(document))


def cost(heads, length, dim, documents, dtype):
    size, ends = getattr(torch, dtype).itemsize, 4 * heads * length * dim
    return dict(flops=4 * heads * length * length * dim, bytes=size * ends, baseline_bytes=size * ends + 2 * length**2)
