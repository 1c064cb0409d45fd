"""What a layer computes on a GPU, with few kernels and nothing that waits for the host.

A product of one row is bound by the bytes of the matrix: `few_rows_linear` streams it once, with the norm before it,
the activation after it or the residual in the same pass, from 16, 8 or 4 bits. Of 8 or 4 bits it takes up to four rows.
More rows go to cuBLAS.
Attention of rows is shared out over the context (split-KV): programs take parts of it, and a second kernel sums them.
On Hopper and newer a kernel starts while the one before ends (programmatic dependent launch), and waits before it reads
or writes anything.
Functions have the names and the meaning of torch_kernels.py; tests compare the two in Triton's interpreter.
"""

from typing import Any

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch import Tensor
from torch.nn.attention.bias import causal_lower_right
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from perfproof.engine import torch_kernels
from perfproof.engine.architecture import Architecture
from perfproof.engine.batch import TILE_TOKENS, Batch, Chunk
from perfproof.engine.cache import LayerCache
from perfproof.engine.few_rows_linear import few_rows_linear, tuned_linear, tuned_quantised
from perfproof.engine.quantised import Quantised
from perfproof.engine.torch_kernels import choose_experts
from perfproof.engine.weights import Layer, Matrix

FEW_ROWS = 4  # of a quantised matrix, which cuBLAS would need in 16 bits
ONE_ROW = 1  # 8 B on an H200: a step of 2 to 4 rows took 7.4 ms with this kernel, one of 5 to 8 rows 5.7 ms with cuBLAS
TILE = 64  # tokens of the cache that a program takes at once
PROGRAMS_PER_SM = 4
LEAST_DOT = 16  # rows of a tensor-core tile; the query heads of a group are padded to it
MOST_EXPERT_ROWS = 64  # above, experts are computed one after the other


def norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    out = torch.empty_like(x)
    width = x.shape[-1]
    norm_rows[(x.numel() // width,)](
        x, weight, out, eps, WIDTH=width, BLOCK=triton.next_power_of_2(width), **_early(x)
    )  # fmt: skip
    return out


def _early(x: Tensor) -> dict[str, bool]:
    """Options of a launch: may the kernel start while the one before ends?"""
    is_early = x.is_cuda and torch.cuda.get_device_capability(x.device) >= (9, 0)
    return {"IS_EARLY": True, "launch_pdl": True} if is_early else {"IS_EARLY": False}


def _are_few(x: Tensor, matrix: Matrix) -> bool:
    return len(x) <= (FEW_ROWS if isinstance(matrix, Quantised) else ONE_ROW)


def norm_linear(x: Tensor, weight: Tensor, matrix: Matrix, eps: float, bias: Tensor | None = None) -> Tensor:
    if _are_few(x, matrix):
        return few_rows(x, matrix, norm_weight=weight, eps=eps, bias=bias)
    return torch_kernels.linear(norm(x, weight, eps), matrix, bias)


def norm_gated(x: Tensor, weight: Tensor, gate_up: Matrix, eps: float) -> Tensor:
    if _are_few(x, gate_up):
        return few_rows(x, gate_up, norm_weight=weight, eps=eps, is_gated=True)
    return gated(torch_kernels.linear(norm(x, weight, eps), gate_up))


def gated(gate_up: Tensor) -> Tensor:
    rows, width = gate_up.shape[0], gate_up.shape[1] // 2
    out = torch.empty(rows, width, dtype=gate_up.dtype, device=gate_up.device)
    gate_rows[(rows, triton.cdiv(width, 1024))](gate_up, out, width, BLOCK=1024, **_early(gate_up))
    return out


def linear_add(x: Tensor, matrix: Matrix, added: Tensor) -> Tensor:
    if _are_few(x, matrix):
        return few_rows(x, matrix, added=added)
    whole = matrix.dequantise() if isinstance(matrix, Quantised) else matrix
    return added.addmm_(x, whole.t())  # in place, because nothing else reads `added`: it saves a kernel that copies


def few_rows(
    x: Tensor,
    matrix: Matrix,
    norm_weight: Tensor | None = None,
    eps: float = 0.0,
    bias: Tensor | None = None,
    added: Tensor | None = None,
    is_gated: bool = False,
    experts: Tensor | None = None,
    rows_share: int = 1,
) -> Tensor:
    """x times the matrix, transposed. With `experts`, line i uses expert i of the list and row i // rows_share of x."""
    outputs, inputs = matrix.shape[-2:]
    written = outputs // 2 if is_gated else outputs
    lines = len(x) if experts is None else experts.numel()
    out = torch.empty(lines, written, dtype=x.dtype, device=x.device)
    whole = isinstance(matrix, Tensor)
    stored = matrix if isinstance(matrix, Tensor) else matrix.packed
    scales = None if isinstance(matrix, Tensor) else matrix.scales
    tile = 1 if experts is not None or lines == 1 else FEW_ROWS

    def grid(meta: dict[str, Any]) -> tuple[int, int]:
        return triton.cdiv(written, meta["BLOCK_N"]), lines if experts is not None else 1

    arguments = (x, norm_weight, stored, scales, bias, added, experts, out, eps, lines, written, rows_share)
    flags: dict[str, Any] = {
        "INPUTS": inputs,
        "ROWS": tile,
        "BITS": 16 if whole else matrix.bits,  # type: ignore[union-attr]
        "GROUP": 1 if whole else matrix.group,  # type: ignore[union-attr]
        "IS_GATED": is_gated,
    }
    launcher, tiles = _launcher(whole, x.is_cuda)
    if not whole:
        flags["BLOCK_K"] = matrix.group  # type: ignore[union-attr]
    launcher[grid](*arguments, **flags, **tiles, **_early(x))
    return out


def _launcher(whole: bool, is_cuda: bool) -> tuple[Any, dict[str, int]]:
    """Tiles are chosen by measuring on the first call of a shape; Triton's interpreter takes fixed ones."""
    if not is_cuda:
        return few_rows_linear, {"BLOCK_N": 8, "BLOCK_K": 64} if whole else {"BLOCK_N": 8}
    return (tuned_linear if whole else tuned_quantised), {}


def add_experts(x: Tensor, layer: Layer, model: Architecture) -> Tensor:
    """Few tokens: every pair of token and expert streams its own matrices, and no count is read by the host."""
    if len(x) > MOST_EXPERT_ROWS:
        return torch_kernels.add_experts(x, layer, model)
    inner = norm(x, layer.mlp_norm, model.eps)
    shares, chosen = choose_experts(inner, layer, model)
    active = chosen.shape[1]
    gates = few_rows(inner, layer.gate_up, is_gated=True, experts=chosen, rows_share=active)
    answers = few_rows(gates, layer.down, experts=chosen).view(len(x), active, -1)
    return x + (answers * shares.unsqueeze(-1)).sum(1)


def rotate_and_store(
    qkv: Tensor, layer: Layer, model: Architecture, turns: tuple[Tensor, Tensor], batch: Batch, cache: LayerCache
) -> Tensor:
    shape, heads = model.shape, model.shape.heads + 2 * model.shape.kv_heads
    query = torch.empty(len(qkv), shape.heads, shape.head_dim, dtype=qkv.dtype, device=qkv.device)
    tile, warps = (4, 1) if len(qkv) <= FEW_ROWS else (16, 2)
    rotate_heads[(len(qkv), triton.cdiv(heads, tile))](
        qkv, layer.query_norm, layer.key_norm, turns[0], turns[1], batch.positions, batch.slots,
        query, cache.keys, cache.values, cache.key_scales, cache.value_scales, model.eps,
        HEADS=shape.heads, KV_HEADS=shape.kv_heads, HALF=shape.head_dim // 2,
        BLOCK=triton.next_power_of_2(shape.head_dim // 2), TILE=tile, num_warps=warps, **_early(qkv),
    )  # fmt: skip
    return query


def attend_rows(query: Tensor, batch: Batch, cache: LayerCache, size: int) -> Tensor:
    rows, heads, width = query.shape
    kv_heads, group = cache.keys.shape[1], heads // cache.keys.shape[1]
    parts = _parts(rows * kv_heads, batch.tables.shape[1] * size, query)
    out = torch.empty_like(query)
    # One part needs no sum of parts, and is written as it is.
    sums = out if parts == 1 else query.new_empty(rows * kv_heads, parts, group, width, dtype=torch.float32)
    scales = query.new_empty(2, rows * kv_heads, parts, group, dtype=torch.float32)
    block = triton.next_power_of_2(width)
    attend_part[(rows * kv_heads, parts)](
        query, cache.keys, cache.values, cache.key_scales, cache.value_scales, batch.tables, batch.contexts,
        sums, scales[0], scales[1], width**-0.5, parts, batch.tables.stride(0),
        KV_HEADS=kv_heads, GROUP=group, WIDTH=width, BLOCK=block, SIZE=size, TILE=TILE, IS_WHOLE=parts == 1,
        ROWS=max(LEAST_DOT, triton.next_power_of_2(group)), num_warps=4, num_stages=2, **_early(query),
    )  # fmt: skip
    if parts == 1:
        return out
    join_parts[(rows * heads,)](
        sums, scales[0], scales[1], out, parts,
        GROUP=group, WIDTH=width, BLOCK=block, PARTS=triton.next_power_of_2(parts), num_warps=4,
        **_early(query),
    )  # fmt: skip
    return out


def _parts(programs: int, longest: int, query: Tensor) -> int:
    """Enough to fill the device; fixed per graph, so each program finds its part from the context of its row."""
    processors = torch.cuda.get_device_properties(query.device).multi_processor_count if query.is_cuda else 1
    return max(1, min(triton.cdiv(PROGRAMS_PER_SM * processors, programs), triton.cdiv(longest, TILE)))


def attend_tiles(query: Tensor, batch: Batch, cache: LayerCache, size: int) -> Tensor:
    """Any mixture of rows and chunks: what belongs to whom is read from tensors, so a graph can hold the call."""
    assert batch.tiles is not None
    _, heads, width = query.shape
    kv_heads, group = cache.keys.shape[1], heads // cache.keys.shape[1]
    out = torch.empty_like(query)
    attend_tile[(batch.tiles.shape[1], kv_heads)](
        query, cache.keys, cache.values, cache.key_scales, cache.value_scales, batch.tables, batch.tiles, out,
        width**-0.5, batch.tiles.shape[1], batch.tables.stride(0),
        KV_HEADS=kv_heads, GROUP=group, WIDTH=width, BLOCK=triton.next_power_of_2(width), SIZE=size, TILE=TILE,
        ROWS=max(LEAST_DOT, triton.next_power_of_2(TILE_TOKENS * group)), num_warps=4, num_stages=2, **_early(query),
    )  # fmt: skip
    return out


def attend_chunk(query: Tensor, chunk: Chunk, cache: LayerCache) -> Tensor:
    """Torch's own kernel, on keys and values that are gathered from their blocks."""
    query, keys, values = torch_kernels.of_prompts(query, chunk, cache)
    if chunk.count == chunk.context:
        mixed = F.scaled_dot_product_attention(query, keys, values, is_causal=True, enable_gqa=True)
    else:
        group = query.shape[1] // keys.shape[1]
        keys, values = keys.repeat_interleave(group, 1), values.repeat_interleave(group, 1)
        bias = causal_lower_right(chunk.count, chunk.context)
        mixed = F.scaled_dot_product_attention(query, keys, values, bias)
    return mixed.transpose(1, 2).flatten(0, 1)


@triton.jit
def _wait(IS_EARLY: tl.constexpr):
    """The next kernel may start; this one goes on as soon as the one before has ended."""
    if IS_EARLY:
        gdc_launch_dependents()
        gdc_wait()


@triton.jit
def norm_rows(x, weight, out, eps, WIDTH: tl.constexpr, BLOCK: tl.constexpr, IS_EARLY: tl.constexpr):
    _wait(IS_EARLY)
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < WIDTH
    value = tl.load(x + row * WIDTH + column, mask=inside, other=0.0).to(tl.float32)
    factor = tl.rsqrt(tl.sum(value * value, 0) / WIDTH + eps)
    scaled = value * factor * tl.load(weight + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * WIDTH + column, scaled.to(out.dtype.element_ty), mask=inside)


@triton.jit
def gate_rows(gate_up, out, width, BLOCK: tl.constexpr, IS_EARLY: tl.constexpr):
    _wait(IS_EARLY)
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < width
    gate = tl.load(gate_up + row * 2 * width + column, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(gate_up + row * 2 * width + width + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * width + column, (gate * tl.sigmoid(gate) * up).to(out.dtype.element_ty), mask=inside)


@triton.jit
def rotate_heads(
    qkv, query_norm, key_norm, cosines, sines, positions, slots, query, keys, values, key_scales, value_scales, eps,
    HEADS: tl.constexpr, KV_HEADS: tl.constexpr, HALF: tl.constexpr, BLOCK: tl.constexpr, TILE: tl.constexpr,
    IS_EARLY: tl.constexpr,
):  # fmt: skip
    """Some heads of one token: queries, keys and values, in that order."""
    _wait(IS_EARLY)
    token = tl.program_id(0).to(tl.int64)
    head, half = tl.program_id(1) * TILE + tl.arange(0, TILE), tl.arange(0, BLOCK)[None, :]
    is_half, turns = half < HALF, (head < HEADS + KV_HEADS)[:, None]
    inside = (head < HEADS + 2 * KV_HEADS)[:, None] & is_half
    start = qkv + (token * (HEADS + 2 * KV_HEADS) + head[:, None]) * 2 * HALF + half
    first = tl.load(start, mask=inside, other=0.0).to(tl.float32)
    second = tl.load(start + HALF, mask=inside, other=0.0).to(tl.float32)
    if query_norm is not None:
        factor = tl.rsqrt((tl.sum(first * first, 1) + tl.sum(second * second, 1)) / (2 * HALF) + eps)[:, None]
        is_query = (head < HEADS)[:, None]
        first = tl.where(turns, first * factor * _of_either(query_norm, key_norm, is_query, half, is_half), first)
        second = tl.where(
            turns, second * factor * _of_either(query_norm + HALF, key_norm + HALF, is_query, half, is_half), second
        )
    at = tl.load(positions + token).to(tl.int64) * HALF + half
    cosine = tl.where(turns, tl.load(cosines + at, mask=is_half, other=0.0).to(tl.float32), 1.0)
    sine = tl.where(turns, tl.load(sines + at, mask=is_half, other=0.0).to(tl.float32), 0.0)
    turned = first * cosine - second * sine
    second = second * cosine + first * sine
    target = query + (token * HEADS + head[:, None]) * 2 * HALF + half
    asks = (head < HEADS)[:, None] & is_half
    tl.store(target, turned.to(query.dtype.element_ty), mask=asks)
    tl.store(target + HALF, second.to(query.dtype.element_ty), mask=asks)
    place = tl.load(slots + token).to(tl.int64) * KV_HEADS + head - HEADS
    is_key = (head >= HEADS) & (head < HEADS + KV_HEADS)
    is_value = (head >= HEADS + KV_HEADS) & (head < HEADS + 2 * KV_HEADS)
    _keep(keys, key_scales, place, turned, second, half, is_key, is_half, HALF)
    _keep(values, value_scales, place - KV_HEADS, turned, second, half, is_value, is_half, HALF)


@triton.jit
def _of_either(query_norm, key_norm, is_query, half, is_half):
    asked = tl.load(query_norm + half, mask=is_half, other=0.0).to(tl.float32)
    return tl.where(is_query, asked, tl.load(key_norm + half, mask=is_half, other=0.0).to(tl.float32))


@triton.jit
def _keep(kept, scales, place, first, second, half, is_kept, is_half, HALF: tl.constexpr):
    if scales is not None:
        largest = tl.maximum(tl.max(tl.abs(first), 1), tl.max(tl.abs(second), 1))
        scale = tl.maximum(largest, 1e-20) / 127
        tl.store(scales + place, scale, mask=is_kept)
        first, second = _rounded(first / scale[:, None]), _rounded(second / scale[:, None])
    target, inside = kept + place[:, None] * 2 * HALF + half, is_kept[:, None] & is_half
    tl.store(target, first.to(kept.dtype.element_ty), mask=inside)
    tl.store(target + HALF, second.to(kept.dtype.element_ty), mask=inside)


@triton.jit
def _rounded(x):
    """To nearest; a tie goes up, which no sum of products hits on purpose."""
    return tl.floor(x + 0.5)


@triton.jit
def _attended(
    asked, keys, values, key_scales, value_scales, table, token, is_token, is_seen, head, scale, column, most, total,
    found, KV_HEADS: tl.constexpr, WIDTH: tl.constexpr, SIZE: tl.constexpr,
):  # fmt: skip
    """A tile of tokens more: the largest score so far, the sum of the weights, and the weighed values."""
    block = tl.load(table + token // SIZE, mask=is_token, other=0)
    place = (block * SIZE + token % SIZE) * KV_HEADS + head
    inside = is_token[:, None] & (column < WIDTH)[None, :]
    address = place.to(tl.int64)[:, None] * WIDTH + column[None, :]
    key = tl.load(keys + address, mask=inside, other=0.0).to(asked.dtype)
    value = tl.load(values + address, mask=inside, other=0.0).to(asked.dtype)
    score = tl.dot(asked, tl.trans(key), input_precision="ieee") * scale
    if key_scales is not None:
        score = score * tl.load(key_scales + place, mask=is_token, other=0.0)[None, :]
    score = tl.where(is_seen, score, -1e30)
    higher = tl.maximum(most, tl.max(score, 1))
    weight = tl.exp(score - higher[:, None])
    shrunk = tl.exp(most - higher)
    total = total * shrunk + tl.sum(weight, 1)
    if value_scales is not None:
        weight = weight * tl.load(value_scales + place, mask=is_token, other=0.0)[None, :]
    found = found * shrunk[:, None] + tl.dot(weight.to(value.dtype), value, input_precision="ieee")
    return higher, total, found


@triton.jit(do_not_specialize=["parts"])
def attend_part(
    query, keys, values, key_scales, value_scales, tables, contexts, sums, largest, totals, scale, parts, table_stride,
    KV_HEADS: tl.constexpr, GROUP: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr, SIZE: tl.constexpr,
    TILE: tl.constexpr, ROWS: tl.constexpr, IS_WHOLE: tl.constexpr, IS_EARLY: tl.constexpr,
):  # fmt: skip
    """One row, one head of the cache, one part of the context, for all query heads that share the head."""
    _wait(IS_EARLY)
    which, part = tl.program_id(0), tl.program_id(1)
    row, head = (which // KV_HEADS).to(tl.int64), which % KV_HEADS
    member, column, tile = tl.arange(0, ROWS), tl.arange(0, BLOCK), tl.arange(0, TILE)
    is_member = (member < GROUP)[:, None] & (column < WIDTH)[None, :]
    at = ((row * KV_HEADS + head) * GROUP + member)[:, None] * WIDTH + column[None, :]
    asked = tl.load(query + at, mask=is_member, other=0.0)
    if asked.dtype == tl.float64:
        asked = asked.to(tl.float32)  # as every other kernel here computes
    context = tl.load(contexts + row).to(tl.int32)
    tokens = tl.cdiv(tl.cdiv(context, parts), TILE) * TILE
    start = part * tokens
    end = tl.minimum(start + tokens, context)
    most = tl.full([ROWS], -1e30, tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    found = tl.zeros([ROWS, BLOCK], tl.float32)
    for begin in range(start, end, TILE):
        token = begin + tile
        most, total, found = _attended(
            asked, keys, values, key_scales, value_scales, tables + row * table_stride, token, token < end,
            (token < end)[None, :], head, scale, column, most, total, found, KV_HEADS, WIDTH, SIZE,
        )  # fmt: skip
    target = (which * parts + part) * GROUP + member
    address = target[:, None] * WIDTH + column[None, :]
    if IS_WHOLE:
        tl.store(sums + address, (found / total[:, None]).to(sums.dtype.element_ty), mask=is_member)
    else:
        tl.store(sums + address, found, mask=is_member)
        tl.store(largest + target, most, mask=member < GROUP)
        tl.store(totals + target, total, mask=member < GROUP)


@triton.jit(do_not_specialize=["tiles_count"])
def attend_tile(
    query, keys, values, key_scales, value_scales, tables, tiles, out, scale, tiles_count, table_stride,
    KV_HEADS: tl.constexpr, GROUP: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr, SIZE: tl.constexpr,
    TILE: tl.constexpr, ROWS: tl.constexpr, IS_EARLY: tl.constexpr,
):  # fmt: skip
    """Some tokens of one request and one head of the cache, each token up to itself; a tile may have no token."""
    _wait(IS_EARLY)
    which, head = tl.program_id(0), tl.program_id(1)
    begin = tl.load(tiles + which)
    count = tl.load(tiles + tiles_count + which).to(tl.int32)
    position = tl.load(tiles + 2 * tiles_count + which).to(tl.int32)
    table = tables + tl.load(tiles + 3 * tiles_count + which) * table_stride
    member, column, tile = tl.arange(0, ROWS), tl.arange(0, BLOCK), tl.arange(0, TILE)
    line, last = begin + member // GROUP, position + member // GROUP
    is_member = (member // GROUP < count)[:, None] & (column < WIDTH)[None, :]
    at = ((line * KV_HEADS + head) * GROUP + member % GROUP)[:, None] * WIDTH + column[None, :]
    asked = tl.load(query + at, mask=is_member, other=0.0)
    if asked.dtype == tl.float64:
        asked = asked.to(tl.float32)  # as every other kernel here computes
    most = tl.full([ROWS], -1e30, tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    found = tl.zeros([ROWS, BLOCK], tl.float32)
    end = tl.where(count > 0, position + count, 0)
    for start in range(0, end, TILE):
        token = start + tile
        most, total, found = _attended(
            asked, keys, values, key_scales, value_scales, table, token, token < end,
            token[None, :] <= last[:, None], head, scale, column, most, total, found, KV_HEADS, WIDTH, SIZE,
        )  # fmt: skip
    mixed = found / tl.where(total > 0, total, 1.0)[:, None]  # a tile without tokens has no total
    tl.store(out + at, mixed.to(out.dtype.element_ty), mask=is_member)


@triton.jit(do_not_specialize=["parts"])
def join_parts(
    sums, largest, totals, out, parts, GROUP: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
    PARTS: tl.constexpr, IS_EARLY: tl.constexpr,
):  # fmt: skip
    """One query head: its parts, weighed by their largest scores; a part without tokens weighs nothing."""
    _wait(IS_EARLY)
    which = tl.program_id(0)
    part, column = tl.arange(0, PARTS), tl.arange(0, BLOCK)
    at = ((which // GROUP) * parts + part) * GROUP + which % GROUP
    is_part = part < parts
    most = tl.load(largest + at, mask=is_part, other=-1e30)
    share = tl.exp(most - tl.max(most, 0))
    total = tl.sum(share * tl.load(totals + at, mask=is_part, other=0.0), 0)
    inside = is_part[:, None] & (column < WIDTH)[None, :]
    found = tl.load(sums + at[:, None] * WIDTH + column[None, :], mask=inside, other=0.0)
    mixed = tl.sum(found * share[:, None], 0) / total
    tl.store(out + which * WIDTH + column, mixed.to(out.dtype.element_ty), mask=column < WIDTH)
