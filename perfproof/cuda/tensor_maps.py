"""Descriptors for the tensor memory accelerator: which part of a tensor one bulk copy brings to shared memory.

Passed to a kernel as `const __grid_constant__ CUtensorMap`. Shapes are written as torch writes them, the fastest
dimension last; the descriptor's own order is the reverse.
"""

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfproof.cuda.bindings import call, driver
from perfproof.cuda.errors import CudaError

if TYPE_CHECKING:
    import torch

SIZE = 128  # bytes
SWIZZLES = {"none": "NONE", "32B": "32B", "64B": "64B", "128B": "128B"}
PROMOTIONS = {"none": "NONE", "64B": "L2_64B", "128B": "L2_128B", "256B": "L2_256B"}
FILLS = {"zeros": "NONE", "nan": "NAN_REQUEST_ZERO_FMA"}
_TYPES = {
    **{"uint8": "UINT8", "int8": "UINT8", "bool": "UINT8", "float8_e4m3fn": "UINT8", "float8_e5m2": "UINT8"},
    **{"int16": "UINT16", "uint16": "UINT16", "int32": "INT32", "uint32": "UINT32", "int64": "INT64"},
    **{"uint64": "UINT64", "float16": "FLOAT16", "bfloat16": "BFLOAT16", "float32": "FLOAT32", "float64": "FLOAT64"},
}


@dataclass(frozen=True)
class TensorMap:
    encoded: bytes
    tensor: "torch.Tensor"  # kept alive as long as its descriptor


def tensor_map(
    tensor: "torch.Tensor",
    *,
    box: tuple[int, ...],
    swizzle: str = "none",
    promotion: str = "none",
    fill: str = "zeros",
    element_strides: tuple[int, ...] | None = None,
) -> TensorMap:
    """Describe `tensor` so that one copy brings a `box` of it.

    `swizzle` is how the box lies in shared memory, `promotion` how much the L2 cache fetches at least, `fill` what
    stands for elements outside.
    """
    steps = element_strides or (1,) * tensor.dim()
    problem = _problem(tensor, box, swizzle, steps)
    if not tensor.is_cuda:
        problem = f"the tensor is on {tensor.device}; move it to the GPU"
    if problem:
        raise CudaError(f"tensor_map: {problem}")
    api, size = driver(), tensor.element_size()
    strides = [api.cuuint64_t(stride * size) for stride in reversed(tensor.stride()[:-1])]
    encoded = call(
        f"tensor_map of {tuple(tensor.shape)} {tensor.dtype} with box={box} swizzle={swizzle}",
        api.cuTensorMapEncodeTiled(
            _member("DataType", "DATA_TYPE", _TYPES[_name(tensor)]),
            tensor.dim(),
            tensor.data_ptr(),
            [api.cuuint64_t(extent) for extent in reversed(tensor.shape)],
            strides,
            [api.cuuint32_t(extent) for extent in reversed(box)],
            [api.cuuint32_t(step) for step in reversed(steps)],
            _member("Interleave", "INTERLEAVE", "NONE"),
            _member("Swizzle", "SWIZZLE", _choice("swizzle", swizzle, SWIZZLES)),
            _member("L2promotion", "L2_PROMOTION", _choice("promotion", promotion, PROMOTIONS)),
            _member("FloatOOBfill", "FLOAT_OOB_FILL", _choice("fill", fill, FILLS)),
        ),
    )
    return TensorMap(ctypes.string_at(encoded.getPtr(), SIZE), tensor)


def _problem(tensor: "torch.Tensor", box: tuple[int, ...], swizzle: str, steps: tuple[int, ...]) -> str:
    """What the accelerator cannot do, in words; the driver only says that a value is invalid."""
    size = tensor.element_size()
    if _name(tensor) not in _TYPES:
        return f"no descriptor holds {tensor.dtype}; view it as an integer type of its size"
    if not 1 <= tensor.dim() <= 5:
        return f"the tensor has {tensor.dim()} dimensions; a descriptor has one to five"
    if len(box) != tensor.dim() or len(steps) != tensor.dim():
        return f"box={box} and element_strides={steps} need {tensor.dim()} numbers, one for each dimension"
    if not all(1 <= extent <= 256 for extent in box):
        return f"box={box}; every extent is 1 to 256"
    if tensor.data_ptr() % 16:
        return "the tensor's address is no multiple of 16; begin at an aligned element"
    if tensor.stride(-1) != 1 or any(stride * size % 16 for stride in tensor.stride()[:-1]):
        return f"strides {tensor.stride()} of {size} bytes; the last is 1, the others multiples of 16 bytes"
    inner = box[-1] * size
    if inner % 16:
        return f"a row of the box is {inner} bytes; it has to be a multiple of 16"
    if swizzle in SWIZZLES and swizzle != "none" and inner > int(swizzle[:-1]):
        return f"a row of the box is {inner} bytes; with swizzle={swizzle!r} it is at most {swizzle[:-1]}"
    return ""


def _choice(name: str, value: str, choices: dict[str, str]) -> str:
    if value not in choices:
        raise CudaError(f"tensor_map: {name}={value!r}; choose one of {', '.join(choices)}")
    return choices[value]


def _member(kind: str, prefix: str, name: str) -> Any:
    return getattr(getattr(driver(), f"CUtensorMap{kind}"), f"CU_TENSOR_MAP_{prefix}_{name}")


def _name(tensor: "torch.Tensor") -> str:
    return str(tensor.dtype).removeprefix("torch.")
