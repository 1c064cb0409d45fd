"""Energy counters: what a GPU and the host's processor packages have used since they were first asked.

Only differences mean anything. NVML's counter moves in steps some tens of milliseconds apart: measure over a second or
more. What can't be read is None, and `why` says so; torch is not imported, and NVML is started by the first reading.
"""

from typing import Any

from perfproof.machine import kernel_files

POWERCAP = "/sys/class/powercap"


class GpuEnergy:
    """The cumulative counter of one GPU, by UUID (with or without "GPU-") or by its number in the driver's order."""

    def __init__(self, uuid_or_index: str | int) -> None:
        self.asked = uuid_or_index
        self.why = ""
        self._nvml: Any = None
        self._handle: Any = None

    def joules(self) -> float | None:
        """Joules since the driver was loaded; None where this GPU has no such counter."""
        if self._handle is None and not self.why:
            self._open()
        if self._handle is None:
            return None
        try:
            return self._nvml.nvmlDeviceGetTotalEnergyConsumption(self._handle) / 1000
        except (self._nvml.NVMLError, AttributeError) as error:
            self.why = f"GPU {self.asked} gives no energy counter ({error})"
            return None

    def _open(self) -> None:
        """Start NVML in this process and keep it: a reference of ours is what keeps the handle valid."""
        try:
            import pynvml as nvml
        except ImportError:
            self.why = "nvidia-ml-py is not installed"
            return
        try:
            nvml.nvmlInit()
            self._handle = _handle(nvml, self.asked)
            self._nvml = nvml
        except nvml.NVMLError as error:
            self.why = f"the NVIDIA driver does not give GPU {self.asked} ({error})"


class HostEnergy:
    """RAPL: the processor packages of this host, summed. Memory and the rest of the machine are not in it.

    The counters are narrow (a package at 200 W comes round in about 20 minutes), so ask more often than that: one
    wrap-around between two readings is seen, two look like one.
    """

    def __init__(self) -> None:
        self.packages = _packages()
        self.why = "" if self.packages else f"no RAPL package in {POWERCAP}"

    def joules(self) -> float | None:
        """Joules since the first reading of this object, which is 0; None where a package can't be read."""
        total = 0
        for package in self.packages:
            used = package.microjoules()
            if used is None:
                self.why = package.why
                return None
            total += used
        return total / 1e6 if self.packages else None


class Package:
    """One counter in microjoules that starts again at 0 after `range`."""

    def __init__(self, folder: str) -> None:
        self.folder, self.why = folder, ""
        self.range = kernel_files.read_int(f"{folder}/max_energy_range_uj")
        self.last: int | None = None
        self.total = 0

    def microjoules(self) -> int | None:
        now = self._read()
        if now is None:
            return None
        if self.last is not None:
            step = now - self.last
            if step < 0 and self.range is None:
                self.why = f"{self.folder}/energy_uj wrapped around and its range is unknown"
                return None
            self.total += step if step >= 0 else step + self.range + 1  # type: ignore[operator]
        self.last = now
        return self.total

    def _read(self) -> int | None:
        path = kernel_files.ROOT / f"{self.folder}/energy_uj".lstrip("/")
        try:
            return int(path.read_bytes())
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a number"
            remedy = "; only root may read it" if isinstance(error, PermissionError) else ""
            self.why = f"{self.folder}/energy_uj: {reason}{remedy}"
            return None


def _handle(nvml: Any, asked: str | int) -> Any:
    if isinstance(asked, int):
        return nvml.nvmlDeviceGetHandleByIndex(asked)
    uuid = asked if asked.startswith(("GPU-", "MIG-")) else f"GPU-{asked}"
    return nvml.nvmlDeviceGetHandleByUUID(uuid)


def _packages() -> list[Package]:
    """Top-level package domains: `core` and `dram` are below or beside them, `psys` holds them, `mmio` repeats them."""
    folders = [f"{POWERCAP}/{name}" for name in kernel_files.names(POWERCAP, "intel-rapl:*")]
    return [Package(one) for one in folders if (kernel_files.read_text(f"{one}/name") or "").startswith("package")]
