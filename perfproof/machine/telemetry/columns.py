"""What is sampled: the name, kind and unit of every column, and the groups in which columns are read.

This module and the readers beside it are what the sampling process imports: the standard library only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Value = int | float | None
Kind = Literal["gauge", "counter", "mask"]  # a value of this moment; a total that grows; bits


@dataclass(frozen=True)
class Column:
    """A reading. Of a counter the differences are shown, as a series named `rate`."""

    name: str
    kind: Kind
    unit: str
    about: str
    rate: str = ""
    rate_unit: str = ""


class Part(Protocol):
    """Some columns and what reads them."""

    @property
    def columns(self) -> tuple[Column, ...]: ...

    def read(self) -> list[Value]: ...


@dataclass(frozen=True)
class Group:
    """Columns that are read together, at every `every`-th tick; with a `share`, at most that of a core over time."""

    source: str  # "gpu0", "host"
    columns: tuple[Column, ...]
    read: Callable[[], list[Value]]
    every: int = 1
    share: float | None = None
    first: int = 0  # the tick at which it is read first


def together(source: str, parts: Sequence[Part], every: int = 1, share: float | None = None, first: int = 0) -> Group:
    """The parts of one source as one group: one row in the file."""

    def read() -> list[Value]:
        return [value for part in parts for value in part.read()]

    return Group(source, tuple(column for part in parts for column in part.columns), read, every, share, first)


SM_MHZ = Column("sm_mhz", "gauge", "MHz", "clock of the streaming multiprocessors")
MEMORY_MHZ = Column("memory_mhz", "gauge", "MHz", "clock of the memory")
POWER_WATTS = Column("power_watts", "gauge", "W", "power of the board")
GPU_ENERGY = Column("energy_joules", "counter", "J", "energy used since the driver was loaded")
EVENT_REASONS = Column("event_reasons", "mask", "", "why the clocks are where they are, as NVML's bits")
TEMPERATURE = Column("temperature_celsius", "gauge", "°C", "temperature of the GPU")
BUSY = Column("busy_ratio", "gauge", "", "share of time with any kernel running: not the use of the SMs")
SM_ACTIVE = Column("sm_active_ratio", "gauge", "", "share of the SMs with work, mean since the last reading")
TENSOR_ACTIVE = Column("tensor_active_ratio", "gauge", "", "use of the tensor cores, mean since the last reading")
DRAM_ACTIVE = Column("dram_active_ratio", "gauge", "", "use of the memory's bandwidth, mean since the last reading")
GPU_MEMORY = Column("memory_used_bytes", "gauge", "B", "device memory in use")

CPU_SECONDS = Column("cpu_seconds", "counter", "s", "CPU time in use over all CPUs", "cpus_in_use", "CPUs")
SWITCHES = Column("context_switches", "counter", "", "context switches", "context_switches_per_s", "1/s")
LOAD = Column("load_1m", "gauge", "", "load average of the last minute")
HOST_MEMORY = Column("memory_used_bytes", "gauge", "B", "memory that is not available to new programs")
SWAP = Column("swap_used_bytes", "gauge", "B", "swap in use")
HOST_ENERGY = Column("energy_joules", "counter", "J", "energy of the processor packages (RAPL)", "power_watts", "W")


def traffic(name: str, about: str) -> Column:
    """A counter of bytes: traffic("disk_read", ...) is disk_read_bytes, and disk_read_bytes_per_s its rate."""
    return Column(f"{name}_bytes", "counter", "B", about, f"{name}_bytes_per_s", "B/s")


def core_seconds(core: int) -> Column:
    return Column(f"core{core}_seconds", "counter", "s", "CPU time in use", f"core{core}_in_use", "CPUs")


def pcie(name: str, when: str = "during 20 ms") -> Column:
    return Column(f"{name}_bytes_per_s", "gauge", "B/s", f"traffic on the PCIe bus {when}")


def nvlink_rate(name: str) -> Column:
    return Column(f"{name}_bytes_per_s", "gauge", "B/s", "traffic over all NVLinks of the GPU since the last reading")
