"""Keys and values of all layers, in blocks; the last block is where padding rows write.

An 8-bit cache has one scale per token and head, and halves the bytes that attention reads.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from perfproof.engine.architecture import Architecture


@dataclass
class LayerCache:
    keys: Tensor  # (slots, key-value heads, width): slot = block x block size + place in the block
    values: Tensor
    key_scales: Tensor | None  # (slots, key-value heads)
    value_scales: Tensor | None


class Cache:
    def __init__(
        self, model: Architecture, blocks: int, size: int, dtype: torch.dtype, device: torch.device, int8: bool = False
    ) -> None:
        self.blocks, self.size, self.int8 = blocks, size, int8
        slots = (blocks + 1) * size
        heads, width = model.shape.kv_heads, model.shape.head_dim
        kept = torch.int8 if int8 else dtype

        def room(*rest: int, kind: torch.dtype = kept) -> Tensor:
            return torch.zeros(slots, *rest, dtype=kind, device=device)

        self.layers = [
            LayerCache(
                room(heads, width),
                room(heads, width),
                room(heads, kind=torch.float32) if int8 else None,
                room(heads, kind=torch.float32) if int8 else None,
            )
            for _ in model.shape.layers
        ]


def bytes_per_block(model: Architecture, size: int, dtype: torch.dtype, int8: bool) -> int:
    shape = model.shape
    per_head = shape.head_dim + 4 if int8 else shape.head_dim * dtype.itemsize
    return 2 * len(shape.layers) * shape.kv_heads * per_head * size


def to_int8(x: Tensor) -> tuple[Tensor, Tensor]:
    scale = x.abs().amax(-1).float().clamp_min(1e-20) / 127
    return (x / scale.unsqueeze(-1)).round().clamp(-127, 127).to(torch.int8), scale
