"""The same model in the plainest form: no cache, no batching, everything computed again for every token.

This is the reference that the engine's output is compared with, token for token. It also trains the demo model, so all
of it can be differentiated. It shares no kernel with the engine.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from perfproof.engine.architecture import Architecture
from perfproof.engine.quantised import Quantised
from perfproof.engine.weights import Layer, Matrix, Weights


def decode_greedily(
    model: Architecture, weights: Weights, prompt: list[int], count: int, int8_cache: bool = False
) -> list[int]:
    """The next `count` tokens, each the most likely one."""
    tokens = list(prompt)
    with torch.no_grad():
        for _ in range(count):
            ids = torch.tensor([tokens], device=weights.device)
            tokens.append(int(logits_of(model, weights, ids, int8_cache)[0, -1].argmax()))
    return tokens[len(prompt) :]


def logits_of(model: Architecture, weights: Weights, tokens: Tensor, int8_cache: bool = False) -> Tensor:
    """(batch, length) ids to (batch, length, vocabulary)."""
    hidden = weights.embedding[tokens]
    cosine, sine = _turns(model, tokens.shape[1], hidden)
    for layer in weights.layers:
        hidden = hidden + _attention(
            model, layer, _norm(hidden, layer.attention_norm, model.eps), cosine, sine, int8_cache
        )
        inner = _norm(hidden, layer.mlp_norm, model.eps)
        hidden = hidden + (
            _mlp(inner, layer.gate_up, layer.down) if layer.router is None else _experts(model, layer, inner)
        )
    return _norm(hidden, weights.norm, model.eps) @ _full(weights.head).T


def _full(matrix: Matrix) -> Tensor:
    return matrix.dequantise() if isinstance(matrix, Quantised) else matrix


def _norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


def _turns(model: Architecture, length: int, like: Tensor) -> tuple[Tensor, Tensor]:
    frequencies = torch.tensor(model.rope.frequencies(model.shape.head_dim), dtype=torch.float64, device=like.device)
    angles = torch.arange(length, dtype=torch.float64, device=like.device)[:, None] * frequencies
    angles = torch.cat([angles, angles], -1)
    return angles.cos().to(like.dtype), angles.sin().to(like.dtype)


def _attention(model: Architecture, layer: Layer, x: Tensor, cosine: Tensor, sine: Tensor, int8_cache: bool) -> Tensor:
    shape = model.shape
    qkv = x @ _full(layer.qkv).T
    if layer.qkv_bias is not None:
        qkv = qkv + layer.qkv_bias
    heads = qkv.unflatten(-1, (-1, shape.head_dim)).transpose(1, 2)  # (batch, head, token, width)
    query, key, value = heads.split([shape.heads, shape.kv_heads, shape.kv_heads], 1)
    if layer.query_norm is not None and layer.key_norm is not None:
        query, key = _norm(query, layer.query_norm, model.eps), _norm(key, layer.key_norm, model.eps)
    query, key = (one * cosine + _half_turned(one) * sine for one in (query, key))
    if int8_cache:
        key, value = _rounded(key), _rounded(value)
    key, value = (one.repeat_interleave(model.group, 1) for one in (key, value))
    scores = query @ key.transpose(-1, -2) * shape.head_dim**-0.5
    later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
    mixed = scores.masked_fill(later, -torch.inf).softmax(-1) @ value
    return mixed.transpose(1, 2).flatten(-2) @ _full(layer.out).T


def _half_turned(x: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return torch.cat([-second, first], -1)


def _rounded(x: Tensor) -> Tensor:
    """What an 8-bit cache keeps: one scale per token and head."""
    scale = x.abs().amax(-1, keepdim=True).float().clamp_min(1e-20) / 127
    return ((x / scale).round().clamp(-127, 127) * scale).to(x.dtype)


def _mlp(x: Tensor, gate_up: Matrix, down: Matrix) -> Tensor:
    gate, up = (x @ _full(gate_up).T).chunk(2, -1)
    return (F.silu(gate) * up) @ _full(down).T


def _experts(model: Architecture, layer: Layer, x: Tensor) -> Tensor:
    """Every expert on every token; those that were not chosen have weight 0."""
    assert layer.router is not None and model.shape.experts is not None
    shares = (x @ layer.router.T).softmax(-1)
    best, chosen = shares.topk(model.shape.experts.active, -1)
    if model.normalise_experts:
        best = best / best.sum(-1, keepdim=True)
    mixing = torch.zeros_like(shares).scatter(-1, chosen, best)
    answers = [_mlp(x, layer.gate_up[one], layer.down[one]) for one in range(model.shape.experts.count)]
    return (torch.stack(answers, -1) * mixing.unsqueeze(-2)).sum(-1)
