"""Greedy decoding of a Llama in plain torch, with a cache of fixed size. Each lever of the lab is one switch."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from perfproof.engine.architecture import Architecture
from perfproof.engine.offline import llama_of
from perfproof.engine.weights import Weights

Caches = list[tuple[Tensor, Tensor]]


@dataclass(frozen=True)
class Levers:
    batched: bool = False  # one step for all requests, instead of one request after the other
    grouped: bool = False  # heads that share a key read it once
    tokens_stay: bool = False  # the host reads tokens at the end, not at every step


def decode(prompts: Tensor, weights: Weights, answer: int, levers: Levers) -> Tensor:
    """(requests, length) to (requests, answer)."""
    with torch.inference_mode():
        parts = [prompts] if levers.batched else prompts.split(1)
        return torch.cat([_decode(part, weights, answer, levers) for part in parts])


def _decode(prompts: Tensor, weights: Weights, answer: int, levers: Levers) -> Tensor:
    model, length = llama_of(weights), prompts.shape[1]
    caches = empty_caches(model, weights, len(prompts), length + answer)
    places = torch.arange(length + answer, device=prompts.device)
    token, found = prompts, []
    for end in range(length, length + answer):
        token = next_token(model, weights, caches, token, places[end - token.shape[1] : end], end, levers.grouped)
        if not levers.tokens_stay:
            token = torch.tensor(token.tolist(), device=prompts.device)  # is it the end of the text?
        found.append(token)
    return torch.cat(found, 1)


def empty_caches(model: Architecture, weights: Weights, rows: int, room: int) -> Caches:
    size = (rows, model.shape.kv_heads, room, model.shape.head_dim)
    empty = torch.zeros(len(weights.layers), 2, *size, dtype=weights.dtype, device=weights.device)
    return [(keys, values) for keys, values in empty]


def next_token(model, weights, caches: Caches, ids: Tensor, places: Tensor, end: int, grouped: bool) -> Tensor:
    """The most likely token after `ids`, which stand at `places`; of the cache, `end` places are read."""
    shape, hidden = model.shape, F.embedding(ids, weights.embedding)
    powers = torch.arange(0, shape.head_dim, 2, dtype=torch.float64, device=ids.device) / shape.head_dim
    angles = places[:, None] / model.rope.theta**powers
    cosine, sine = angles.cos().to(hidden.dtype), angles.sin().to(hidden.dtype)
    hides = torch.arange(end, device=ids.device) > places[:, None]
    for layer, (keys, values) in zip(weights.layers, caches, strict=True):
        packed = F.linear(_norm(hidden, layer.attention_norm, model.eps), layer.qkv)
        heads = packed.unflatten(-1, (-1, shape.head_dim)).transpose(1, 2)
        query, key, value = heads.split([shape.heads, shape.kv_heads, shape.kv_heads], 1)
        keys.index_copy_(2, places, _turned(key, cosine, sine))
        values.index_copy_(2, places, value)
        mixed = _mixed(_turned(query, cosine, sine), keys[:, :, :end], values[:, :, :end], hides, grouped)
        hidden = hidden + F.linear(mixed.transpose(1, 2).flatten(-2), layer.out)
        gate, up = F.linear(_norm(hidden, layer.mlp_norm, model.eps), layer.gate_up).chunk(2, -1)
        hidden = hidden + F.linear(F.silu(gate) * up, layer.down)
    return F.linear(_norm(hidden[:, -1:], weights.norm, model.eps), weights.head).argmax(-1)


def _mixed(query: Tensor, keys: Tensor, values: Tensor, hides: Tensor, grouped: bool) -> Tensor:
    """Attention; `grouped` makes one product of all queries that share a key, instead of a copy of it per query."""
    group, shape = query.shape[1] // keys.shape[1], query.shape
    if grouped:
        query, hides = query.reshape(*keys.shape[:2], -1, shape[-1]), hides.repeat(group, 1)
    else:
        keys, values = (one.repeat_interleave(group, 1) for one in (keys, values))
    scores = (query @ keys.transpose(-1, -2) * shape[-1] ** -0.5).masked_fill(hides, -torch.inf)
    return (scores.softmax(-1) @ values).reshape(shape)


def _turned(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1)


def _norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return F.rms_norm(x, weight.shape, weight, eps)
