"""Launch a kernel on torch's current device and stream, cheaply: everything that can be worked out once is kept.

For each device: the loaded function, a buffer for the arguments with the addresses of its parts, and a launch
configuration for each grid, block and option that was asked for.
"""

import ctypes
import math
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import torch

from perfproof.cuda.architectures import of_capability, runs_on
from perfproof.cuda.bindings import call, driver, error_text
from perfproof.cuda.configuration import Asked, Limits, configuration, extent, node_parameters, raise_shared_limit
from perfproof.cuda.errors import CudaError
from perfproof.cuda.packing import Packing, read_packing
from perfproof.cuda.resources import Resources
from perfproof.cuda.signatures import read_signature

MOST_CONFIGURATIONS = 1024  # a grid that follows the sizes makes many
INVALID_CONTEXT, TOO_LARGE = 201, 720


class Kernel(Protocol):
    """What is launched: a kernel of a file, compiled for any architecture that is asked for."""

    name: str

    @property
    def file(self) -> Path: ...
    def architecture_for(self, capability: tuple[int, int]) -> str: ...
    def compiled_for(self, architecture: str) -> tuple[bytes, str, Resources]: ...


@dataclass(frozen=True)
class Launched:
    """A kernel as it was launched, and how much of a multiprocessor that fills."""

    kernel: str
    resources: Resources
    block: tuple[int, int, int]
    dynamic_shared: int
    blocks_per_sm: int
    occupancy: float


class Launcher:
    """One kernel on every device that it is launched on."""

    def __init__(self, kernel: Kernel):
        if not torch.cuda.is_available():
            raise CudaError(f"{kernel.file.name}: {kernel.name} needs a GPU to run, and torch sees none here")
        torch.cuda.init()
        self._kernel = kernel
        self._loaded: dict[int, Loaded] = {}
        self._lock = threading.Lock()
        self._device = torch._C._cuda_getDevice

    def launch(self, arguments: tuple, asked: tuple) -> None:
        loaded = self._loaded.get(self._device()) or self._load()
        loaded.launch(arguments, asked)

    def as_node(self, arguments: tuple, asked: tuple, use: Callable[[Any], Any]) -> Any:
        return (self._loaded.get(self._device()) or self._load()).as_node(arguments, asked, use)

    def resident_blocks(self, block: Any, shared: int) -> int:
        return (self._loaded.get(self._device()) or self._load()).resident_blocks(block, shared)

    def launched(self) -> list[Launched]:
        return [one for loaded in self._loaded.values() for one in loaded.launched()]

    def resources(self) -> Resources:
        loaded = self._loaded.get(self._device()) or self._load()
        return replace(loaded.compiled, max_threads=loaded.limits.threads)

    def _load(self) -> "Loaded":
        with self._lock:
            device = self._device()
            if device not in self._loaded:
                self._loaded[device] = Loaded(self._kernel, device)
            return self._loaded[device]


class Loaded:
    """One kernel on one device."""

    def __init__(self, kernel: Kernel, device: int):
        capability = torch.cuda.get_device_capability(device)
        architecture = kernel.architecture_for(capability)
        if not runs_on(architecture, capability):
            here = of_capability(capability).rstrip("a")
            raise CudaError(f"{kernel.file.name} needs {architecture}; cuda:{device} is {here}")
        cubin, lowered, self.compiled = kernel.compiled_for(architecture)
        self.name, self.label = kernel.name, f"{kernel.file.name}: {kernel.name}"
        self._device = device
        self._function = self._load(cubin, lowered)
        self.limits = Limits.of(self._function, device, self.compiled)
        self._fill(read_packing(self.label, read_signature(lowered), self._parameters(), device))
        self._configurations: dict[tuple, tuple[Any, Asked]] = {}
        self._lock = threading.Lock()
        self._raw_stream, self._stream = 0, driver().CUstream(0)
        self._current_stream = torch._C._cuda_getCurrentRawStream
        self._launch = driver().cuLaunchKernelEx

    def launch(self, arguments: tuple, asked: tuple) -> None:
        values = self._packing.values(arguments)
        try:
            config = self._configurations[asked][0]
        except (KeyError, TypeError):
            config = self._configure(asked)
        raw = self._current_stream(self._device)
        with self._lock:  # the buffer is read by the driver before the launch returns
            self._pack(values)
            if raw != self._raw_stream:
                self._raw_stream, self._stream = raw, driver().CUstream(raw)
            config.hStream = self._stream
            (status,) = self._launch(config, self._function, self._places, 0)
            if status == INVALID_CONTEXT:  # a thread that has not used this device yet
                make_current(self._device)
                (status,) = self._launch(config, self._function, self._places, 0)
        if status != 0:
            raise self._failure(status, self._configurations[asked][1])

    def as_node(self, arguments: tuple, asked: tuple, use: Callable[[Any], Any]) -> Any:
        """What `use` makes of the launch as parameters of a graph's node; the driver copies them before it returns."""
        values = self._packing.values(arguments)
        if asked not in self._configurations:
            self._configure(asked)
        wanted = self._configurations[asked][1]
        with self._lock:
            self._pack(values)
            return use(node_parameters(self._function, wanted, self._places))

    def resident_blocks(self, block: Any, shared: int) -> int:
        each = self._blocks_per_sm(math.prod(extent("block", block, self.label)), int(shared))
        return each * torch.cuda.get_device_properties(self._device).multi_processor_count

    def launched(self) -> list[Launched]:
        """Each block size and amount of shared memory that was asked for, once."""
        most = torch.cuda.get_device_properties(self._device).max_threads_per_multi_processor
        found = []
        for block, shared in dict.fromkeys((asked.block, asked.shared) for _, asked in self._configurations.values()):
            threads = math.prod(block)
            each = self._blocks_per_sm(threads, shared)
            found.append(Launched(self.name, self.compiled, block, shared, each, each * threads / most))
        return found

    def _blocks_per_sm(self, threads: int, dynamic: int) -> int:
        raise_shared_limit(self._function, dynamic, self.limits, self.label)
        what = f"{self.label}: occupancy"
        return call(what, driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(self._function, threads, dynamic))

    def _load(self, cubin: bytes, lowered: str) -> Any:
        api = driver()
        make_current(self._device)
        self._module = call(f"{self.label}: the binary cannot be loaded", api.cuModuleLoadData(cubin))
        return call(f"{self.label}: not in its binary", api.cuModuleGetFunction(self._module, lowered.encode()))

    def _parameters(self) -> list[tuple[int, int]]:
        """Offset and size of each parameter; the driver says when there are no more."""
        found: list[tuple[int, int]] = []
        while True:
            status, *place = driver().cuFuncGetParamInfo(self._function, len(found))
            if int(status) != 0:
                return found
            found.append((int(place[0]), int(place[1])))

    def _fill(self, packing: Packing) -> None:
        """Make the buffer that arguments are packed into, and the list of addresses that the driver reads."""
        self._packing = packing
        layout = struct.Struct(packing.format)
        self._pack_into = layout.pack_into
        self._buffer = ctypes.create_string_buffer(max(1, layout.size))
        start = ctypes.addressof(self._buffer)
        addresses = [start + offset for offset in packing.offsets]
        self._addresses = (ctypes.c_void_p * max(1, len(addresses)))(*addresses)
        self._places = ctypes.addressof(self._addresses)

    def _pack(self, values: Any) -> None:
        try:
            self._pack_into(self._buffer, 0, *values)
        except (struct.error, OverflowError, TypeError):
            raise self._packing.unfit(values) from None

    def _configure(self, asked: tuple) -> Any:
        wanted = Asked.read(asked, self.label)
        if len(self._configurations) >= MOST_CONFIGURATIONS:
            self._configurations.clear()
        config = configuration(self._function, wanted, self.limits, self.label)
        self._configurations[asked] = (config, wanted)
        return config

    def _failure(self, status: Any, asked: Asked) -> CudaError:
        room = ""
        if status == TOO_LARGE:
            most = self.resident_blocks(asked.block, asked.shared)
            room = f"; a cooperative launch has room for {most} blocks of that size here"
        return CudaError(f"{self.label} could not be launched: {error_text(status)} with {asked}{room}")


def make_current(device: int) -> None:
    """torch's context for this device, in a thread that has none yet."""
    api = driver()
    if int(call("the current context", api.cuCtxGetCurrent())) == 0:
        context = call(f"cuda:{device}", api.cuDevicePrimaryCtxRetain(call(f"cuda:{device}", api.cuDeviceGet(device))))
        call(f"cuda:{device}", api.cuCtxSetCurrent(context))
