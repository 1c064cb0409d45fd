"""Split a model over the ranks of a process group: each has a share of the heads and of the MLP.

Query, key, value, gate and up are split by outputs, the two projections after them by inputs, so a layer needs two sums
over the ranks (`model.py`). Embedding, norms and head are whole on every rank. All ranks run the same engine on the
same requests: after each sum they hold the same numbers, so they plan and sample alike.
"""

from dataclasses import replace

import torch
from torch import Tensor

from perfproof.core.errors import UsageError
from perfproof.engine.architecture import Architecture
from perfproof.engine.weights import Layer, Matrix, Weights


def split_model(model: Architecture, weights: Weights, rank: int, ranks: int) -> tuple[Architecture, Weights]:
    """The model as one rank sees it, and its share of the weights."""
    shape = model.shape
    if shape.experts:
        raise UsageError("tensor parallelism splits dense models; this one has experts: serve it on one rank")
    for what, count in (("key-value heads", shape.kv_heads), ("inputs of the MLP's last matrix", shape.ffn)):
        if count % ranks:
            raise UsageError(f"{count} {what} cannot be split over {ranks} ranks; choose a number that divides them")
    own = replace(shape, heads=shape.heads // ranks, kv_heads=shape.kv_heads // ranks, ffn=shape.ffn // ranks)
    layers = [_share(layer, model, rank, ranks) for layer in weights.layers]
    return replace(model, shape=own), replace(weights, layers=layers, ranks=ranks)


def _share(layer: Layer, model: Architecture, rank: int, ranks: int) -> Layer:
    keys = model.shape.kv_heads * model.shape.head_dim
    sizes = [model.shape.heads * model.shape.head_dim, keys, keys]

    def outputs(matrix: Tensor, parts: list[int]) -> Tensor:
        """This rank's rows of each part."""
        return torch.cat([part.chunk(ranks)[rank] for part in matrix.split(parts)])

    def inputs(matrix: Tensor) -> Tensor:
        return matrix.chunk(ranks, -1)[rank].contiguous()

    return replace(
        layer,
        qkv=outputs(_whole(layer.qkv), sizes),
        qkv_bias=outputs(layer.qkv_bias, sizes) if layer.qkv_bias is not None else None,
        out=inputs(_whole(layer.out)),
        gate_up=outputs(_whole(layer.gate_up), [model.shape.ffn] * 2),
        down=inputs(_whole(layer.down)),
    )


def _whole(matrix: Matrix) -> Tensor:
    if not isinstance(matrix, Tensor):
        raise UsageError("split the weights over the ranks first, and quantise each share afterwards")
    return matrix
