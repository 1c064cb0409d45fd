"""What a layer computes, in plain torch operations: the form for CPUs, and the meaning of triton_kernels.py."""

import torch
import torch.nn.functional as F
from torch import Tensor

from perfproof.engine.architecture import Architecture
from perfproof.engine.batch import Batch, Chunk
from perfproof.engine.cache import LayerCache, to_int8
from perfproof.engine.quantised import Quantised
from perfproof.engine.weights import Layer, Matrix


def linear(x: Tensor, matrix: Matrix, bias: Tensor | None = None) -> Tensor:
    return F.linear(x, matrix.dequantise() if isinstance(matrix, Quantised) else matrix, bias)


def norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return F.rms_norm(x, weight.shape, weight, eps)


def norm_linear(x: Tensor, weight: Tensor, matrix: Matrix, eps: float, bias: Tensor | None = None) -> Tensor:
    return linear(norm(x, weight, eps), matrix, bias)


def norm_gated(x: Tensor, weight: Tensor, gate_up: Matrix, eps: float) -> Tensor:
    return gated(norm_linear(x, weight, gate_up, eps))


def gated(gate_up: Tensor) -> Tensor:
    gate, up = gate_up.chunk(2, -1)
    return F.silu(gate) * up


def linear_add(x: Tensor, matrix: Matrix, added: Tensor) -> Tensor:
    return added + linear(x, matrix)


def add_experts(x: Tensor, layer: Layer, model: Architecture) -> Tensor:
    """Each expert computes the tokens that chose it. Finding them waits for the device, so no graph can hold this."""
    inner = norm(x, layer.mlp_norm, model.eps)
    shares, chosen = choose_experts(inner, layer, model)
    out = x.clone()
    for expert in chosen.unique().tolist():
        token, choice = (chosen == expert).nonzero(as_tuple=True)
        answer = linear(gated(linear(inner[token], layer.gate_up[expert])), layer.down[expert])
        out.index_add_(0, token, answer * shares[token, choice].unsqueeze(-1))
    return out


def choose_experts(inner: Tensor, layer: Layer, model: Architecture) -> tuple[Tensor, Tensor]:
    assert layer.router is not None and model.shape.experts is not None
    scores = F.linear(inner, layer.router)
    all_shares = scores.softmax(-1, dtype=torch.promote_types(scores.dtype, torch.float32))
    shares, chosen = all_shares.topk(model.shape.experts.active, -1)
    if model.normalise_experts:
        shares = shares / shares.sum(-1, keepdim=True)
    return shares.to(inner.dtype), chosen


def rotate_and_store(
    qkv: Tensor, layer: Layer, model: Architecture, turns: tuple[Tensor, Tensor], batch: Batch, cache: LayerCache
) -> Tensor:
    """Turn queries and keys by their positions, put keys and values into the cache, and return the queries."""
    shape = model.shape
    heads = qkv.unflatten(-1, (-1, shape.head_dim))
    query, key, value = heads.split([shape.heads, shape.kv_heads, shape.kv_heads], 1)
    if layer.query_norm is not None and layer.key_norm is not None:
        query, key = norm(query, layer.query_norm, model.eps), norm(key, layer.key_norm, model.eps)
    cosine, sine = (table[batch.positions].unsqueeze(1) for table in turns)
    _store(_turned(key, cosine, sine), batch.slots, cache.keys, cache.key_scales)
    _store(value, batch.slots, cache.values, cache.value_scales)
    return _turned(query, cosine, sine)


def _turned(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1).to(x.dtype)


def _store(new: Tensor, slots: Tensor, kept: Tensor, scales: Tensor | None) -> None:
    if scales is None:
        kept[slots] = new
    else:
        kept[slots], scales[slots] = to_int8(new)


def attend_rows(query: Tensor, batch: Batch, cache: LayerCache, size: int) -> Tensor:
    """(rows, heads, width): each row over its whole context, all contexts padded to the longest."""
    widest = -(-int(batch.contexts.max()) // size)
    places = torch.arange(size, device=query.device)
    slots = (batch.tables[:, :widest, None].long() * size + places).flatten(1)
    keys, values = gathered(cache, slots, query.dtype)
    grouped = query.unflatten(1, (keys.shape[2], -1))
    scores = torch.einsum("rhgd,rthd->rhgt", grouped, keys) * query.shape[-1] ** -0.5
    unused = torch.arange(slots.shape[1], device=query.device) >= batch.contexts[:, None]
    shares = scores.masked_fill(unused[:, None, None], -torch.inf).softmax(-1)
    return torch.einsum("rhgt,rthd->rhgd", shares, values).flatten(1, 2)


def attend_chunk(query: Tensor, chunk: Chunk, cache: LayerCache) -> Tensor:
    """(tokens, heads, width): the last tokens of each context, each up to itself."""
    query, keys, values = of_prompts(query, chunk, cache)
    if chunk.count == chunk.context:
        mixed = F.scaled_dot_product_attention(query, keys, values, is_causal=True, enable_gqa=True)
    else:
        allowed = torch.ones(chunk.count, chunk.context, dtype=torch.bool, device=query.device)
        allowed = allowed.tril(chunk.context - chunk.count)
        mixed = F.scaled_dot_product_attention(query, keys, values, allowed, enable_gqa=True)
    return mixed.transpose(1, 2).flatten(0, 1)


def of_prompts(query: Tensor, chunk: Chunk, cache: LayerCache) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values of a chunk, (prompts, heads, tokens, width) each."""
    keys, values = gathered(cache, chunk.slots, query.dtype)
    query = query.unflatten(0, (-1, chunk.count))
    return query.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2)


def gathered(cache: LayerCache, slots: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    keys, values = cache.keys[slots], cache.values[slots]
    if cache.key_scales is None or cache.value_scales is None:
        return keys, values
    key_scales, value_scales = cache.key_scales[slots].unsqueeze(-1), cache.value_scales[slots].unsqueeze(-1)
    return keys.to(dtype) * key_scales.to(dtype), values.to(dtype) * value_scales.to(dtype)
