"""What is unusual about the arrays that a line works on: integers or float16 in a product, long strides, mostly zeros,
padding, all pairs at once, Python objects, numbers near zero.

A few elements are read where they lie, so that nothing of the program or of torch is called.
"""

import ctypes
import dis
import sys
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

MARK = "[operands] "
SLOW_TYPE, STRIDED, ZEROS = f"{MARK}slow type", f"{MARK}strided", f"{MARK}zeros"
PADDED, ALL_PAIRS, OBJECTS = f"{MARK}padded", f"{MARK}all pairs", f"{MARK}objects"
SUBNORMAL, HALF = f"{MARK}subnormal", f"{MARK}half"
PRODUCTS = frozenset({"dot", "matmul", "mm", "bmm", "einsum", "inner", "tensordot", "linear"})
ARITHMETIC = frozenset({"BINARY_OP", "UNARY_NEGATIVE", "COMPARE_OP"})
REDUCTIONS = frozenset(
    {"add", "multiply", "divide", "sqrt", "exp", "log", "tanh", "sum", "mean", "std", "var", "cumsum", "clip"}
)
SLOW = "e?bhilqpBHILQP"  # letters of NumPy's types that no library multiplies
LETTERS = {"float16": "e", "float32": "f", "float64": "d", "bool": "?"} | dict.fromkeys(
    [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)], "i"
)
CACHE_LINE = 64  # bytes: with longer strides each element that is read brings one of its own
LARGE_PRODUCT, LARGE_VECTOR, LARGE_ZEROS = 10_000, 1_000, 2**18  # elements
ELEMENTS, MOSTLY = 256, 0.98  # that are looked at, and of them zeros
SMALLEST = {"float32": 2**23, "float64": 2**52}  # as a whole number, of the numbers with all of their digits
FEW, SUBNORMALS = 64, 0.1  # that are looked at, and of them subnormal ones
LARGER, LARGE_BYTES = 8, 2**25  # times as large as what a function was given; more than a cache has
LEAST_PADDED, ROWS, PER_ROW, PADDING = 2**11, 8, 16, 0.6  # elements; looked at; of them padding


def marks(frame: FrameType, values: list[Any]) -> list[str]:
    """For the line that a frame of the program is on, and the values that it names."""
    is_product = _multiplies(frame.f_code, frame.f_lineno)
    arrays = [one for one in values if type(one).__name__ in ("ndarray", "Tensor", "Parameter")]
    numbers = [one for one in arrays if type(one).__name__ == "ndarray"]
    found = []
    if is_product and numbers and _all_slow(frame, values, numbers):
        found += [SLOW_TYPE] if any(one.ndim > 1 and one.size >= LARGE_PRODUCT for one in numbers) else []
    if not is_product and _computes(frame.f_code, frame.f_lineno) and _all_half(values, numbers):
        found.append(HALF)
    if any(_is_strided(one) for one in numbers):
        found.append(STRIDED)
    if is_product and any(_is_mostly_zero(one) for one in arrays):
        found.append(ZEROS)
    if any(_is_of_all_pairs(one, frame) for one in numbers):
        found.append(ALL_PAIRS)
    if any(one.dtype.char == "O" and one.size >= LARGE_VECTOR for one in numbers):
        found.append(OBJECTS)
    if any(_is_subnormal(one) for one in arrays):
        found.append(SUBNORMAL)
    return found


def _all_slow(frame: FrameType, values: list[Any], numbers: list[Any]) -> bool:
    """Whether all operands are of types without a fast product; what the line converts is of the type it names."""
    targets = [one for one in map(_character, values) if one]
    casts = [frame.f_locals.get(name) for name in _converted(frame.f_code, frame.f_lineno)] if targets else []
    own = [one.dtype.char for one in numbers if not any(one is other for other in casts)]
    return all(char in SLOW for char in own + (targets if casts else []))


def _character(value: Any) -> str:
    """The letter of a type of elements: of `numpy.float16`, `array.dtype`; empty if it is another value."""
    if type(value).__module__ == "numpy.dtypes" or type(value).__name__ == "dtype":
        return str(getattr(value, "char", ""))
    is_scalar = isinstance(value, type) and value.__module__ == "numpy"
    return LETTERS.get(value.__name__.rstrip("_"), "d") if is_scalar else ""


@lru_cache(maxsize=1000)
def _converted(code: CodeType, line: int) -> tuple[str, ...]:
    """The variables that a line converts with `astype`."""
    found, before = [], None
    for one in dis.get_instructions(code):
        place = getattr(one, "positions", None)
        if place is not None and place.lineno == line and one.argval == "astype" and before is not None:
            found.append(before)
        before = str(one.argval) if one.opname.startswith(("LOAD_FAST", "LOAD_NAME")) else None
    return tuple(found)


def _is_of_all_pairs(array: Any, frame: FrameType) -> bool:
    """Whether it has a dimension more than any array that the function was given, and is many times as large as all."""
    code, known = frame.f_code, frame.f_locals
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values: list[Any] = [known.get(name) for name in names]
    given = [one for one in values if type(one).__name__ == "ndarray" and one.dtype.kind == "f"]
    if not given or array.dtype.kind != "f" or not array.flags.c_contiguous or array.nbytes < LARGE_BYTES:
        return False
    return array.ndim > max(2, *(one.ndim for one in given)) and array.nbytes > LARGER * sum(
        one.nbytes for one in given
    )


@lru_cache(maxsize=1000)
def _multiplies(code: CodeType, line: int) -> bool:
    """Whether a line multiplies matrices."""
    places = [(one, getattr(one, "positions", None)) for one in dis.get_instructions(code)]
    own = [one for one, place in places if place is not None and place.lineno == line]
    return any(one.argrepr in ("@", "@=") or one.argval in PRODUCTS for one in own)


@lru_cache(maxsize=1000)
def _computes(code: CodeType, line: int) -> bool:
    """Whether a line does arithmetic or reduces: to convert, to copy and to index is no arithmetic."""
    places = [(one, getattr(one, "positions", None)) for one in dis.get_instructions(code)]
    own = [one for one, place in places if place is not None and place.lineno == line]
    return any(one.opname in ARITHMETIC or one.argval in REDUCTIONS for one in own)


def _all_half(values: list[Any], numbers: list[Any]) -> bool:
    """Whether a large array is of float16, and nothing on the line is of a wider type, or is made one."""
    kinds = {one.dtype.char for one in numbers if one.dtype.kind == "f"} | {*map(_character, values)} - {""}
    return kinds <= {"e", "i"} and any(one.dtype.char == "e" and one.size >= LARGE_VECTOR for one in numbers)


def _is_strided(array: Any) -> bool:
    strides = [abs(stride) for size, stride in zip(array.shape, array.strides, strict=True) if size > 1]
    return array.size >= LARGE_VECTOR and bool(strides) and min(strides) >= max(CACHE_LINE, 2 * array.itemsize)


def _is_mostly_zero(array: Any) -> bool:
    found = _elements(array, LARGE_ZEROS, ELEMENTS)
    return bool(found) and MOSTLY * len(found) <= sum(not any(one) for one in found)


def _is_subnormal(array: Any) -> bool:
    """Whether part of it is so near to zero that processors compute with it many times slower."""
    smallest = SMALLEST.get(str(array.dtype).removeprefix("torch."), 0)
    found = _elements(array, LARGE_VECTOR, FEW) if smallest else []
    sign = 1 << (8 * len(found[0]) - 1) if found else 0
    sizes = [int.from_bytes(one, sys.byteorder) & (sign - 1) for one in found]
    return bool(found) and SUBNORMALS * len(found) <= sum(0 < one < smallest for one in sizes)


def _elements(array: Any, least: int, count: int) -> list[bytes]:
    """About so many elements of an array of `least` or more.

    Only arrays in one piece of memory are read, and no tensor of another device or layout.
    """
    is_numpy = type(array).__name__ == "ndarray"
    size, width = (array.size, array.itemsize) if is_numpy else (array.numel(), array.element_size())
    whole = array.flags.c_contiguous if is_numpy else str(array.layout) == "torch.strided" and array.is_contiguous()
    if size < least or not whole or not (is_numpy or array.device.type == "cpu"):
        return []
    start = array.ctypes.data if is_numpy else array.data_ptr()
    stride = size // count | 1  # odd, so that it does not meet the same column of each row
    return [ctypes.string_at(start + place * width, width) for place in range(0, size, stride)]


def has_padding(frames: list[FrameType]) -> bool:
    """Whether a variable of these functions is a batch of sequences of which most is filled up to one length."""
    values = [value for frame in frames for value in frame.f_locals.values()]
    return any(_is_padded(value) for value in values if type(value).__name__ in ("ndarray", "Tensor"))


def _is_padded(array: Any) -> bool:
    """Integers in rows that begin with different values and end with the same one, which fills most of each."""
    is_numpy = type(array).__name__ == "ndarray"
    shape = tuple(array.shape)
    if len(shape) != 2 or shape[0] * shape[1] < LEAST_PADDED or shape[1] < 2 * PER_ROW:
        return False
    whole = array.flags.c_contiguous if is_numpy else array.device.type == "cpu" and array.is_contiguous()
    numbers = array.dtype.kind == "i" if is_numpy else str(array.dtype) in ("torch.int64", "torch.int32")
    if not whole or not numbers:
        return False
    start, width = (array.ctypes.data, array.itemsize) if is_numpy else (array.data_ptr(), array.element_size())

    def element(row: int, column: int) -> bytes:
        return ctypes.string_at(start + (row * shape[1] + column) * width, width)

    rows = range(0, shape[0], max(1, shape[0] // ROWS))
    last = element(0, shape[1] - 1)
    begins_differently = len({element(row, column) for row in rows for column in (0, 1)} - {last}) > 1
    columns = range(0, shape[1], shape[1] // PER_ROW)
    filled = [element(row, column) == last for row in rows for column in columns]
    return begins_differently and sum(filled) >= PADDING * len(filled)
