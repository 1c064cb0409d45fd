"""The pages of the key-value cache: which are free, which are shared, and which hold a known beginning of a text.

A full block has a name: the hash of its tokens and of the name of the block before it. Two requests with the same
beginning therefore find the same blocks. A named block is never written again. It stays findable after its last user
has gone, until its memory is needed; the block that was given back first is taken first.
"""

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np


class Blocks:
    def __init__(self, count: int, size: int, remember: bool = True) -> None:
        self.count, self.size, self.remember = count, size, remember
        self.users = [0] * count
        self.names: list[bytes | None] = [None] * count
        self.by_name: dict[bytes, int] = {}
        self.free: OrderedDict[int, None] = OrderedDict.fromkeys(range(count))

    @property
    def used(self) -> int:
        return self.count - len(self.free)

    def find(self, tokens: Sequence[int], salt: bytes = b"") -> list[int]:
        """The longest run of known blocks at the beginning. One token always stays to compute: it gives the logits."""
        found: list[int] = []
        name = salt
        if not self.remember:
            return found
        for start in range(0, (len(tokens) - 1) // self.size * self.size, self.size):
            name = name_of(name, tokens[start : start + self.size])
            if name not in self.by_name:
                break
            found.append(self.by_name[name])
        return found

    def can_take(self, count: int, shared: Sequence[int] = ()) -> bool:
        """Are `count` blocks free, without those of `shared` that are free too?"""
        return len(self.free) - sum(self.users[block] == 0 for block in shared) >= count

    def take(self) -> int:
        """A free block, which forgets what it held."""
        block, _ = self.free.popitem(last=False)
        name = self.names[block]
        if name is not None:
            del self.by_name[name]
            self.names[block] = None
        self.users[block] = 1
        return block

    def share(self, block: int) -> None:
        if self.users[block] == 0:
            del self.free[block]
        self.users[block] += 1

    def give_back(self, blocks: Sequence[int]) -> None:
        """The last block of a text first, so that its beginning is remembered longest."""
        for block in reversed(blocks):
            self.users[block] -= 1
            if self.users[block] == 0:
                self.free[block] = None
                if self.names[block] is None:
                    self.free.move_to_end(block, last=False)

    def name(self, block: int, before: bytes, tokens: Sequence[int]) -> bytes:
        """A block is full: name it. If another block has this name already, that one stays the one to be found."""
        name = name_of(before, tokens)
        if self.remember and name not in self.by_name:
            self.by_name[name], self.names[block] = block, name
        return name


def name_of(before: bytes, tokens: Sequence[int]) -> bytes:
    return blake2b(before + np.asarray(tokens, np.int64).tobytes(), digest_size=16).digest()
