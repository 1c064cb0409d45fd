"""Read key-value pages where they are, through the page table, instead of gathering them first.

A paged cache places the tokens of a sequence in pages anywhere in memory. Library attention wants them contiguous, so
the pages are gathered into a padded copy at every step: each key is read, written and read again, and short sequences
are padded to the longest. A kernel that takes a page's number from the table reads each key once.
Predicts: 3 passes over padded keys become 1 pass over real ones: 4x if lengths average 3/4 of the longest.
No gain where: sequences share so few pages that the copy stays in the L2.
"""

import torch
import triton
import triton.language as tl

LOG2_E = 1.4426950408889634
PART = 1_024  # tokens of one program: enough programs to even out unequal lengths

workload = dict(batch=32, kv_heads=8, group=4, context=8_192, page=64, dim=128, dtype="float16")  # 1 GiB of pages
# A page half full, a part empty.
smoke = dict(batch=2, kv_heads=2, group=3, context=1_100, page=64, dim=16, dtype="float32")
tolerance = dict(
    float16=dict(rtol=5e-3, atol=5e-3),  # results near 0.5; weights and output are rounded at 2**-11 (0.05 %)
    float32=dict(rtol=1e-4, atol=1e-5),  # exponentials of sums of products, rounded at 2**-24 each
)
domain = dict(table="drawn", lengths="drawn")  # page numbers and lengths must fit the cache
tier = "idiomatic"
menu = ("inference", "memory-bound")
counters = ("BYTES", "BASE", "STALL")


def inputs(batch, kv_heads, group, context, page, dim, dtype):
    kind, pages = getattr(torch, dtype), -(-context // page)
    # Scores spread by 3: few keys have most of the weight.
    q = 3 * torch.randn(batch, kv_heads * group, dim, dtype=kind)
    k_pages, v_pages = (torch.randn(batch * pages, kv_heads, page, dim, dtype=kind) for _ in range(2))
    table = torch.randperm(batch * pages).view(batch, pages).int()
    lengths = (context - torch.randperm(batch) * context // (2 * batch)).int()  # from the half to all of the context
    return q, k_pages, v_pages, table, lengths


def reference(q, k_pages, v_pages, table, lengths):
    rows = []
    for queries, pages, length in zip(q, table.tolist(), lengths.tolist(), strict=True):
        keys, values = (
            torch.cat([cache[page] for page in pages], 1)[:, :length].double() for cache in (k_pages, v_pages)
        )
        grouped = queries.double().view(len(keys), -1, keys.shape[-1])
        rows.append((torch.softmax(grouped @ keys.mT / keys.shape[-1] ** 0.5, -1) @ values).flatten(0, 1))
    return torch.stack(rows)


def baseline(q, k_pages, v_pages, table, lengths):
    head = torch.arange(k_pages.shape[1], device=q.device)[:, None]
    k, v = (cache[table[:, None, :], head].flatten(2, 3) for cache in (k_pages, v_pages))  # batch, head, token, dim
    there = torch.arange(k.shape[2], device=q.device) < lengths[:, None]
    return torch.nn.functional.scaled_dot_product_attention(
        q.view(len(q), k.shape[1], -1, q.shape[-1]), k, v, attn_mask=there[:, None, None]
    ).flatten(1, 2)


@triton.jit
def attend_pages(
    q_ptr, k_ptr, v_ptr, table_ptr, length_ptr, part_ptr, lse_ptr, pages, scale,
    KV_HEADS: tl.constexpr, GROUP: tl.constexpr, DIM: tl.constexpr, PAGE: tl.constexpr,
    ROWS: tl.constexpr, PART_PAGES: tl.constexpr,
):  # fmt: skip
    """One sequence, one key-value head, PART_PAGES of its pages: each page is a tile that the table places."""
    sequence, head, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    row, column, slot = tl.arange(0, ROWS), tl.arange(0, DIM), tl.arange(0, PAGE)
    real = row < GROUP
    query = (sequence * KV_HEADS + head) * GROUP + row
    q = tl.load(q_ptr + query[:, None] * DIM + column[None, :], mask=real[:, None], other=0.0)
    length = tl.load(length_ptr + sequence)
    first = part * PART_PAGES
    end = tl.minimum(first + PART_PAGES, tl.cdiv(length, PAGE))  # no more pages than the length has
    largest = tl.full([ROWS], float("-inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    mixed = tl.zeros([ROWS, DIM], tl.float32)
    for index in range(first, end):
        page = tl.load(table_ptr + sequence * pages + index).to(tl.int64)
        place = ((page * KV_HEADS + head) * PAGE + slot)[:, None] * DIM + column[None, :]
        there = index * PAGE + slot < length  # the last page is not full
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
    out = (part * tl.num_programs(0) * KV_HEADS * GROUP + query).to(tl.int64)
    some = tl.where(first < end, total, 1.0)  # a part past the end has no weight: zeros, and a log of minus infinity
    tl.store(part_ptr + out[:, None] * DIM + column[None, :], mixed / some[:, None], mask=real[:, None])
    tl.store(lse_ptr + out, (largest + tl.log2(some)) * 0.6931471805599453, mask=real)


def optimized(q, k_pages, v_pages, table, lengths):
    q, k_pages, v_pages, table = q.contiguous(), k_pages.contiguous(), v_pages.contiguous(), table.contiguous()
    batch, heads, dim = q.shape
    _, kv_heads, page, _ = k_pages.shape
    group, pages, part_pages = heads // kv_heads, table.shape[1], max(1, PART // page)
    parts = triton.cdiv(pages, part_pages)
    partial = torch.empty(parts, batch, heads, dim, dtype=torch.float32, device=q.device)
    lse = torch.empty(parts, batch, heads, dtype=torch.float32, device=q.device)
    attend_pages[(batch, kv_heads, parts)](
        q, k_pages, v_pages, table, lengths.contiguous(), partial, lse, pages, LOG2_E / dim**0.5,
        KV_HEADS=kv_heads, GROUP=group, DIM=dim, PAGE=page,
        ROWS=max(16, triton.next_power_of_2(group)), PART_PAGES=part_pages, num_warps=4, num_stages=5,
    )  # fmt: skip
    share = torch.softmax(lse, 0)  # of each part in the sum of weights
    return (partial * share[..., None]).sum(0).to(q.dtype)


def cost(batch, kv_heads, group, context, page, dim, dtype):
    size, pages = getattr(torch, dtype).itemsize, -(-context // page)
    tokens = sum(context - place * context // (2 * batch) for place in range(batch))
    queries, padded = 2 * batch * kv_heads * group * dim, 2 * batch * pages * page * kv_heads * dim
    return dict(
        flops=4 * tokens * kv_heads * group * dim,
        bytes=size * (2 * tokens * kv_heads * dim + queries),
        baseline_bytes=size * (3 * padded + queries),
    )
