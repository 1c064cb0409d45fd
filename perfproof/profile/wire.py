"""Protocol buffers without a schema: the numbered fields of a message, for formats whose numbers are published."""

import struct
from collections.abc import Iterator

Value = int | bytes | float
CUT = "ends in the middle of a field: the file is cut off"


class BrokenMessage(ValueError):
    """One line, to follow the name of the file."""


def fields(message: bytes | memoryview) -> Iterator[tuple[int, Value]]:
    """(number, value) in the message's order. Numbers as they are stored (unsigned), texts and messages as bytes."""
    place, end = 0, len(message)
    while place < end:
        tag, place = _varint(message, place, end)
        kind, number = tag & 7, tag >> 3
        if number == 0:
            raise BrokenMessage("has a field without a number: it is no protocol buffer")
        if kind == 0:
            value, place = _varint(message, place, end)
            yield number, value
            continue
        if kind == 2:
            size, place = _varint(message, place, end)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise BrokenMessage(f"has a field of kind {kind}, which nothing writes: it is no protocol buffer")
        if place + size > end:
            raise BrokenMessage(CUT)
        content = bytes(message[place : place + size])
        place += size
        yield number, content if kind == 2 else struct.unpack("<d" if kind == 1 else "<f", content)[0]


def signed(value: int) -> int:
    """A stored number as an int64."""
    return value - 2**64 if value >= 2**63 else value


def _varint(message: bytes | memoryview, place: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while place < end:
        byte = message[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (2**64 - 1), place
        shift += 7
        if shift > 63:
            raise BrokenMessage("has a number of more than ten bytes: it is no protocol buffer")
    raise BrokenMessage(CUT)
