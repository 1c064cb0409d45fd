"""The compiler and the driver, through cuda.bindings (which cuda-core brings): imported when they are first used.

The bindings have had the same names since CUDA 12, while cuda.core moved its names between releases; and a compile
option is handed on as it is written.
"""

from functools import cache
from types import ModuleType
from typing import Any

from perfproof.cuda.errors import CudaError

INSTALL = "pip install 'perfproof[cuda]'"


@cache
def nvrtc() -> ModuleType:
    try:
        from cuda.bindings import nvrtc as module
    except ImportError as error:
        raise CudaError(f"compiling a .cu file needs the package cuda-bindings: {INSTALL} ({error})") from None
    try:
        _values(module.nvrtcVersion())
    except Exception as error:  # the library is looked for at the first call, and says so with types of its own
        raise CudaError(f"NVRTC, the CUDA compiler library, is not here: {INSTALL} ({_said(error)})") from None
    return module


@cache
def driver() -> ModuleType:
    try:
        from cuda.bindings import driver as module
    except ImportError as error:
        raise CudaError(f"launching a kernel needs the package cuda-bindings: {INSTALL} ({error})") from None
    try:
        module.cuInit(0)
    except Exception as error:
        raise CudaError(f"launching a kernel needs NVIDIA's driver: {_said(error)}") from None
    return module


def nvrtc_version() -> str:
    major, minor = _values(nvrtc().nvrtcVersion())
    return f"{major}.{minor}"


def call(what: str, result: tuple) -> Any:
    """The value of a driver call, or one line with the driver's own words for the error."""
    status, *values = result
    if int(status) != 0:
        raise CudaError(f"{what}: {error_text(status)}")
    return values[0] if len(values) == 1 else tuple(values)


def error_text(status: Any) -> str:
    """CUDA_ERROR_INVALID_VALUE (invalid argument)"""
    _, words = driver().cuGetErrorString(status)
    name = getattr(status, "name", str(int(status)))
    return f"{name} ({words.decode()})" if words else name


def _values(result: tuple) -> tuple:
    status, *values = result
    if int(status) != 0:
        raise CudaError(f"NVRTC says {getattr(status, 'name', status)}")
    return tuple(values)


def _said(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
