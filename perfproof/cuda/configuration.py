"""A launch as the driver wants it, refused in one line where the device has not got what is asked."""

import math
from dataclasses import dataclass
from typing import Any

from perfproof.cuda.bindings import call, driver
from perfproof.cuda.errors import CudaError
from perfproof.cuda.resources import Resources

WITHOUT_ASKING = 48 * 1024  # bytes of shared memory a block gets without the attribute
PORTABLE_CLUSTER = 8  # blocks
LARGEST_GRID = (2**31 - 1, 65_535, 65_535)


@dataclass(frozen=True)
class Asked:
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    cluster: tuple[int, int, int] | None
    cooperative: bool
    pdl: bool

    @classmethod
    def read(cls, asked: tuple, label: str) -> "Asked":
        grid, block, shared, cluster, cooperative, pdl = asked
        if not isinstance(shared, int) or shared < 0:
            raise CudaError(f"{label}: shared={shared!r}; write the bytes of dynamic shared memory as a whole number")
        blocks = None if cluster is None else extent("cluster", cluster, label)
        return cls(extent("grid", grid, label), extent("block", block, label), shared, blocks, cooperative, pdl)

    def __str__(self) -> str:
        words = [f"grid={self.grid}", f"block={self.block}", f"shared={self.shared}"]
        words += [f"cluster={self.cluster}"] if self.cluster else []
        words += [name for name in ("cooperative", "pdl") if getattr(self, name)]
        return " ".join(words)


@dataclass(frozen=True)
class Limits:
    """What one block of this kernel can have on this device."""

    device: int
    threads: int
    shared: int  # bytes, static and dynamic together
    static_shared: int
    registers: int

    @classmethod
    def of(cls, function: Any, device: int, compiled: Resources) -> "Limits":
        api = driver()
        of_function, of_device = api.CUfunction_attribute, api.CUdevice_attribute
        most = of_function.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        threads = call("threads of a block", api.cuFuncGetAttribute(most, function))
        optin = of_device.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        shared = call("shared memory of a block", api.cuDeviceGetAttribute(optin, device))
        return cls(device, threads, shared, compiled.static_shared, compiled.registers)


def extent(name: str, value: Any, label: str) -> tuple[int, int, int]:
    """`256`, `(16, 16)` as three numbers."""
    parts = (value,) if isinstance(value, int) else value
    whole = isinstance(parts, tuple) and all(isinstance(part, int) for part in parts)
    if not whole or not 1 <= len(parts) <= 3:
        raise CudaError(f"{label}: {name}={value!r}; write a whole number or a tuple of up to three")
    if min(parts) < 1:
        raise CudaError(f"{label}: {name}={value!r} is empty; every extent is at least 1")
    x, y, z = (*parts, 1, 1)[:3]
    return x, y, z


def configuration(function: Any, asked: Asked, limits: Limits, label: str) -> Any:
    """The driver's launch configuration; only its stream is set at each launch."""
    _refuse_extents(asked, limits, label)
    raise_shared_limit(function, asked.shared, limits, label)
    if asked.cluster and math.prod(asked.cluster) > PORTABLE_CLUSTER:
        _set(function, "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 1, label)
    config = driver().CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = asked.grid
    config.blockDimX, config.blockDimY, config.blockDimZ = asked.block
    config.sharedMemBytes = asked.shared
    attributes = _attributes(asked)
    if attributes:
        config.attrs, config.numAttrs = attributes, len(attributes)
    return config


def node_parameters(function: Any, asked: Asked, places: int) -> Any:
    """The same launch as a node of a graph; `places` is the address of the list of addresses of the arguments."""
    node = driver().CUDA_KERNEL_NODE_PARAMS()
    node.func = function
    node.gridDimX, node.gridDimY, node.gridDimZ = asked.grid
    node.blockDimX, node.blockDimY, node.blockDimZ = asked.block
    node.sharedMemBytes = asked.shared
    node.kernelParams = places
    return node


def raise_shared_limit(function: Any, dynamic: int, limits: Limits, label: str) -> None:
    """Above 48 KiB a kernel has to ask, and the device may not have it."""
    whole = dynamic + limits.static_shared
    if whole > limits.shared:
        parts = f" ({limits.static_shared} static, {dynamic} dynamic)" if limits.static_shared else ""
        raise CudaError(
            f"{label} asks for {whole:,} bytes of shared memory a block{parts}; "
            f"cuda:{limits.device} has {limits.shared:,}: use less"
        )
    if whole > WITHOUT_ASKING:
        room = limits.shared - limits.static_shared  # all there is: a later launch may ask for more or less
        _set(function, "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", room, label)


def _refuse_extents(asked: Asked, limits: Limits, label: str) -> None:
    threads = math.prod(asked.block)
    if threads > limits.threads:
        why = f"{limits.registers} registers a thread"
        raise CudaError(f"{label}: block={asked.block} is {threads} threads; it can have {limits.threads} ({why})")
    if any(part > most for part, most in zip(asked.grid, LARGEST_GRID, strict=True)):
        raise CudaError(f"{label}: grid={asked.grid} is larger than {LARGEST_GRID}; let a block do more")
    if asked.cluster and any(part % each for part, each in zip(asked.grid, asked.cluster, strict=True)):
        raise CudaError(f"{label}: grid={asked.grid} is no multiple of cluster={asked.cluster}; round the grid up")


def _attributes(asked: Asked) -> list[Any]:
    api = driver()
    names, found = api.CUlaunchAttributeID, []
    if asked.cooperative:
        found.append(_attribute(names.CU_LAUNCH_ATTRIBUTE_COOPERATIVE))
        found[-1].value.cooperative = 1
    if asked.cluster:
        found.append(_attribute(names.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION))
        extents = found[-1].value.clusterDim
        extents.x, extents.y, extents.z = asked.cluster
    if asked.pdl:
        found.append(_attribute(names.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION))
        found[-1].value.programmaticStreamSerializationAllowed = 1
    return found


def _attribute(name: Any) -> Any:
    attribute = driver().CUlaunchAttribute()
    attribute.id = name
    return attribute


def _set(function: Any, name: str, value: int, label: str) -> None:
    attribute = getattr(driver().CUfunction_attribute, name)
    call(f"{label}: {name}", driver().cuFuncSetAttribute(function, attribute, value))
