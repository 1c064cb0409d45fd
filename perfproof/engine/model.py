"""A step of the model: tokens to logits, with keys and values in the paged cache.

`kernels` is torch_kernels or triton_kernels. On a GPU a decode step of few rows is seven kernels per layer: norm and
query-key-value, rotation and cache, attention in parts, their sum, output projection with residual, norm with gate, up
and activation, down projection with residual.
"""

from types import ModuleType

import torch
import torch.distributed as dist
from torch import Tensor

from perfproof.engine.architecture import Architecture
from perfproof.engine.batch import Batch
from perfproof.engine.cache import Cache, LayerCache
from perfproof.engine.weights import Matrix, Weights

Turns = tuple[Tensor, Tensor]


def logits_of(
    model: Architecture, weights: Weights, cache: Cache, batch: Batch, turns: Turns, kernels: ModuleType
) -> Tensor:
    """One row of logits for each place in the line that is sampled."""
    hidden = weights.embedding[batch.tokens]
    for layer, kept in zip(weights.layers, cache.layers, strict=True):
        qkv = kernels.norm_linear(hidden, layer.attention_norm, layer.qkv, model.eps, layer.qkv_bias)
        query = kernels.rotate_and_store(qkv, layer, model, turns, batch, kept)
        mixed = _attend(query, batch, kept, cache.size, kernels)
        hidden = _add_product(mixed.flatten(1), layer.out, hidden, weights.ranks, kernels)
        if layer.router is None:
            inner = kernels.norm_gated(hidden, layer.mlp_norm, layer.gate_up, model.eps)
            hidden = _add_product(inner, layer.down, hidden, weights.ranks, kernels)
        else:
            hidden = kernels.add_experts(hidden, layer, model)
    if batch.sampled is not None:
        hidden = hidden[batch.sampled]
    return kernels.norm_linear(hidden, weights.norm, weights.head, model.eps)


def _add_product(x: Tensor, matrix: Matrix, hidden: Tensor, ranks: int, kernels: ModuleType) -> Tensor:
    """If the matrix is split over ranks, each has a part of the sum, and the first one adds what was there before."""
    if ranks == 1:
        return kernels.linear_add(x, matrix, hidden)  # type: ignore[no-any-return]
    part: Tensor = kernels.linear_add(x, matrix, hidden if dist.get_rank() == 0 else torch.zeros_like(hidden))
    dist.all_reduce(part)
    return part


def _attend(query: Tensor, batch: Batch, cache: LayerCache, size: int, kernels: ModuleType) -> Tensor:
    if batch.tiles is not None:
        return kernels.attend_tiles(query, batch, cache, size)  # type: ignore[no-any-return]
    parts = [kernels.attend_rows(query[: batch.rows], batch, cache, size)] if batch.rows else []
    for chunk in batch.chunks:
        parts.append(kernels.attend_chunk(query[chunk.begin : chunk.end], chunk, cache))
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def turn_tables(model: Architecture, positions: int, dtype: torch.dtype, device: torch.device) -> Turns:
    """Cosine and sine by position and pair of elements, in at least single precision."""
    frequencies = torch.tensor(model.rope.frequencies(model.shape.head_dim), dtype=torch.float64, device="cpu")
    angles = torch.arange(positions, dtype=torch.float64, device="cpu")[:, None] * frequencies
    kind = torch.promote_types(dtype, torch.float32)
    return angles.cos().to(device, kind), angles.sin().to(device, kind)
