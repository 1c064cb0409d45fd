"""Read each row of a latent key-value cache once: it is the key and the value of all heads.

Multi-head latent attention keeps one row of 512 + 64 numbers per token for all heads. After the up-projections are
absorbed into the query, the score is a product with the whole row and the result a sum of its first 512 numbers. Two
matrix products read the cache twice and write the scores in between; one kernel loads a tile and uses it for both.
Predicts: 2 x (cache) plus scores become 1 x (cache), about 2x.
No gain where: many heads (128) on one GPU make the products compute-bound.
"""

import torch
import triton
import triton.language as tl

LOG2_E = 1.4426950408889634
# Two programs of 91 KiB fit: each computes on one tile of 36 KiB and loads the next.
BLOCK, PROGRAMS_PER_PROCESSOR = 32, 2

workload = dict(batch=32, heads=16, context=16_384, latent=512, rope=64, dtype="float16")  # 576 MiB of cache
smoke = dict(batch=3, heads=5, context=203, latent=64, rope=16, dtype="float32")  # fewer heads than a tile, a short end
tolerance = dict(
    # Results near 0.5; the baseline rounds scores up to 16 at 2**-11: 0.8 % of a weight.
    float16=dict(rtol=1e-2, atol=1e-2),
    float32=dict(rtol=1e-4, atol=1e-5),  # exponentials of sums of products, rounded at 2**-24 each
)
tier = "idiomatic"
menu = ("inference", "memory-bound")
counters = ("BYTES", "BASE", "STALL")


def inputs(batch, heads, context, latent, rope, dtype):
    kind = getattr(torch, dtype)
    # Scores spread by 3: few tokens have most of the weight.
    q = 3 * torch.randn(batch, heads, latent + rope, dtype=kind)
    return q, torch.randn(batch, context, latent + rope, dtype=kind), latent


constant = ("latent",)


def reference(q, cache, latent):
    rows = []
    for queries, tokens in zip(q, cache, strict=True):
        wide = tokens.double()
        weights = torch.softmax(queries.double() @ wide.T / wide.shape[-1] ** 0.5, -1)
        rows.append(weights @ wide[:, :latent])
    return torch.stack(rows)


def baseline(q, cache, latent):
    scores = q @ cache.mT / cache.shape[-1] ** 0.5
    return torch.softmax(scores, -1) @ cache[..., :latent]


@triton.jit
def attend_latent(
    q_ptr, cache_ptr, part_ptr, lse_ptr, context, part_length, heads, scale,
    LATENT: tl.constexpr, ROPE: tl.constexpr, HEADS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One sequence, one part of its context. A tile is loaded once and is an operand of both products."""
    sequence, part, parts = tl.program_id(0), tl.program_id(1), tl.num_programs(1)
    WIDTH: tl.constexpr = LATENT + ROPE
    head, column, turned = tl.arange(0, HEADS), tl.arange(0, LATENT), LATENT + tl.arange(0, ROPE)
    query = q_ptr + (sequence * heads + head)[:, None] * WIDTH
    q_latent = tl.load(query + column[None, :], mask=(head < heads)[:, None], other=0.0)
    q_turned = tl.load(query + turned[None, :], mask=(head < heads)[:, None], other=0.0)
    start = part * part_length
    end = tl.minimum(start + part_length, context)
    before = sequence.to(tl.int64) * context
    largest = tl.full([HEADS], float("-inf"), tl.float32)
    total = tl.zeros([HEADS], tl.float32)
    mixed = tl.zeros([LATENT, HEADS], tl.float32)
    for first in range(start, end, BLOCK):
        token = first + tl.arange(0, BLOCK)
        there = token < end
        row = cache_ptr + (before + token)[:, None] * WIDTH
        tile = tl.load(row + column[None, :], mask=there[:, None], other=0.0)  # key and value
        tile_turned = tl.load(row + turned[None, :], mask=there[:, None], other=0.0)  # key only
        scores = tl.dot(tile, tl.trans(q_latent), input_precision="ieee")
        scores = tl.dot(tile_turned, tl.trans(q_turned), scores, input_precision="ieee") * scale
        scores = tl.where(there[:, None], scores, float("-inf"))
        risen = tl.maximum(largest, tl.max(scores, 0))
        weights = tl.exp2(scores - risen[None, :])
        keep = tl.exp2(largest - risen)
        mixed = tl.dot(tl.trans(tile), weights.to(tile.dtype), mixed * keep[None, :], input_precision="ieee")
        total = total * keep + tl.sum(weights, 0)
        largest = risen
    out = (sequence * parts + part).to(tl.int64) * heads + head
    tl.store(part_ptr + out[None, :] * LATENT + column[:, None], mixed / total[None, :], mask=(head < heads)[None, :])
    tl.store(lse_ptr + out, (largest + tl.log2(total)) * 0.6931471805599453, mask=head < heads)


def processors(device):
    """Multiprocessors of the GPU; the interpreter gets a number that makes several parts."""
    return torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 8


def optimized(q, cache, latent):
    q, cache = q.contiguous(), cache.contiguous()
    batch, heads, width = q.shape
    context = cache.shape[1]
    programs = PROGRAMS_PER_PROCESSOR * processors(q.device)  # all of them run at the same time
    part_length = triton.cdiv(triton.cdiv(context, max(1, programs // batch)), BLOCK) * BLOCK
    parts = triton.cdiv(context, part_length)
    partial = torch.empty(batch, parts, heads, latent, dtype=torch.float32, device=q.device)
    lse = torch.empty(batch, parts, heads, dtype=torch.float32, device=q.device)
    attend_latent[(batch, parts)](
        q, cache, partial, lse, context, part_length, heads, LOG2_E / width**0.5,
        LATENT=latent, ROPE=width - latent, HEADS=max(16, triton.next_power_of_2(heads)), BLOCK=BLOCK,
        num_warps=8, num_stages=3,
    )  # fmt: skip
    share = torch.softmax(lse, 1)  # of each part in the sum of weights
    return (partial * share[..., None]).sum(1).to(q.dtype)


def cost(batch, heads, context, latent, rope, dtype):
    size, width = getattr(torch, dtype).itemsize, latent + rope
    cache, scores = batch * context * width, batch * heads * context
    outside = batch * heads * (width + latent)
    return dict(
        flops=2 * batch * heads * context * (width + latent),
        bytes=size * (cache + outside),
        baseline_bytes=size * (cache + batch * context * latent + outside + 6 * scores),  # write, scale, softmax, read
    )
