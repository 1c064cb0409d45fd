"""The GPUs, read from the driver through NVML: no CUDA context is made and torch is not imported.

Each field is read on its own; one that this GPU or these permissions do not give is "unknown: why". So is every field
of a GPU that fell off the bus: it keeps its place in the list, and the others are read.
"""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from perfproof.machine import kernel_files

UNKNOWN = "unknown: "
EVENT_REASONS = {  # bits of NVML's clocks event reasons (NVML reference, "Clocks Event Reasons")
    0x1: "idle",
    0x2: "application clocks setting",
    0x4: "software power cap",
    0x8: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
    0x100: "display clock setting",
}


@dataclass(frozen=True)
class Gpu:
    """One GPU in the driver's order."""

    index: int
    uuid: str
    capability: float | None
    details: dict[str, Any]  # what a snapshot stores

    @property
    def is_lost(self) -> bool:
        """Counted by the driver, and silent: any other tells its name."""
        return str(self.details["name"]).startswith(UNKNOWN)


@dataclass(frozen=True)
class Gpus:
    """All GPUs of the machine, or why there are none."""

    found: tuple[Gpu, ...] = ()
    driver: str | None = None
    driver_cuda: str | None = None
    why_none: str = ""


def read_gpus() -> Gpus:
    try:
        import pynvml as nvml
    except ImportError:
        return Gpus(why_none="nvidia-ml-py is not installed")
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        return Gpus(why_none=_no_answer(error))
    try:
        found = tuple(_read_gpu(nvml, index) for index in range(nvml.nvmlDeviceGetCount()))
        if found and all(gpu.is_lost for gpu in found):
            why = found[0].details["name"].removeprefix(UNKNOWN)
            return Gpus(why_none=f"the NVIDIA driver does not answer ({why})")
        return Gpus(
            found=found,
            driver=_or_none(nvml, nvml.nvmlSystemGetDriverVersion),
            driver_cuda=_cuda_version(_or_none(nvml, nvml.nvmlSystemGetCudaDriverVersion)),
            why_none="" if found else "the NVIDIA driver lists no GPU",
        )
    except nvml.NVMLError as error:
        return Gpus(why_none=f"the NVIDIA driver does not answer ({error})")
    finally:
        with suppress(nvml.NVMLError):
            nvml.nvmlShutdown()


def visible(gpus: tuple[Gpu, ...]) -> tuple[Gpu, ...]:
    """The GPUs a CUDA program sees, in its order: CUDA_VISIBLE_DEVICES is a list that ends at its first wrong entry.

    Numbers are taken in the driver's order, which is CUDA's own wherever all GPUs are of one kind. A GPU
    that is lost is none that a program can use.
    """
    gpus = tuple(gpu for gpu in gpus if not gpu.is_lost)
    asked = os.environ.get("CUDA_VISIBLE_DEVICES")
    if asked is None:
        return gpus
    seen: list[Gpu] = []
    for entry in (part.strip() for part in asked.split(",")):
        match = _find(gpus, entry)
        if match is None or match in seen:
            break
        seen.append(match)
    return tuple(seen)


def _find(gpus: tuple[Gpu, ...], entry: str) -> Gpu | None:
    if entry.isdigit():
        return gpus[int(entry)] if int(entry) < len(gpus) else None
    if entry.startswith("GPU-"):
        return next((gpu for gpu in gpus if gpu.uuid.startswith(entry)), None)
    if entry.startswith("MIG-"):  # a slice of a GPU: with one GPU it can only be of that one
        return next((gpu for gpu in gpus if gpu.uuid in entry or len(gpus) == 1), None)
    return None


def _read_gpu(nvml: Any, index: int) -> Gpu:
    handle = partial(nvml.nvmlDeviceGetHandleByIndex, index)  # asked for by each field: one that is refused is unknown

    def ask(function: str, *arguments: Any) -> Any:
        return _field(nvml, lambda: getattr(nvml, function)(handle(), *arguments))

    uuid = str(ask("nvmlDeviceGetUUID"))
    capability = _or_none(nvml, lambda: nvml.nvmlDeviceGetCudaComputeCapability(handle()))
    details = {
        "index": index,
        "name": ask("nvmlDeviceGetName"),
        "uuid_sha256": uuid if uuid.startswith(UNKNOWN) else hashlib.sha256(uuid.encode()).hexdigest()[:12],
        "capability": f"{capability[0]}.{capability[1]}" if capability else None,
        "memory_bytes": _field(nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(handle()).total),
        "memory_used_bytes": _field(nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(handle()).used),
        "clock_sm_mhz": ask("nvmlDeviceGetClockInfo", nvml.NVML_CLOCK_SM),
        "clock_sm_max_mhz": ask("nvmlDeviceGetMaxClockInfo", nvml.NVML_CLOCK_SM),
        "clock_memory_mhz": ask("nvmlDeviceGetClockInfo", nvml.NVML_CLOCK_MEM),
        "clock_memory_max_mhz": ask("nvmlDeviceGetMaxClockInfo", nvml.NVML_CLOCK_MEM),
        "power_watts": _field(nvml, lambda: nvml.nvmlDeviceGetPowerUsage(handle()) / 1000),
        "power_limit_watts": _field(nvml, lambda: nvml.nvmlDeviceGetEnforcedPowerLimit(handle()) / 1000),
        "temperature_celsius": ask("nvmlDeviceGetTemperature", nvml.NVML_TEMPERATURE_GPU),
        "utilisation_percent": _field(nvml, lambda: nvml.nvmlDeviceGetUtilizationRates(handle()).gpu),
        "pcie_generation": ask("nvmlDeviceGetCurrPcieLinkGeneration"),
        "pcie_generation_max": ask("nvmlDeviceGetMaxPcieLinkGeneration"),
        "pcie_width": ask("nvmlDeviceGetCurrPcieLinkWidth"),
        "pcie_width_max": ask("nvmlDeviceGetMaxPcieLinkWidth"),
        "pci": _field(nvml, lambda: _pci_folder(nvml, handle())),
        "ecc": _field(nvml, lambda: bool(nvml.nvmlDeviceGetEccMode(handle())[0])),
        "mig": _field(nvml, lambda: bool(nvml.nvmlDeviceGetMigMode(handle())[0])),
        "persistence": _field(nvml, lambda: bool(nvml.nvmlDeviceGetPersistenceMode(handle()))),
        "event_reasons": _field(nvml, lambda: _event_reasons(nvml, handle())),
        "compute_processes": _field(nvml, lambda: _processes(nvml, handle())),
    }
    return Gpu(index, uuid, float(f"{capability[0]}.{capability[1]}") if capability else None, details)


def _no_answer(error: Exception) -> str:
    """A driver that is loaded and refuses (permissions, a library of another version) is not an absent one."""
    loaded = kernel_files.read_text("/proc/driver/nvidia/version") is not None
    return f"the NVIDIA driver does not answer ({error})" if loaded else f"no NVIDIA driver ({error})"


def _pci_folder(nvml: Any, handle: Any) -> str:
    """The name of the GPU's folder in /sys/bus/pci/devices: NVML writes eight digits of a domain, the kernel four."""
    bus = nvml.nvmlDeviceGetPciInfo(handle).busId
    text = (bus.decode() if isinstance(bus, bytes) else str(bus)).lower()
    domain, _, rest = text.partition(":")
    return f"{domain[-4:]}:{rest}"


def _event_reasons(nvml: Any, handle: Any) -> list[str]:
    read = getattr(nvml, "nvmlDeviceGetCurrentClocksEventReasons", None)
    mask = (read or nvml.nvmlDeviceGetCurrentClocksThrottleReasons)(handle)
    return [name for bit, name in EVENT_REASONS.items() if mask & bit]


def _processes(nvml: Any, handle: Any) -> list[dict[str, Any]]:
    """Other programs that compute on this GPU: ours has no CUDA context when this is read."""
    running = nvml.nvmlDeviceGetComputeRunningProcesses(handle)
    return [{"pid": one.pid, "memory_bytes": one.usedGpuMemory} for one in running if one.pid != os.getpid()]


def _field(nvml: Any, read: Callable[[], Any]) -> Any:
    try:
        value = read()
    except (nvml.NVMLError, AttributeError) as error:
        return f"{UNKNOWN}{error}"
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _or_none(nvml: Any, read: Callable[[], Any]) -> Any:
    try:
        value = read()
    except nvml.NVMLError:
        return None
    return value.decode() if isinstance(value, bytes) else value


def _cuda_version(number: int | None) -> str | None:
    return None if number is None else f"{number // 1000}.{number % 1000 // 10}"
