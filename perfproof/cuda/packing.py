"""From what a caller writes to what a kernel's parameters hold, by the types of its signature.

A pointer takes a tensor on the launching device whose elements are of that type (an unsigned type is raw bits of its
size; `void` and types that torch has not, such as float4, take any), or None. A number takes a Python number that fits.
Any other type takes bytes of its size, a descriptor its TensorMap. Of an `extern "C"` kernel only the sizes are known:
a number has to say its type, `cuda.int32(n)`.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from perfproof.cuda.errors import CudaError
from perfproof.cuda.numbers import Number
from perfproof.cuda.signatures import Signature
from perfproof.cuda.tensor_maps import TensorMap

FORMATS = {
    **{"bool": "?", "char": "b", "signed char": "b", "unsigned char": "B", "short": "h", "unsigned short": "H"},
    **{"int": "i", "unsigned int": "I", "long": "q", "unsigned long": "Q", "long long": "q"},
    **{"unsigned long long": "Q", "float": "f", "double": "d", "__half": "e"},
}
ELEMENTS = {
    **{"float": "float32", "double": "float64", "__half": "float16", "__nv_bfloat16": "bfloat16", "bool": "bool"},
    **{"char": "int8", "signed char": "int8", "short": "int16", "int": "int32", "long": "int64", "long long": "int64"},
    **{"__nv_fp8_e4m3": "float8_e4m3fn", "__nv_fp8_e5m2": "float8_e5m2"},
}
BITS = {"unsigned char": 1, "unsigned short": 2, "unsigned int": 4, "unsigned long": 8, "unsigned long long": 8}
POINTER = 8  # bytes

Tensor = torch.Tensor
PLAIN = (int, float)  # a union written at the place of use would be made anew at each launch
Take = Callable[[Any], Any]


@dataclass(frozen=True)
class Packing:
    label: str
    device: int
    types: tuple[str, ...]  # as they are shown
    format: str  # of the whole buffer, padding included
    formats: tuple[str, ...]  # of each parameter
    offsets: tuple[int, ...]
    takes: tuple[tuple[frozenset[torch.dtype], Take], ...]

    def values(self, arguments: tuple) -> list:
        """What is packed for each argument. A plain tensor is let through without a call: each launch comes by
        here, and a call would take as long as all that is done for it."""
        if len(arguments) != len(self.takes):
            what = f"{len(arguments)} arguments for {len(self.takes)} parameters"
            raise CudaError(f"{self.label}: {what} ({', '.join(self.types)})")
        device, values = self.device, []
        for argument, (elements, take) in zip(arguments, self.takes, strict=False):
            if argument.__class__ is Tensor and argument.dtype in elements and argument.get_device() == device:
                values.append(argument.data_ptr())
            else:
                values.append(take(argument))
        return values

    def unfit(self, values: list) -> CudaError:
        """Which of the values it is that does not fit; found only when packing has failed."""
        for place, (form, value) in enumerate(zip(self.formats, values, strict=True)):
            try:
                struct.pack(f"<{form}", value)
            except (struct.error, OverflowError, TypeError):
                return _wrong(self.label, place, self.types[place], f"{value!r}, which does not fit")
        return CudaError(f"{self.label}: the arguments cannot be packed")


def read_packing(label: str, signature: Signature, layout: list[tuple[int, int]], device: int) -> Packing:
    """`layout` is the offset and size of each parameter as the driver knows them."""
    types = signature.types or tuple(f"{size} bytes" for _, size in layout)
    if len(types) != len(layout):
        raise CudaError(f"{label}: {signature} has {len(types)} parameters, its binary {len(layout)}; report this")
    formats, takes, whole, end = [], [], "<", 0
    for place, (kind, (offset, size)) in enumerate(zip(types, layout, strict=True)):
        form, take = _parameter(label, place, kind if signature.types else None, kind, size, device)
        whole += f"{offset - end}x{form}"
        end = offset + size
        formats.append(form)
        elements = _elements(kind) if form == "Q" and kind.endswith("*") else frozenset()
        takes.append((elements, take))
    offsets = tuple(offset for offset, _ in layout)
    return Packing(label, device, types, whole, tuple(formats), offsets, tuple(takes))


def _parameter(label: str, place: int, kind: str | None, shown: str, size: int, device: int) -> tuple[str, Take]:
    if kind is None:
        return f"{size}s", _take_untyped(label, place, shown, size, device)
    if kind.endswith("*"):
        return "Q", _take_pointer(label, place, kind, device)
    plain = kind.removesuffix(" const")
    if plain in FORMATS:
        return FORMATS[plain], _take_number(label, place, kind, FORMATS[plain])
    return f"{size}s", _take_bytes(label, place, kind, size)


def _take_pointer(label: str, place: int, kind: str, device: int) -> Take:
    elements = _elements(kind)

    def take(argument: Any) -> int:
        if not isinstance(argument, Tensor):
            if argument is None:
                return 0
            raise _wrong(label, place, kind, f"{_kind(argument)}: give a tensor, or None for a null pointer")
        if argument.get_device() != device:
            raise _wrong(label, place, kind, f"on {argument.device}; the launch is on cuda:{device}: move one of them")
        if argument.dtype not in elements:
            wanted = " or ".join(sorted(str(dtype) for dtype in elements)[:3])
            raise _wrong(label, place, kind, f"a tensor of {argument.dtype}; the kernel reads {wanted}")
        return argument.data_ptr()

    return take


def _take_number(label: str, place: int, kind: str, form: str) -> Take:
    def take(argument: Any) -> Any:
        if isinstance(argument, PLAIN):
            return argument
        if isinstance(argument, Number) and argument.format == form:
            return argument.value
        if isinstance(argument, Number | Tensor) or not hasattr(argument, "__float__"):
            raise _wrong(label, place, kind, f"{_kind(argument)}: give a Python number")
        return argument  # NumPy's numbers

    return take


def _take_bytes(label: str, place: int, kind: str, size: int) -> Take:
    def take(argument: Any) -> bytes:
        packed = argument.encoded if isinstance(argument, TensorMap) else argument
        if not isinstance(packed, bytes) or len(packed) != size:
            raise _wrong(label, place, kind, f"{_kind(argument)}: give {size} bytes, or a cuda.tensor_map")
        return packed

    return take


def _take_untyped(label: str, place: int, shown: str, size: int, device: int) -> Take:
    tensor = _take_pointer(label, place, "void*", device)
    others = _take_bytes(label, place, shown, size)

    def take(argument: Any) -> bytes:
        if size == POINTER and (argument is None or isinstance(argument, Tensor)):
            return struct.pack("<Q", tensor(argument))
        if isinstance(argument, PLAIN):
            why = 'its type is hidden by extern "C": leave that off, or say it: cuda.int32(n), cuda.float32(x)'
            raise _wrong(label, place, shown, f"the number {argument!r}, and {why}")
        return others(argument.packed if isinstance(argument, Number) else argument)

    return take


def _elements(pointer: str) -> frozenset[torch.dtype]:
    """The dtypes that a pointer may point at."""
    name = pointer.removesuffix("*").replace(" const", "").strip()
    every = frozenset(value for value in vars(torch).values() if isinstance(value, torch.dtype))
    if name in ELEMENTS:
        return frozenset([getattr(torch, ELEMENTS[name])])
    if name in BITS:
        return frozenset(dtype for dtype in every if dtype.itemsize == BITS[name])
    return every


def _wrong(label: str, place: int, kind: str, what: str) -> CudaError:
    return CudaError(f"{label}: argument {place + 1} ({kind}) is {what}")


def _kind(value: Any) -> str:
    if isinstance(value, Number):
        return f"a Number of format {value.format!r}"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return f"a {type(value).__name__}"
