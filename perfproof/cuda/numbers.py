"""Numbers of a stated type, for kernels whose parameter types are hidden: `extern "C"` has no types in its name."""

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    format: str  # of the struct module
    value: float

    @property
    def packed(self) -> bytes:
        return struct.pack(f"<{self.format}", self.value)


def int32(value: int) -> Number:
    return Number("i", value)


def uint32(value: int) -> Number:
    return Number("I", value)


def int64(value: int) -> Number:
    return Number("q", value)


def uint64(value: int) -> Number:
    return Number("Q", value)


def float32(value: float) -> Number:
    return Number("f", value)


def float64(value: float) -> Number:
    return Number("d", value)
