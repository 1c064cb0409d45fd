"""Hand the cache blocks of a prompt from one engine to another.

The receiving engine names the blocks as its own. A request with this prompt then finds them as a prefix in the cache,
and computes only what is left: the tokens after the last full block.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from perfproof.engine.engine import Engine


@dataclass
class Handed:
    tokens: list[int]  # of the full blocks
    salt: bytes
    keys: list[Any]  # per layer: (tokens, key-value heads, width), as NumPy arrays
    values: list[Any]


def hand_over(engine: Engine, prompt: list[int], salt: bytes) -> Handed:
    """A copy of the full blocks of a prompt that was computed here, in one piece per layer."""
    blocks = engine.blocks.find(prompt, salt)
    slots = _slots(blocks, engine.blocks.size)
    layers = engine.runner.cache.layers
    keys, values = ([getattr(layer, what)[slots].numpy() for layer in layers] for what in ("keys", "values"))
    return Handed(list(prompt[: len(slots)]), salt, keys, values)


def take_over(engine: Engine, handed: Handed) -> None:
    """Write as many blocks as are free. What is missing is computed again, which is slower and not wrong."""
    size, name, taken = engine.blocks.size, handed.salt, []
    for start in range(0, len(handed.tokens), size):
        if not engine.blocks.can_take(1):
            break
        block = engine.blocks.take()
        name = engine.blocks.name(block, name, handed.tokens[start : start + size])
        taken.append(block)
    slots = _slots(taken, size)
    for layer, keys, values in zip(engine.runner.cache.layers, handed.keys, handed.values, strict=True):
        layer.keys[slots] = torch.from_numpy(keys[: len(slots)])
        layer.values[slots] = torch.from_numpy(values[: len(slots)])
    engine.blocks.give_back(taken)


def _slots(blocks: list[int], size: int) -> Tensor:
    return (torch.tensor(blocks, dtype=torch.long).view(-1, 1) * size + torch.arange(size)).flatten()
