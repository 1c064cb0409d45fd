"""The values of one tensor or array: which can be changed in place, and how."""

import random
from typing import Any

import torch

from perfproof.core.trees import is_array, is_tensor


def is_changeable(leaf: Any) -> bool:
    """Can its values be changed in place?"""
    if is_tensor(leaf):
        return (leaf.is_floating_point() or leaf.is_complex()) and _is_writable(leaf) and leaf.numel() > 0
    return is_array(leaf) and leaf.dtype.kind in "fc" and leaf.flags.writeable and leaf.size > 0


def _is_writable(tensor: torch.Tensor) -> bool:
    """An expanded tensor is not: many of its elements share one place."""
    return all(stride or size < 2 for size, stride in zip(tensor.shape, tensor.stride(), strict=True))


def scale(leaf: Any, factor: float) -> None:
    if is_tensor(leaf) and leaf.element_size() > 1:  # in eight bits nothing is computed, only swapped
        leaf.mul_(factor)
    elif is_array(leaf):
        leaf *= leaf.dtype.type(factor)


def rows_of(leaf: Any) -> Any:
    """A view that can be cut into blocks along its first dimension: of single elements, where memory has no gaps."""
    if is_array(leaf):
        return leaf.reshape(-1) if leaf.flags.c_contiguous or leaf.ndim == 0 else leaf
    in_memory = leaf.permute(sorted(range(leaf.dim()), key=leaf.stride, reverse=True))
    rows = in_memory.view(-1) if in_memory.is_contiguous() else leaf
    return rows.view(torch.uint8) if leaf.element_size() == 1 else rows


def swap_blocks(flat: Any, rng: random.Random) -> None:
    length = max(1, min(len(flat) // 8, 4096))
    for _ in range(3):
        first, second = rng.randrange(len(flat) - length + 1), rng.randrange(len(flat) - length + 1)
        if abs(first - second) >= length:
            here, there = flat[first : first + length], flat[second : second + length]
            held = here + 0
            here[...] = there
            there[...] = held


def written_over(old: Any, fresh: Any) -> Any:
    """The old tensor or array with the fresh values in it; the fresh one where they cannot be written there."""
    if type(old) is not type(fresh) or not (is_tensor(old) or is_array(old)):
        return fresh
    if old.shape != fresh.shape or old.dtype != fresh.dtype:
        return fresh
    if is_array(old) and old.flags.writeable:
        old[...] = fresh
        return old
    if is_tensor(old) and old.is_leaf and _is_writable(old):
        with torch.no_grad():
            old.copy_(fresh)
        old.grad = None
        return old
    return fresh


def strip(value: Any) -> None:
    """A tensor carries its values and nothing else: no attribute with the answer in it."""
    if isinstance(value, (tuple, list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            strip(item)
    elif is_tensor(value):
        value.__dict__.clear()
