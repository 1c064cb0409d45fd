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
from triton.tools.tensor_descriptor import TensorDescriptor

LOG2_E = 1.4426950408889634
BLOCK, STAGES = 64, 3  # 72 KiB per tile; the compiler holds two: one is computed on, one is on its way

workload = dict(batch=32, heads=16, context=16_384, latent=512, rope=64, dtype="float16")  # 576 MiB of cache
smoke = dict(batch=3, heads=5, context=203, latent=64, rope=16, dtype="float32")  # fewer heads than a tile, a short end
# Results of float16 are near 0.5; the baseline rounds scores up to 16 at 2**-11: 0.8 % of a weight.
# In float32 exponentials of sums of products are rounded at 2**-24 each.
tolerance = dict(float16=dict(rtol=1e-2, atol=1e-2), float32=dict(rtol=1e-4, atol=1e-5))
tier = "idiomatic"
menu = ("inference", "memory-bound")


def inputs(batch, heads, context, latent, rope, dtype):
    kind = getattr(torch, dtype)
    q = 3 * torch.randn(batch, heads, latent + rope, dtype=kind)  # scores spread by 3: few tokens have most weight
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
    q_ptr, latents, turned, part_ptr, lse_ptr, context, part_length, heads, scale,
    LATENT: tl.constexpr, ROPE: tl.constexpr, HEADS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One sequence, one part of its context. A tile is loaded once and is an operand of both products."""
    sequence, part, parts = tl.program_id(0), tl.program_id(1), tl.num_programs(1)
    head, column, rope = tl.arange(0, HEADS), tl.arange(0, LATENT), LATENT + tl.arange(0, ROPE)
    there = (head < heads)[:, None]
    query = q_ptr + (sequence * heads + head)[:, None] * (LATENT + ROPE)
    q_latent = tl.load(query + column[None, :], mask=there, other=0.0)
    q_turned = tl.load(query + rope[None, :], mask=there, other=0.0)
    start = part * part_length
    end = tl.minimum(start + part_length, context)
    largest = tl.full([HEADS], float("-inf"), tl.float32)
    total = tl.zeros([HEADS], tl.float32)
    mixed = tl.zeros([HEADS, LATENT], tl.float32)
    for first in range(start, end, BLOCK):
        tile = latents.load([sequence, first, 0]).reshape(BLOCK, LATENT)  # key and value; zeros past the context
        tile_turned = turned.load([sequence, first, 0]).reshape(BLOCK, ROPE)  # key only
        scores = tl.dot(q_latent, tl.trans(tile), input_precision="ieee")
        scores = tl.dot(q_turned, tl.trans(tile_turned), scores, input_precision="ieee") * scale
        scores = tl.where((first + tl.arange(0, BLOCK) < end)[None, :], scores, float("-inf"))
        risen = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - risen[:, None])
        keep = tl.exp2(largest - risen)
        mixed = tl.dot(weights.to(tile.dtype), tile, mixed * keep[:, None], input_precision="ieee")
        total = total * keep + tl.sum(weights, 1)
        largest = risen
    out = (sequence * parts + part) * heads + head
    tl.store(part_ptr + out[:, None] * LATENT + column[None, :], mixed / total[:, None], mask=there)
    tl.store(lse_ptr + out, largest + tl.log2(total), mask=head < heads)


@triton.jit
def join_parts(
    part_ptr, lse_ptr, out_ptr, parts, heads,
    LATENT: tl.constexpr, PARTS: tl.constexpr,
):  # fmt: skip
    """One head of one sequence: its parts, each by its share in the sum of weights."""
    sequence, head = tl.program_id(0), tl.program_id(1)
    part, column = tl.arange(0, PARTS), tl.arange(0, LATENT)
    row = (sequence * parts + part) * heads + head
    lse = tl.load(lse_ptr + row, mask=part < parts, other=float("-inf"))
    weights = tl.exp2(lse - tl.max(lse, 0))
    values = tl.load(part_ptr + row[:, None] * LATENT + column[None, :], mask=(part < parts)[:, None], other=0.0)
    joined = tl.sum(values * weights[:, None], 0) / tl.sum(weights, 0)
    tl.store(out_ptr + (sequence * heads + head) * LATENT + column, joined.to(out_ptr.dtype.element_ty))


def processors(device):
    """Multiprocessors of the GPU; the interpreter gets a number that makes several parts."""
    return torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 8


def optimized(q, cache, latent):
    q, cache = q.contiguous(), cache.contiguous()
    batch, heads, width = q.shape
    context = cache.shape[1]
    # As many programs as multiprocessors: all of them run at the same time, and each has all of the shared memory.
    part_length = triton.cdiv(triton.cdiv(context, max(1, processors(q.device) // batch)), BLOCK) * BLOCK
    parts = triton.cdiv(context, part_length)
    partial = q.new_empty(batch, parts, heads, latent, dtype=torch.float32)
    lse = q.new_empty(batch, parts, heads, dtype=torch.float32)
    boxes = (cache[..., :latent], latent), (cache[..., latent:], width - latent)
    latents, turned = (TensorDescriptor.from_tensor(tokens, [1, BLOCK, columns]) for tokens, columns in boxes)
    attend_latent[(batch, parts)](
        q, latents, turned, partial, lse, context, part_length, heads, LOG2_E / width**0.5,
        LATENT=latent, ROPE=width - latent, HEADS=max(16, triton.next_power_of_2(heads)), BLOCK=BLOCK,
        num_warps=8, num_stages=STAGES,
    )  # fmt: skip
    out = q.new_empty(batch, heads, latent)
    join_parts[(batch, heads)](partial, lse, out, parts, heads, LATENT=latent, PARTS=triton.next_power_of_2(parts))
    return out


def cost(batch, heads, context, latent, rope, dtype):
    size, width = getattr(torch, dtype).itemsize, latent + rope
    cache, scores = batch * context * width, batch * heads * context
    outside = batch * heads * (width + latent)
    return dict(
        flops=2 * batch * heads * context * (width + latent),
        bytes=size * (cache + outside),
        baseline_bytes=size * (cache + batch * context * latent + outside + 6 * scores),  # write, scale, softmax, read
    )
