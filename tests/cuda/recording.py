"""A driver that records launches, with the real bindings' types: what would reach a GPU, looked at without one."""

import ctypes
from dataclasses import dataclass, field
from typing import Any

from cuda.bindings import driver as bindings

SUCCESS, INVALID_VALUE = bindings.CUresult.CUDA_SUCCESS, bindings.CUresult.CUDA_ERROR_INVALID_VALUE


@dataclass
class Launch:
    grid: tuple
    block: tuple
    shared: int
    stream: int
    attributes: list
    arguments: list[bytes]


@dataclass
class RecordingDriver:
    """The real bindings' types; the calls are remembered. `layout` is what the driver would know of the parameters."""

    layout: list[tuple[int, int]]
    threads: int = 1024
    shared: int = 232_448
    status: Any = SUCCESS
    launches: list[Launch] = field(default_factory=list)
    attributes: dict[str, int] = field(default_factory=dict)
    contexts: int = 1
    encoded: list = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("cu") and name not in ("cuuint32_t", "cuuint64_t"):
            raise AssertionError(f"{name} needs a GPU")
        return getattr(bindings, name)

    def cuLaunchKernelEx(self, config, function, places, extra):
        if self.contexts == 0:
            return (bindings.CUresult.CUDA_ERROR_INVALID_CONTEXT,)
        assert (int(function), extra) == (42, 0)
        pointers = ctypes.cast(places, ctypes.POINTER(ctypes.c_void_p))
        grid = (config.gridDimX, config.gridDimY, config.gridDimZ)
        block = (config.blockDimX, config.blockDimY, config.blockDimZ)
        arguments = [ctypes.string_at(pointers[place], size) for place, (_, size) in enumerate(self.layout)]
        attributes = [attribute.id.name for attribute in config.attrs[: config.numAttrs]]
        launch = Launch(grid, block, config.sharedMemBytes, int(config.hStream), attributes, arguments)
        self.launches.append(launch)
        return (self.status,)

    def cuModuleLoadData(self, image):
        assert image[:4] == b"\x7fELF"
        return SUCCESS, bindings.CUmodule(7)

    def cuModuleGetFunction(self, module, name):
        self.function_name = name.decode()
        return SUCCESS, bindings.CUfunction(42)

    def cuFuncGetParamInfo(self, function, place):
        if place >= len(self.layout):
            return INVALID_VALUE, None, None
        return SUCCESS, *self.layout[place]

    def cuFuncGetAttribute(self, attribute, function):
        return SUCCESS, self.threads

    def cuDeviceGetAttribute(self, attribute, device):
        return SUCCESS, self.shared

    def cuFuncSetAttribute(self, function, attribute, value):
        self.attributes[attribute.name] = value
        return (SUCCESS,)

    def cuOccupancyMaxActiveBlocksPerMultiprocessor(self, function, threads, shared):
        return SUCCESS, 2

    def cuCtxGetCurrent(self):
        return SUCCESS, bindings.CUcontext(self.contexts)

    def cuDeviceGet(self, device):
        return SUCCESS, bindings.CUdevice(0)

    def cuDevicePrimaryCtxRetain(self, device):
        return SUCCESS, bindings.CUcontext(5)

    def cuCtxSetCurrent(self, context):
        self.contexts = int(context)
        return (SUCCESS,)

    def cuGetErrorString(self, status):
        return SUCCESS, b"the driver's words"

    def cuTensorMapEncodeTiled(self, *arguments):
        self.encoded.append(arguments)
        return SUCCESS, bindings.CUtensorMap()


def laid_out(sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Offsets as a C structure has them."""
    found, end = [], 0
    for size in sizes:
        start = -(-end // min(size, 64)) * min(size, 64)
        found.append((start, size))
        end = start + size
    return found
