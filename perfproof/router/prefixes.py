"""Which beginnings of prompts a worker has probably in its cache: chains of block names, as the engine's own.

The name of a block is the hash of its content and of the name before it. Equal names therefore mean equal beginnings.
The router sees no cache. It remembers what it sent to a worker, up to the number of blocks that the worker can hold,
and forgets what was used longest ago.
"""

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

BLOCK_TOKENS = 16
BYTES_PER_TOKEN = 4  # an estimate for text: the router has no tokenizer


def names_of_text(text: bytes, salt: bytes = b"") -> list[bytes]:
    """Names of the full blocks of a text."""
    size = BLOCK_TOKENS * BYTES_PER_TOKEN
    return _chain([text[start : start + size] for start in range(0, len(text) // size * size, size)], salt)


def names_of_tokens(tokens: Sequence[int], salt: bytes = b"") -> list[bytes]:
    """Names of the full blocks of a list of token ids."""
    whole = len(tokens) // BLOCK_TOKENS * BLOCK_TOKENS
    parts = [tokens[start : start + BLOCK_TOKENS] for start in range(0, whole, BLOCK_TOKENS)]
    return _chain([b",".join(b"%d" % one for one in part) for part in parts], salt)


def _chain(parts: list[bytes], salt: bytes) -> list[bytes]:
    names, name = [], blake2b(salt, digest_size=16).digest()
    for part in parts:
        name = blake2b(name + part, digest_size=16).digest()
        names.append(name)
    return names


class KnownPrefixes:
    def __init__(self, most: int) -> None:
        self.most = most  # blocks
        self.names: OrderedDict[bytes, None] = OrderedDict()

    def overlap(self, names: Sequence[bytes]) -> int:
        """How many blocks at the beginning are known."""
        for count, name in enumerate(names):
            if name not in self.names:
                return count
        return len(names)

    def add(self, names: Sequence[bytes]) -> None:
        """The beginning counts as used last, so it is forgotten last."""
        for name in reversed(names):
            self.names[name] = None
            self.names.move_to_end(name)
        while len(self.names) > self.most:
            self.names.popitem(last=False)

    def forget(self) -> None:
        """The worker was restarted: its cache is empty."""
        self.names.clear()
