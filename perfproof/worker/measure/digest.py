"""Two sums over the bits of a value: for what is too large to be kept twice."""

import zlib
from typing import Any

import numpy
import torch

from perfproof.core.trees import is_array, is_tensor, leaves

PIECE = 1 << 22  # words that are summed at once


def digest(value: Any) -> list[tuple[int, int]]:
    """Equal for equal bits, and hardly ever for others: the second sum weighs each word by its place."""
    return [_of_leaf(leaf) for _, leaf in leaves(value)]


def _of_leaf(leaf: Any) -> tuple[int, int]:
    if is_tensor(leaf) and leaf.layout == torch.strided and not leaf.is_quantized:
        return _of_words(_words(leaf.detach()))
    if is_array(leaf) and not leaf.dtype.hasobject:
        return zlib.crc32(numpy.ascontiguousarray(leaf).reshape(-1).view(numpy.uint8).data), leaf.nbytes
    return zlib.crc32(repr(leaf).encode()), 0


def _words(tensor: torch.Tensor) -> torch.Tensor:
    """The memory as whole numbers of eight bytes, or of one if it has another length."""
    data = tensor.contiguous().reshape(-1).view(torch.uint8)
    return data.view(torch.int64) if not data.numel() % 8 and not data.storage_offset() % 8 else data


def _of_words(words: torch.Tensor) -> tuple[int, int]:
    first = torch.zeros((), dtype=torch.int64, device=words.device)
    second = first.clone()
    places = torch.arange(1, 2 * min(PIECE, words.numel()) + 1, 2, device=words.device)
    for number, piece in enumerate(words.split(PIECE) if words.numel() else ()):
        piece = piece.to(torch.int64)
        first += piece.sum()
        mixed = piece ^ (piece >> 31)  # or two signs that change would weigh nothing together
        second += (2 * number + 1) * (mixed * places[: len(piece)]).sum()
    return int(first), int(second)
