"""Split a long context over many programs when one query attends to it, then combine the parts.

A decode step has one query per sequence. With one program per key-value head, 2 sequences of 8 heads occupy 16 of 132
multiprocessors, and 16 of them cannot draw the full memory bandwidth. Parts of the context are independent up to a
factor that their softmax sums give, so a second small kernel combines them exactly.
Predicts: the same bytes; up to 132 / 16 = 8x more multiprocessors that load them.
No gain where: batch times heads already fills the GPU, or the context is short.
"""

import torch
import triton
import triton.language as tl

LOG2_E = 1.4426950408889634
BLOCK, PROGRAMS_PER_PROCESSOR = 64, 2  # two programs of 70 KiB fit into a multiprocessor

workload = dict(batch=2, kv_heads=8, group=4, context=131_072, dim=128, dtype="float16")  # 1 GiB of keys and values
smoke = dict(batch=2, kv_heads=2, group=3, context=333, dim=32, dtype="float32")  # the last part and block are short
tolerance = dict(
    float16=dict(rtol=5e-3, atol=2e-3),  # results near 0.25; weights and output are rounded at 2**-11 (0.05 %)
    float32=dict(rtol=1e-4, atol=1e-5),  # exponentials of sums of products, rounded at 2**-24 each
)
tier = "idiomatic"
menu = ("inference", "memory-bound")
counters = ("BYTES", "BASE", "STALL")


def inputs(batch, kv_heads, group, context, dim, dtype):
    kind = getattr(torch, dtype)
    # Scores spread by 3: few keys have most of the weight.
    q = 3 * torch.randn(batch, kv_heads * group, dim, dtype=kind)
    k, v = (torch.randn(batch, kv_heads, context, dim, dtype=kind) for _ in range(2))
    return q, k, v


def reference(q, k, v):
    rows = []
    for queries, keys, values in zip(q, k, v, strict=True):
        grouped = queries.double().view(len(keys), -1, keys.shape[-1])
        weights = torch.softmax(grouped @ keys.double().mT / keys.shape[-1] ** 0.5, -1)
        rows.append((weights @ values.double()).flatten(0, 1))
    return torch.stack(rows)


@triton.jit
def attend_part(
    q_ptr, k_ptr, v_ptr, part_ptr, lse_ptr, context, part_length, scale,
    GROUP: tl.constexpr, DIM: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """One key-value head, one part of its context: softmax-weighted values, and the log2 of the sum of weights."""
    head, part, parts = tl.program_id(0), tl.program_id(1), tl.num_programs(1)
    row, column = tl.arange(0, ROWS), tl.arange(0, DIM)  # a tensor core wants 16 rows; those past GROUP are zero
    real = (row < GROUP)[:, None]
    q = tl.load(q_ptr + (head * GROUP + row)[:, None] * DIM + column[None, :], mask=real, other=0.0)
    start = part * part_length
    end = tl.minimum(start + part_length, context)
    before = head.to(tl.int64) * context
    largest = tl.full([ROWS], float("-inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    mixed = tl.zeros([ROWS, DIM], tl.float32)
    for first in range(start, end, BLOCK):
        key = first + tl.arange(0, BLOCK)
        there = key < end
        place = (before + key)[:, None] * DIM + column[None, :]
        k = tl.load(k_ptr + place, mask=there[:, None], other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        scores = tl.where(there[None, :], scores, float("-inf"))
        risen = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - risen[:, None])
        keep = tl.exp2(largest - risen)
        v = tl.load(v_ptr + place, mask=there[:, None], other=0.0)
        mixed = tl.dot(weights.to(v.dtype), v, mixed * keep[:, None], input_precision="ieee")
        total = total * keep + tl.sum(weights, 1)
        largest = risen
    out = (head * parts + part).to(tl.int64) * GROUP + row
    tl.store(part_ptr + out[:, None] * DIM + column[None, :], mixed / total[:, None], mask=real)
    tl.store(lse_ptr + out, largest + tl.log2(total), mask=row < GROUP)


@triton.jit
def combine_parts(
    part_ptr, lse_ptr, out_ptr, parts,
    GROUP: tl.constexpr, DIM: tl.constexpr, PARTS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """One query head, some columns: the parts' results, each weighted by its share of the sum of weights."""
    head, member, tile = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    part = tl.arange(0, PARTS)
    column = tile * COLUMNS + tl.arange(0, COLUMNS)
    place = (head.to(tl.int64) * parts + part) * GROUP + member
    lse = tl.load(lse_ptr + place, mask=part < parts, other=float("-inf"))
    share = tl.exp2(lse - tl.max(lse, 0))
    share = share / tl.sum(share, 0)
    values = tl.load(part_ptr + place[:, None] * DIM + column[None, :], mask=(part < parts)[:, None], other=0.0)
    mixed = tl.sum(values * share[:, None], 0)
    tl.store(out_ptr + (head * GROUP + member) * DIM + column, mixed.to(out_ptr.dtype.element_ty))


def decode(q, k, v, parts):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    batch, kv_heads, context, dim = k.shape
    heads, group = batch * kv_heads, q.shape[1] // kv_heads
    part_length = triton.cdiv(triton.cdiv(context, parts), BLOCK) * BLOCK
    parts = triton.cdiv(context, part_length)
    partial = torch.empty(heads, parts, group, dim, dtype=torch.float32, device=q.device)
    lse = torch.empty(heads, parts, group, dtype=torch.float32, device=q.device)
    out = torch.empty_like(q)
    attend_part[(heads, parts)](
        q, k, v, partial, lse, context, part_length, LOG2_E / dim**0.5,
        GROUP=group, DIM=dim, ROWS=max(16, triton.next_power_of_2(group)), BLOCK=BLOCK, num_warps=4, num_stages=3,
    )  # fmt: skip
    combine_parts[(heads, group, dim // 16)](
        partial, lse, out, parts,
        GROUP=group, DIM=dim, PARTS=triton.next_power_of_2(parts), COLUMNS=16,
    )  # fmt: skip
    return out


def processors(device):
    """Multiprocessors of the GPU; the interpreter gets a number that makes several parts."""
    return torch.cuda.get_device_properties(device).multi_processor_count if device.type == "cuda" else 8


def baseline(q, k, v):
    return decode(q, k, v, parts=1)


def optimized(q, k, v):
    programs = PROGRAMS_PER_PROCESSOR * processors(q.device)
    return decode(q, k, v, parts=max(1, programs // (k.shape[0] * k.shape[1])))


def optimized_torch(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q[:, :, None], k, v, enable_gqa=True)[:, :, 0]


def cost(batch, kv_heads, group, context, dim, dtype):
    size, queries = getattr(torch, dtype).itemsize, batch * kv_heads * group * dim
    return dict(
        flops=4 * queries * context,
        bytes=size * (2 * batch * kv_heads * context * dim + 2 * queries),
    )
