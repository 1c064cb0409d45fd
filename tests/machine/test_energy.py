"""Energy counters: NVML's, made up after its reference, and RAPL's, from files laid out as Linux has them."""

import sys

import pytest

from perfproof.machine import energy
from perfproof.machine.energy import GpuEnergy, HostEnergy

RANGE = 262_143_328_850  # max_energy_range_uj of a Xeon


@pytest.fixture
def rapl(machine):
    def write(domain, name, microjoules, limit=RANGE):
        folder = f"{energy.POWERCAP}/{domain}"
        machine(f"{folder}/name", name)
        machine(f"{folder}/energy_uj", microjoules)
        if limit is not None:
            machine(f"{folder}/max_energy_range_uj", limit)

    return write


def counters(driver, values, uuids=("GPU-a",)):
    """NVML with these totals in millijoules; a GPU of the driver fixture is its own handle."""
    driver(*({"uuid": uuid} for uuid in uuids))
    fake, left = sys.modules["pynvml"], iter(values)

    def total(handle):
        value = next(left)
        if isinstance(value, Exception):
            raise value
        return value

    def by_uuid(uuid):
        if uuid not in uuids:
            raise fake.NVMLError("Not Found")
        return {"uuid": uuid}

    fake.nvmlDeviceGetTotalEnergyConsumption, fake.nvmlDeviceGetHandleByUUID = total, by_uuid
    return fake


def test_a_gpu_counter_in_millijoules_is_read_as_joules(driver):
    counters(driver, [5_000, 705_000])
    gpu = GpuEnergy(0)
    assert (gpu.joules(), gpu.joules(), gpu.why) == (5.0, 705.0, "")


@pytest.mark.parametrize("uuid", ["GPU-a", "a"])
def test_a_gpu_is_found_by_its_uuid_as_the_driver_or_as_torch_writes_it(driver, uuid):
    counters(driver, [1_000])
    assert GpuEnergy(uuid).joules() == 1.0


def test_an_unknown_gpu_is_none_with_the_reason(driver):
    counters(driver, [])
    gpu = GpuEnergy("GPU-other")
    assert gpu.joules() is None
    assert gpu.why == "the NVIDIA driver does not give GPU GPU-other (Not Found)"


def test_a_gpu_without_a_counter_is_none_with_the_reason(driver):
    fake = counters(driver, [])
    fake.nvmlDeviceGetTotalEnergyConsumption = lambda handle: (_ for _ in ()).throw(fake.NVMLError("Not Supported"))
    gpu = GpuEnergy(0)
    assert gpu.joules() is None
    assert gpu.why == "GPU 0 gives no energy counter (Not Supported)"


def test_without_a_driver_or_the_library_the_reason_is_said(driver, monkeypatch):
    driver(broken="Driver Not Loaded")
    gpu = GpuEnergy(0)
    assert gpu.joules() is None and "Driver Not Loaded" in gpu.why
    monkeypatch.setitem(sys.modules, "pynvml", None)
    gpu = GpuEnergy(0)
    assert gpu.joules() is None and gpu.why == "nvidia-ml-py is not installed"


def test_nvml_is_not_started_before_the_first_reading(driver):
    fake = counters(driver, [1_000])
    started = []
    fake.nvmlInit = lambda: started.append(1)
    gpu = GpuEnergy(0)
    assert not started
    gpu.joules()
    assert started == [1]


def test_packages_are_summed_and_their_parts_are_not_counted_twice(rapl):
    rapl("intel-rapl:0", "package-0", 10_000_000)
    rapl("intel-rapl:0:0", "core", 7_000_000)
    rapl("intel-rapl:0:1", "dram", 3_000_000)
    rapl("intel-rapl:1", "package-1", 20_000_000)
    rapl("intel-rapl:2", "psys", 90_000_000)
    rapl("intel-rapl-mmio:0", "package-0", 10_000_000)
    host = HostEnergy()
    assert host.joules() == 0
    rapl("intel-rapl:0", "package-0", 11_500_000)
    rapl("intel-rapl:1", "package-1", 20_500_000)
    rapl("intel-rapl:0:0", "core", 8_000_000)
    assert host.joules() == 2.0


def test_a_counter_that_starts_again_goes_on(rapl):
    rapl("intel-rapl:0", "package-0", RANGE - 999_999)
    host = HostEnergy()
    host.joules()
    rapl("intel-rapl:0", "package-0", 2_000_000)
    assert host.joules() == 3.0
    rapl("intel-rapl:0", "package-0", 2_500_000)
    assert host.joules() == 3.5


def test_a_counter_that_starts_again_with_no_known_range_is_unknown(rapl):
    rapl("intel-rapl:0", "package-0", 9_000_000, limit=None)
    host = HostEnergy()
    assert host.joules() == 0
    rapl("intel-rapl:0", "package-0", 1, limit=None)
    assert host.joules() is None
    assert "its range is unknown" in host.why


def test_a_host_without_rapl_is_none_with_the_reason(machine):
    host = HostEnergy()
    assert (host.joules(), host.why) == (None, "no RAPL package in /sys/class/powercap")


@pytest.mark.parametrize(("text", "why"), [("", "not a number"), ("many", "not a number")])
def test_a_broken_counter_is_none_with_the_reason(rapl, text, why):
    rapl("intel-rapl:0", "package-0", text)
    host = HostEnergy()
    assert host.joules() is None
    assert host.why == f"/sys/class/powercap/intel-rapl:0/energy_uj: {why}"


def test_a_counter_that_only_root_may_read_says_so(rapl, monkeypatch):
    rapl("intel-rapl:0", "package-0", 1)

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    host = HostEnergy()
    assert host.joules() is None
    assert host.why.endswith("energy_uj: Permission denied; only root may read it")
