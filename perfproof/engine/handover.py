"""Keys and values of a request as one piece of bytes: what a prefill process sends to a decode process.

All layers follow each other, each with keys, values and, in an 8-bit cache, their scales. Both sides must have the same
model and the same format of cache; block sizes may differ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from perfproof.core.errors import DocumentError
from perfproof.engine.cache import Cache


@dataclass
class Prefilled:
    id: str
    first: int  # the first token of the answer
    seed: int  # of the request's draws
    sent: Tensor | None  # keys and values of the prompt; None if the first token ends the answer
    cached: int = 0  # prompt tokens that the prefill engine found in its cache


def taken(cache: Cache, blocks: Sequence[int], tokens: int) -> Tensor:
    """A copy of the first `tokens` entries of these blocks, on the device of the cache."""
    slots = _slots(cache, blocks, tokens)
    return torch.cat([part[slots].flatten().view(torch.uint8) for part in _parts(cache)])


def place(cache: Cache, blocks: Sequence[int], tokens: int, sent: Tensor) -> None:
    """Write what `taken` gave into other blocks, perhaps of another process."""
    expected = tokens * bytes_per_token(cache)
    if sent.numel() != expected:
        raise DocumentError(
            f"{sent.numel()} bytes of keys and values came for {tokens} tokens, and this cache needs {expected}; "
            "prefill and decode must have the same model and the same format of cache"
        )
    slots, begin = _slots(cache, blocks, tokens), 0
    sent = sent.to(slots.device, non_blocking=True)
    for part in _parts(cache):
        size = tokens * part[0].numel() * part.element_size()
        part[slots] = sent[begin : begin + size].clone().view(part.dtype).view(tokens, *part.shape[1:])
        begin += size


def bytes_per_token(cache: Cache) -> int:
    return sum(part[0].numel() * part.element_size() for part in _parts(cache))


def _parts(cache: Cache) -> Iterator[Tensor]:
    for layer in cache.layers:
        yield from (part for part in vars(layer).values() if part is not None)


def _slots(cache: Cache, blocks: Sequence[int], tokens: int) -> Tensor:
    device = cache.layers[0].keys.device
    table, at = torch.tensor(blocks, dtype=torch.int64, device=device), torch.arange(tokens, device=device)
    return table[at // cache.size] * cache.size + at % cache.size
