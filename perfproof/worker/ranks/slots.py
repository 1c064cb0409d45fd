"""The file that ranks meet in: a slot for each of them, with a count and two values."""

import os
import struct

SLOT = 64  # bytes: the count, a value of even meetings, a value of odd ones, and room to the next line of a cache
COUNT, VALUES = 0, 8


def slots(world: int) -> struct.Struct:
    """All slots at once: count, even value, odd value of the first rank, then of the next."""
    return struct.Struct("qdd40x" * world)


def lay_out(descriptor: int, world: int) -> None:
    """Empty slots for so many ranks."""
    os.pwrite(descriptor, bytes(SLOT * world), 0)


def ranks_behind(descriptor: int, world: int) -> list[int]:
    """The ranks that have come less often than others, who wait for them."""
    came = slots(world).unpack(os.pread(descriptor, SLOT * world, 0))[::3]
    return [rank for rank, count in enumerate(came) if count < max(came)]
