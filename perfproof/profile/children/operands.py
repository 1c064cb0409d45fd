"""What is unusual about the arrays that a line works on: integers or float16 in a product, long strides, mostly zeros.

A few elements are read where they lie, so that nothing of the program or of torch is called.
"""

import ctypes
import dis
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

MARK = "[operands] "
SLOW_TYPE, STRIDED, ZEROS = f"{MARK}slow type", f"{MARK}strided", f"{MARK}zeros"
PRODUCTS = frozenset({"dot", "matmul", "mm", "bmm", "einsum", "inner", "tensordot", "linear"})
CACHE_LINE = 64  # bytes: with longer strides each element that is read brings one of its own
LARGE_PRODUCT, LARGE_VECTOR, LARGE_ZEROS = 10_000, 1_000, 2**18  # elements
ELEMENTS, MOSTLY = 256, 0.98  # that are looked at, and of them zeros
LOADS = ("LOAD_NAME", "LOAD_FAST", "LOAD_GLOBAL", "LOAD_DEREF")


def marks(frame: FrameType) -> list[str]:
    """For the line that a frame of the program is on."""
    names, is_product = _line(frame.f_code, frame.f_lineno)
    known: list[Any] = [frame.f_locals.get(name, frame.f_globals.get(name)) for name in names]
    arrays = [one for one in known if type(one).__name__ in ("ndarray", "Tensor", "Parameter")]
    numbers = [one for one in arrays if type(one).__name__ == "ndarray"]
    found = []
    if is_product and numbers and all(one.dtype.char == "e" or one.dtype.kind in "iub" for one in numbers):
        found += [SLOW_TYPE] if any(one.ndim > 1 and one.size >= LARGE_PRODUCT for one in numbers) else []
    if any(_is_strided(one) for one in numbers):
        found.append(STRIDED)
    if is_product and any(_is_mostly_zero(one) for one in arrays):
        found.append(ZEROS)
    return found


@lru_cache(maxsize=1000)
def _line(code: CodeType, line: int) -> tuple[frozenset[str], bool]:
    """What a line loads by name, and whether it multiplies matrices."""
    places = [(one, getattr(one, "positions", None)) for one in dis.get_instructions(code)]
    own = [one for one, place in places if place is not None and place.lineno == line]
    names = frozenset(str(one.argval) for one in own if one.opname.startswith(LOADS))
    return names, any(one.argrepr in ("@", "@=") or one.argval in PRODUCTS for one in own)


def _is_strided(array: Any) -> bool:
    strides = [abs(stride) for size, stride in zip(array.shape, array.strides, strict=True) if size > 1]
    return array.size >= LARGE_VECTOR and bool(strides) and min(strides) >= max(CACHE_LINE, 2 * array.itemsize)


def _is_mostly_zero(array: Any) -> bool:
    """Only arrays in one piece of memory are read, and no tensor of another device or layout."""
    is_numpy = type(array).__name__ == "ndarray"
    count, width = (array.size, array.itemsize) if is_numpy else (array.numel(), array.element_size())
    whole = array.flags.c_contiguous if is_numpy else str(array.layout) == "torch.strided" and array.is_contiguous()
    if count < LARGE_ZEROS or not whole or not (is_numpy or array.device.type == "cpu"):
        return False
    start = array.ctypes.data if is_numpy else array.data_ptr()
    stride = count // ELEMENTS | 1  # odd, so that it does not meet the same column of each row
    places = range(0, count, stride)
    zeros = sum(not any(ctypes.string_at(start + place * width, width)) for place in places)
    return MOSTLY * len(places) <= zeros
