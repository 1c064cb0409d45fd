"""Weight-only quantisation: integers of 8 or 4 bits with one scale per group of inputs.

Symmetric and rounded to nearest. Two 4-bit values share a byte: the even input is in the low half. A matrix is
(..., outputs, inputs); the group must divide the inputs.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from perfproof.core.errors import UsageError

LARGEST = {8: 127, 4: 7}


@dataclass
class Quantised:
    packed: Tensor  # int8 (..., outputs, inputs), or uint8 (..., outputs, inputs / 2)
    scales: Tensor  # (..., outputs, inputs / group)
    bits: int
    group: int

    @property
    def shape(self) -> tuple[int, ...]:
        return (*self.scales.shape[:-1], self.scales.shape[-1] * self.group)

    @property
    def nbytes(self) -> int:
        return self.packed.numel() + self.scales.numel() * self.scales.element_size()

    def __getitem__(self, expert: int) -> "Quantised":
        return Quantised(self.packed[expert], self.scales[expert], self.bits, self.group)

    def dequantise(self) -> Tensor:
        values = unpack(self.packed) if self.bits == 4 else self.packed
        grouped = values.unflatten(-1, (-1, self.group)).to(self.scales.dtype)
        return (grouped * self.scales.unsqueeze(-1)).flatten(-2)


def quantise(matrix: Tensor, bits: int, group: int) -> Quantised:
    if bits not in LARGEST:
        raise UsageError(f"--quantise {bits}: weights are quantised to 8 or 4 bits")
    group = min(group, matrix.shape[-1])
    if matrix.shape[-1] % group or group % 2:
        raise UsageError(
            f"--group {group}: does not divide the {matrix.shape[-1]} inputs of a matrix; choose another group"
        )
    grouped = matrix.unflatten(-1, (-1, group))
    scales = grouped.abs().amax(-1).clamp_min(torch.finfo(matrix.dtype).tiny) / LARGEST[bits]
    values = (grouped / scales.unsqueeze(-1)).round().clamp(-LARGEST[bits], LARGEST[bits]).to(torch.int8).flatten(-2)
    return Quantised(pack(values) if bits == 4 else values, scales, bits, group)


def pack(values: Tensor) -> Tensor:
    """Values from -8 to 7, stored with 8 added."""
    even, odd = (values[..., start::2] + 8 for start in (0, 1))
    return (even | (odd << 4)).to(torch.uint8)


def unpack(packed: Tensor) -> Tensor:
    even, odd = packed & 15, packed >> 4
    return torch.stack([even, odd], -1).flatten(-2).to(torch.int8) - 8
