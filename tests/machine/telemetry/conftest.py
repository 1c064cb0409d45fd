"""A driver with telemetry, and telemetry files written by hand."""

import json
from types import SimpleNamespace

import pytest


class NVMLError(Exception):
    pass


class FakeNvml:
    """Written after NVML's reference (not recorded): an idle H200 that gives everything but what `missing` names."""

    NVMLError = NVMLError
    NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU = 1, 2, 0

    NVML_GPM_METRICS_GET_VERSION = 1

    def __init__(self, count=1, missing=(), fields=None, lost=(), gpm=None):
        """`gpm`: a metric's number -> what it gives, NVML's error code if it is a text; None is an older GPU."""
        self.count, self.missing, self.lost, self.calls = count, set(missing), lost, []
        self.gpm, self.samples = gpm, 0
        self.fields = {186: (1, 75_500), 83: (3, 9_000_000), 138: (3, 2), 139: (3, 4)} if fields is None else fields

    def __getattribute__(self, name):
        if name.startswith("nvml") and name in object.__getattribute__(self, "missing"):

            def refuse(*_):
                raise NVMLError("Not Supported")

            return refuse
        return object.__getattribute__(self, name)

    def nvmlInit(self):
        pass

    def nvmlDeviceGetCount(self):
        return self.count

    def nvmlDeviceGetHandleByIndex(self, index):
        if index >= self.count:
            raise NVMLError("Invalid Argument")
        if index in self.lost:
            raise NVMLError("GPU is lost")
        return index

    def nvmlDeviceGetName(self, gpu):
        return "NVIDIA H200"

    def nvmlDeviceGetClockInfo(self, gpu, kind):
        return {1: 345, 2: 3201}[kind]

    def nvmlDeviceGetCurrentClocksEventReasons(self, gpu):
        return 0x1

    def nvmlDeviceGetTemperature(self, gpu, kind):
        return 31

    def nvmlDeviceGetUtilizationRates(self, gpu):
        return SimpleNamespace(gpu=25, memory=0)

    def nvmlDeviceGetMemoryInfo(self, gpu):
        return SimpleNamespace(used=4 << 20, total=150_000_000_000)

    def nvmlDeviceGetPowerUsage(self, gpu):
        return 76_000

    def nvmlDeviceGetTotalEnergyConsumption(self, gpu):
        return 8_000_000

    def nvmlDeviceGetPcieThroughput(self, gpu, which):
        self.calls.append((gpu, which))
        return 500 + which

    def nvmlDeviceGetFieldValues(self, gpu, ids):
        self.calls.append(tuple(ids))
        return [self._field(number) for number, _ in ids]

    def nvmlGpmQueryDeviceSupport(self, gpu):
        return SimpleNamespace(isSupportedDevice=int(self.gpm is not None))

    def nvmlGpmSampleAlloc(self):
        return SimpleNamespace(number=0)

    def nvmlGpmSampleGet(self, gpu, sample):
        if self.gpm == "refused":
            raise NVMLError("Insufficient Permissions")
        self.samples += 1
        sample.number = self.samples

    def c_nvmlGpmMetricsGet_t(self):
        metrics = [SimpleNamespace(metricId=0, nvmlReturn=0, value=0.0) for _ in range(20)]
        return SimpleNamespace(version=0, numMetrics=0, sample1=None, sample2=None, metrics=metrics)

    def nvmlGpmMetricsGet(self, wanted):
        assert wanted.version == 1 and wanted.sample1.number < wanted.sample2.number, "the older sample comes first"
        for one in wanted.metrics[: wanted.numMetrics]:
            one.value = self.gpm.get(one.metricId, "not supported")
            one.nvmlReturn, one.value = (3, 0.0) if isinstance(one.value, str) else (0, one.value)
        self.calls.append(("gpm", wanted.sample1.number, wanted.sample2.number))

    def _field(self, number):
        kind, value = self.fields.get(number, (0, None))
        names = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")
        given = SimpleNamespace(**{name: value if place == kind else -1 for place, name in enumerate(names)})
        return SimpleNamespace(valueType=kind, nvmlReturn=0 if value is not None else 3, value=given)


@pytest.fixture
def fake_nvml(monkeypatch):
    def install(**options):
        fake = FakeNvml(**options)
        monkeypatch.setitem(__import__("sys").modules, "pynvml", fake)
        return fake

    return install


START = 1_000_000_000_000
GPU = [
    {"name": "sm_mhz", "kind": "gauge", "unit": "MHz"},
    {"name": "event_reasons", "kind": "mask"},
    {"name": "energy_joules", "kind": "counter", "unit": "J"},
]
HOST = [{"name": "cpu_seconds", "kind": "counter", "unit": "s", "rate": "cpus_in_use", "rate_unit": "CPUs"}]


@pytest.fixture
def telemetry_file(tmp_path):
    """telemetry_file([0, 0, 1980, 1, 10.0], ...): rows of gpu0 (group 0) and host (group 1), times in microseconds."""

    def write(*rows, tail="", **header):
        head = {
            "schema_version": 1,
            "clock": "clock_gettime(CLOCK_MONOTONIC)",
            "start_ns": START,
            "started": "2026-11-15T12:00:00Z",
            "hz": 20,
            "cpus": 2,
            "groups": [{"source": "gpu0", "columns": GPU}, {"source": "host", "columns": HOST}],
        }
        path = tmp_path / "telemetry.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in ({**head, **header}, *rows)) + tail)
        return path

    return write
