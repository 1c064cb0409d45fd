"""Readings of GPUs through NVML, sorted by what they cost.

At every tick: event reasons, the SM clock and the power of that moment, so that no throttling is missed. Twice a
second: what changes slowly. Every few seconds: energy, a counter of the card's own processor; it takes 3.4 ms of CPU
time where the others take 0.05 to 0.1 (one H200, `benchmarks/sampler_cost.py --calls`). NVML watches the PCIe bus for
20 ms in each call, so those calls are made one at a time, in turn. (Its field of PCIe bytes is a count of 32 bits: at
the speed of the bus it comes round between two readings, so it is not used.) GPUs with GPM (`gpm.py`) give the traffic
as a mean, with the activity of their parts, and need no such call.
"""

from collections.abc import Callable, Iterable
from typing import Any

from perfproof.machine.telemetry import columns
from perfproof.machine.telemetry.columns import Column, Group, Part, Value, together
from perfproof.machine.telemetry.gpm import Gpm

ENERGY_FIELD, POWER_FIELD = 83, 186  # NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION (mJ), _POWER_INSTANT (mW)
NVLINK_FIELDS = {"nvlink_sent": 138, "nvlink_received": 139}  # NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX, _RX: total KiB
PCIE_COUNTERS = {"pcie_sent": 0, "pcie_received": 1}  # NVML_PCIE_UTIL_TX_BYTES, _RX_BYTES
ALL_LINKS = 0xFFFFFFFF  # the scope that sums over the links of a GPU
VALUES = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")  # by NVML's value type
NO_GPU = "the NVIDIA driver lists no GPU"
PER_SECOND = 2
GPM_PER_SECOND = 5
SHARE = 0.0005  # of a core, for each group that isn't read at every tick: a dearer one is read more seldom


def open_gpus(indices: Iterable[int] | None, hz: float) -> tuple[list[Group], dict[str, str], list[dict[str, Any]]]:
    """Groups of these GPUs (None is all), why readings are missing, and what the GPUs are.

    One that fell off the bus is missing with its reason; the others are read.
    """
    try:
        import pynvml as nvml
    except ImportError:
        return [], {"gpu": "nvidia-ml-py is not installed"}, []
    try:
        nvml.nvmlInit()
        chosen = range(nvml.nvmlDeviceGetCount()) if indices is None else indices
    except nvml.NVMLError as error:
        return [], {"gpu": f"the NVIDIA driver does not answer ({error})"}, []
    gpus, lost = _opened(nvml, chosen)
    if not gpus:
        why = f"the NVIDIA driver does not answer ({next(iter(lost.values()))})" if lost else NO_GPU
        return [], {"gpu": why}, []
    groups = [group for gpu in gpus for group in gpu.groups(hz)] + _in_turn(gpus, hz)
    unknown = {name: why for gpu in gpus for name, why in gpu.unknown.items()}
    unknown |= {f"gpu{index}": why for index, why in lost.items()}
    about = [gpu.about for gpu in gpus] + [{"index": index, "name": f"unknown: {why}"} for index, why in lost.items()]
    return groups, unknown, sorted(about, key=lambda one: one["index"])


def _opened(nvml: Any, indices: Iterable[int]) -> tuple[list["Gpu"], dict[int, str]]:
    """Those that answer, and why the others do not."""
    gpus, lost = [], {}
    for index in indices:
        try:
            gpus.append(Gpu(nvml, index))
        except nvml.NVMLError as error:
            lost[index] = str(error)
    return gpus, lost


class Gpu:
    """The readings of one GPU. A column that it doesn't give at the first try is left out and noted in `unknown`."""

    def __init__(self, nvml: Any, index: int) -> None:
        self.nvml, self.source = nvml, f"gpu{index}"
        self.handle = nvml.nvmlDeviceGetHandleByIndex(index)
        self.unknown: dict[str, str] = {}
        name = nvml.nvmlDeviceGetName(self.handle)
        self.gpm = Gpm(nvml, self.handle)
        self.about = {"index": index, "name": name.decode() if isinstance(name, bytes) else name}

    def groups(self, hz: float) -> list[Group]:
        found = [
            together(self.source, self.each_tick()),
            together(self.source, self.seldom(), max(1, round(hz / PER_SECOND)), SHARE),
            together(self.source, self.activity(), max(1, round(hz / GPM_PER_SECOND)), SHARE),
            together(self.source, self.dear(), max(1, round(hz)), SHARE),
        ]
        return [group for group in found if group.columns]

    def each_tick(self) -> list[Part]:
        clock = self.call(columns.SM_MHZ, lambda: self._ask("nvmlDeviceGetClockInfo", self.nvml.NVML_CLOCK_SM))
        calls = [self.call(columns.EVENT_REASONS, self._event_reasons), clock]
        power = columns.POWER_WATTS
        now = Fields(self, [(power, POWER_FIELD, 0, 1e-3)])  # the power of now; the plain call has the mean of a second
        if power not in now.columns:
            calls.append(self.call(power, lambda: self._ask("nvmlDeviceGetPowerUsage") / 1000))
        return [now, *filter(None, calls)]

    def seldom(self) -> list[Part]:
        ask = self._ask
        calls = [
            self.call(columns.MEMORY_MHZ, lambda: ask("nvmlDeviceGetClockInfo", self.nvml.NVML_CLOCK_MEM)),
            self.call(columns.TEMPERATURE, lambda: ask("nvmlDeviceGetTemperature", self.nvml.NVML_TEMPERATURE_GPU)),
            self.call(columns.BUSY, lambda: ask("nvmlDeviceGetUtilizationRates").gpu / 100),
            self.call(columns.GPU_MEMORY, lambda: ask("nvmlDeviceGetMemoryInfo").used),
        ]
        links = Fields(self, [(_nvlink(name), field, ALL_LINKS, 1024) for name, field in NVLINK_FIELDS.items()])
        self.gpm.without({column.rate for column in links.columns})  # a counter is exact
        given = {column.name for column in self.gpm.columns}
        for name in NVLINK_FIELDS:
            if _nvlink(name) not in links.columns and _nvlink(name).rate not in given:
                self.unknown[f"{self.source}.{_nvlink(name).name}"] = "this GPU shows no NVLink traffic"
        return [links, *filter(None, calls)]

    def activity(self) -> list[Part]:
        if self.gpm.why:
            self.unknown[f"{self.source}.{columns.SM_ACTIVE.name}"] = self.gpm.why
        return [self.gpm] if self.gpm.columns else []

    def dear(self) -> list[Part]:
        energy = columns.GPU_ENERGY
        found = Fields(self, [(energy, ENERGY_FIELD, 0, 1e-3)])
        if energy in found.columns:
            return [found]
        call = self.call(energy, lambda: self._ask("nvmlDeviceGetTotalEnergyConsumption") / 1000)
        return [call] if call else []

    def pcie(self) -> list[Part]:
        """One part for each direction. NVML gives kilobytes a second."""

        def watch(which: int) -> Callable[[], Value]:
            return lambda: self._ask("nvmlDeviceGetPcieThroughput", which) * 1000

        given = {column.name for column in self.gpm.columns}
        wanted = {name: which for name, which in PCIE_COUNTERS.items() if columns.pcie(name).name not in given}
        calls = [self.call(columns.pcie(name), watch(which)) for name, which in wanted.items()]
        return list(filter(None, calls))

    def call(self, column: Column, read: Callable[[], Value]) -> "Call | None":
        try:
            read()
        except (self.nvml.NVMLError, AttributeError) as error:
            self.unknown[f"{self.source}.{column.name}"] = str(error)
            return None
        return Call(self.nvml, column, read)

    def _ask(self, function: str, *arguments: Any) -> Any:
        return getattr(self.nvml, function)(self.handle, *arguments)

    def _event_reasons(self) -> int:
        new = hasattr(self.nvml, "nvmlDeviceGetCurrentClocksEventReasons")
        return self._ask(f"nvmlDeviceGetCurrentClocks{'Event' if new else 'Throttle'}Reasons")


class Call:
    """One column by one function of NVML."""

    def __init__(self, nvml: Any, column: Column, read: Callable[[], Value]) -> None:
        self.columns: tuple[Column, ...] = (column,)
        self.nvml, self.one = nvml, read

    def read(self) -> list[Value]:
        try:
            return [self.one()]
        except self.nvml.NVMLError:
            return [None]


class Fields:
    """Columns that one call of NVML reads together: those of (column, field, scope, scale) that this GPU has."""

    def __init__(self, gpu: Gpu, wanted: list[tuple[Column, int, int, float]]) -> None:
        self.gpu = gpu
        tried = zip(wanted, self._values([one[1:3] for one in wanted]), strict=True)
        given = [one for one, value in tried if value is not None]
        self.columns: tuple[Column, ...] = tuple(one[0] for one in given)
        self.ids, self.scales = [one[1:3] for one in given], [one[3] for one in given]

    def read(self) -> list[Value]:
        values = self._values(self.ids)
        return [None if v is None else v * scale for v, scale in zip(values, self.scales, strict=True)]

    def _values(self, ids: list[tuple[int, int]]) -> list[Value]:
        nvml = self.gpu.nvml
        if not ids:
            return []
        try:
            found = nvml.nvmlDeviceGetFieldValues(self.gpu.handle, ids)
        except (nvml.NVMLError, AttributeError):
            return [None] * len(ids)
        return [None if one.nvmlReturn else getattr(one.value, VALUES[one.valueType]) for one in found]


def _in_turn(gpus: list[Gpu], hz: float) -> list[Group]:
    """Calls that take 20 ms: one a second, so that a direction of a GPU comes round every 2 x GPUs seconds."""
    second = max(1, round(hz))
    turns = [(gpu.source, part) for gpu in gpus for part in gpu.pcie()]
    return [
        together(source, [part], second * len(turns), SHARE, first=second * place)
        for place, (source, part) in enumerate(turns)
    ]


def _nvlink(name: str) -> Column:
    return columns.traffic(name, "payload over all NVLinks of the GPU")
