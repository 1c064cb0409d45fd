"""Activity of a GPU's parts through NVML's GPU performance monitoring (GPM): Hopper and newer, no permission needed.

A value is the mean between two samples of the GPU's own counters, here since the last reading: nothing is missed
between readings, and the mean over a run is the mean of its readings. NVML gives per cent and MiB per second (nvml.h).
"""

import time
from typing import Any

from perfproof.machine.telemetry import columns
from perfproof.machine.telemetry.columns import Column, Value

MiB = 1 << 20
PER_CENT = 0.01
METRICS: tuple[tuple[Column, int, float], ...] = (  # a column, NVML_GPM_METRIC_..., and what one of its units is
    (columns.SM_ACTIVE, 2, PER_CENT),
    (columns.TENSOR_ACTIVE, 5, PER_CENT),
    (columns.DRAM_ACTIVE, 10, PER_CENT),
    (columns.pcie("pcie_sent", "since the last reading"), 20, MiB),
    (columns.pcie("pcie_received", "since the last reading"), 21, MiB),
    (columns.nvlink_rate("nvlink_received"), 60, MiB),
    (columns.nvlink_rate("nvlink_sent"), 61, MiB),
)
FIRST_WINDOW_SECONDS = 0.1  # what NVML's documentation asks for between two samples
ABSENT = "this GPU or driver has no GPM: Hopper and newer have it"


class Gpm:
    """The columns of METRICS that this GPU gives; `why` says why there are none."""

    def __init__(self, nvml: Any, handle: Any) -> None:
        self.nvml, self.handle, self.why = nvml, handle, ""
        self._metrics: list[tuple[Column, int, float]] = list(METRICS)
        try:
            if not nvml.nvmlGpmQueryDeviceSupport(handle).isSupportedDevice:
                raise nvml.NVMLError(ABSENT)
            self._last, self._next = nvml.nvmlGpmSampleAlloc(), nvml.nvmlGpmSampleAlloc()
            nvml.nvmlGpmSampleGet(handle, self._last)
            time.sleep(FIRST_WINDOW_SECONDS)
            found = zip(METRICS, self._values(), strict=True)
            self._metrics = [metric for metric, value in found if value is not None]
        except (nvml.NVMLError, AttributeError) as error:
            self._metrics, self.why = [], ABSENT if isinstance(error, AttributeError) else str(error)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for column, _, _ in self._metrics)

    def without(self, names: set[str]) -> "Gpm":
        """Leave out what another source reads better."""
        self._metrics = [metric for metric in self._metrics if metric[0].name not in names]
        return self

    def read(self) -> list[Value]:
        try:
            return self._values()
        except self.nvml.NVMLError:
            return [None] * len(self._metrics)

    def _values(self) -> list[Value]:
        """Sample, and compare with the sample before. A sample that fails leaves the one before in place."""
        nvml = self.nvml
        nvml.nvmlGpmSampleGet(self.handle, self._next)
        wanted = nvml.c_nvmlGpmMetricsGet_t()
        wanted.version, wanted.numMetrics = nvml.NVML_GPM_METRICS_GET_VERSION, len(self._metrics)
        wanted.sample1, wanted.sample2 = self._last, self._next
        for place, (_, number, _) in enumerate(self._metrics):
            wanted.metrics[place].metricId = number
        nvml.nvmlGpmMetricsGet(wanted)
        self._last, self._next = self._next, self._last
        given = [wanted.metrics[place] for place in range(len(self._metrics))]
        return [
            None if one.nvmlReturn or one.value != one.value else one.value * unit  # a NaN is no reading
            for one, (_, _, unit) in zip(given, self._metrics, strict=True)
        ]
