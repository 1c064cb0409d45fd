"""What went wrong on a GPU since it was started: ECC errors, remapped rows, retired pages, replays on the bus, NVLink.

NVML gives each on its own; what this GPU or these permissions do not give is "unknown: why".
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any


def health() -> list[dict[str, Any] | str]:
    """One dict a GPU, or why there is none, in the driver's order; empty without a driver."""
    import pynvml as nvml

    try:
        nvml.nvmlInit()
    except nvml.NVMLError:
        return []
    try:
        return [_of_number(nvml, at) for at in range(nvml.nvmlDeviceGetCount())]
    finally:
        with suppress(nvml.NVMLError):
            nvml.nvmlShutdown()


def _of_number(nvml: Any, number: int) -> dict[str, Any] | str:
    try:
        return _health(nvml, nvml.nvmlDeviceGetHandleByIndex(number))
    except nvml.NVMLError as error:  # lost since it was counted
        return f"unknown: {error}"


def _health(nvml: Any, handle: Any) -> dict[str, Any]:
    def field(read: Callable[[], Any]) -> Any:
        try:
            return read()
        except (nvml.NVMLError, AttributeError) as error:
            return f"unknown: {error}"

    def ecc(kind: int) -> Any:
        return field(lambda: nvml.nvmlDeviceGetTotalEccErrors(handle, kind, nvml.NVML_VOLATILE_ECC))

    remapped = field(lambda: list(nvml.nvmlDeviceGetRemappedRows(handle)))
    names = ("correctable", "uncorrectable", "pending", "failed")
    return {
        "ecc_corrected": ecc(nvml.NVML_MEMORY_ERROR_TYPE_CORRECTED),
        "ecc_uncorrected": ecc(nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED),
        "remapped_rows": dict(zip(names, remapped, strict=False)) if isinstance(remapped, list) else remapped,
        "retired_pages": field(
            lambda: len(nvml.nvmlDeviceGetRetiredPages(handle, nvml.NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR))
        ),
        "pcie_replays": field(lambda: nvml.nvmlDeviceGetPcieReplayCounter(handle)),
        "bar1_bytes": field(lambda: nvml.nvmlDeviceGetBAR1MemoryInfo(handle).bar1Total),
        "energy_joules": field(lambda: nvml.nvmlDeviceGetTotalEnergyConsumption(handle) / 1000),
        "nvlink_errors": field(lambda: _nvlink_errors(nvml, handle)),
    }


def _nvlink_errors(nvml: Any, handle: Any) -> dict[str, int]:
    """The error counters of active links that are not zero."""
    kinds = {"replay": 0, "recovery": 1, "crc_flit": 2, "crc_data": 3}
    found = {}
    for link in range(getattr(nvml, "NVML_NVLINK_MAX_LINKS", 18)):
        with suppress(nvml.NVMLError):
            if not nvml.nvmlDeviceGetNvLinkState(handle, link):
                continue
            for name, kind in kinds.items():
                with suppress(nvml.NVMLError):
                    if count := nvml.nvmlDeviceGetNvLinkErrorCounter(handle, link, kind):
                        found[f"link {link} {name}"] = int(count)
    return found
