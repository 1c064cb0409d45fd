"""Where the ranks of a pair meet: a small file that each of them writes one slot of and reads all of.

Ranks must make the same calls in the same order, or their collectives wait for ever. So whatever decides how many calls
are made (a time that was read, a check that failed) is agreed on here, and a sample starts at one moment on all ranks.
The pair's own process group is not used for it: nothing of the harness stands between the collectives of a pair.

A slot holds how often its rank has come, and two values by turns: a rank can be one meeting ahead of another, not two.
The file is read and written by system calls, a value before the count that announces it: no rank sees them in another
order. Ranks look until all have come instead of sleeping, and leave within microseconds of each other.
"""

import hashlib
import os
import struct
from collections.abc import Callable
from typing import Any

import torch

from perfproof.core.trees import is_array, is_tensor, leaves
from perfproof.worker.measure.arguments import Draw
from perfproof.worker.measure.clocks import Reading
from perfproof.worker.ranks.slots import COUNT, SLOT, VALUES, slots
from perfproof.worker.verify import watch

LOOKS = 1000  # about a millisecond; then others may have the core between two looks
_read, _write, _give_way = os.pread, os.pwrite, os.sched_yield
_pack_count, _pack_value = struct.Struct("q").pack, struct.Struct("d").pack


class Alone:
    """A pair that runs in one process: everything is agreed already."""

    rank, several = 0, False
    foreign_seconds = staticmethod(watch.foreign_seconds)

    def meet(self) -> None: ...

    def most(self, value: float) -> float:
        return value

    def least(self, value: float) -> float:
        return value

    def timed(self, read: Callable[[], Reading]) -> Reading:
        return read()

    def own_seconds(self, samples: int) -> dict[str, list[float]]:
        """Of the last so many samples, where they differ from what was agreed."""
        return {}

    def draw(self, draw: Draw, names: tuple[str, ...], constant: tuple[str, ...]) -> Draw:
        return draw

    def unequal(self, value: Any) -> bool:
        """Does another rank hold something else here?"""
        return False

    def leave(self) -> None: ...


class Meeting:
    """The place of one rank among `world`."""

    several = True
    # What a backend's own threads do is the pair's work; only Python's can be left behind.
    foreign_seconds = staticmethod(watch.python_seconds)

    def __init__(self, path: str, rank: int, world: int, leave: Callable[[], None] = lambda: None):
        self.rank, self.world, self.leave = rank, world, leave
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self._slots, self._came = slots(world), 0
        self._own: list[float] = []

    def meet(self) -> None:
        """Return when every rank has come here."""
        self._came += 1
        came, slots, looks = self._came, self._slots, 0
        _write(self._file, _pack_count(came), SLOT * self.rank + COUNT)
        while min(slots.unpack(_read(self._file, slots.size, 0))[::3]) < came:
            looks += 1
            if looks > LOOKS:
                _give_way()

    def most(self, value: float) -> float:
        """The largest of all ranks' values."""
        return max(self._all(value))

    def least(self, value: float) -> float:
        return min(self._all(value))

    def timed(self, read: Callable[[], Reading]) -> Reading:
        """A reading that starts together on all ranks; its seconds are the slowest rank's."""
        self.meet()
        reading = read()
        self._own.append(reading.seconds)
        reading.seconds = self.most(reading.seconds)
        return reading

    def own_seconds(self, samples: int) -> dict[str, list[float]]:
        own, self._own = self._own[-samples:], []
        return {"own_seconds": own}

    def draw(self, draw: Draw, names: tuple[str, ...], constant: tuple[str, ...]) -> Draw:
        """`draw` with a seed of the rank's own; the first time with the constants of the common one."""
        first = True

        def own(seed: int, sets: int) -> list[tuple]:
            nonlocal first
            drawn = list(draw(_mixed(seed, self.rank), sets))
            if first and constant and all(len(one) == len(names) for one in drawn):
                (common,) = draw(seed, 1)
                drawn = [
                    tuple(common[at] if name in constant else one[at] for at, name in enumerate(names)) for one in drawn
                ]
            first = False
            return drawn

        return own

    def unequal(self, value: Any) -> bool:
        digest = _digest(value)
        return self.most(digest) != self.least(digest)

    def _all(self, value: float) -> tuple[float, ...]:
        odd = (self._came + 1) % 2
        _write(self._file, _pack_value(value), SLOT * self.rank + VALUES + 8 * odd)
        self.meet()
        return self._slots.unpack(_read(self._file, self._slots.size, 0))[1 + odd :: 3]


def _mixed(seed: int, rank: int) -> int:
    return int.from_bytes(hashlib.blake2b(b"%d of rank %d" % (seed, rank), digest_size=8).digest(), "little") >> 2


def _digest(value: Any) -> float:
    """Of all the values that are held, as a number that a double holds exactly."""
    found = hashlib.blake2b(digest_size=6)
    for path, leaf in leaves(value):
        found.update(f"{path} {type(leaf)}".encode())
        if is_tensor(leaf):
            found.update(leaf.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
        else:
            plain = is_array(leaf) and not leaf.dtype.hasobject  # an array of objects holds addresses
            found.update(leaf.tobytes() if plain else repr(leaf.tolist() if is_array(leaf) else leaf).encode())
    return float(int.from_bytes(found.digest(), "little"))
