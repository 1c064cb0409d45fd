"""A made-up machine: kernel files in a folder, and a driver with the GPUs a test asks for."""

import sys
from types import SimpleNamespace

import pytest

from perfproof.machine import kernel_files, layout, software
from tests.machine import replay


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Write kernel files: machine("/proc/stat", "cpu 1 2"). The CPUs of `machine.allow` are allowed."""

    def write(path, text):
        file = tmp_path / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")

    def allow(*cpus):
        monkeypatch.setattr(layout, "allowed_cpus", lambda: set(cpus))

    def core(*siblings, node=0):
        for cpu in siblings:
            write(f"{layout.CPUS}/cpu{cpu}/topology/core_cpus_list", ",".join(map(str, siblings)))
            (tmp_path / f"{layout.CPUS.lstrip('/')}/cpu{cpu}/node{node}").mkdir()

    def cache(cpu, index, level, kind, size, shared):
        folder = f"{layout.CPUS}/cpu{cpu}/cache/index{index}"
        for name, text in (("level", level), ("type", kind), ("size", size), ("shared_cpu_list", shared)):
            write(f"{folder}/{name}", text)

    monkeypatch.setattr(kernel_files, "ROOT", tmp_path)
    write.allow, write.core, write.cache, write.root = allow, core, cache, tmp_path
    return write


class NVMLError(Exception):
    pass


@pytest.fixture
def driver(monkeypatch):
    """Put GPUs into a made-up NVML: driver(dict(name="NVIDIA H200", capability=(9, 0)), dict(lost="GPU is lost"))."""

    def install(*gpus, broken=None):
        def refuse(*arguments):
            raise NVMLError("Not Supported")

        def handle(index):
            if "lost" in gpus[index]:
                raise NVMLError(gpus[index]["lost"])
            return gpus[index]

        def init():
            if broken:
                raise NVMLError(broken)

        answers = {
            "nvmlInit": init,
            "nvmlShutdown": lambda: None,
            "nvmlDeviceGetCount": lambda: len(gpus),
            "nvmlSystemGetDriverVersion": lambda: b"580.1",
            "nvmlSystemGetCudaDriverVersion": lambda: 13000,
            "nvmlDeviceGetHandleByIndex": handle,
            "nvmlDeviceGetName": lambda gpu: gpu.get("name", "NVIDIA H200"),
            "nvmlDeviceGetUUID": lambda gpu: gpu.get("uuid", f"GPU-{gpus.index(gpu)}"),
            "nvmlDeviceGetCudaComputeCapability": lambda gpu: gpu.get("capability", (9, 0)),
            "nvmlDeviceGetMemoryInfo": lambda gpu: SimpleNamespace(total=150_000_000_000, used=0),
            "nvmlDeviceGetClockInfo": lambda gpu, kind: 345,
            "nvmlDeviceGetMaxClockInfo": lambda gpu, kind: 1980,
            "nvmlDeviceGetEnforcedPowerLimit": lambda gpu: 700_000,
            "nvmlDeviceGetTemperature": lambda gpu, kind: 30,
            "nvmlDeviceGetEccMode": lambda gpu: [1, 1],
            "nvmlDeviceGetMigMode": refuse,
            "nvmlDeviceGetPersistenceMode": lambda gpu: 1,
            "nvmlDeviceGetCurrentClocksEventReasons": lambda gpu: gpu.get("reasons", 0x1),
            "nvmlDeviceGetComputeRunningProcesses": lambda gpu: [
                SimpleNamespace(pid=pid, usedGpuMemory=1024) for pid in gpu.get("pids", ())
            ],
        }
        fake = SimpleNamespace(
            **answers, NVMLError=NVMLError, NVML_CLOCK_SM=1, NVML_CLOCK_MEM=2, NVML_TEMPERATURE_GPU=0
        )
        monkeypatch.setitem(sys.modules, "pynvml", fake)
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        monkeypatch.setattr(software, "torch_build", lambda: {"cuda": "13.0", "hip": None})

    return install


@pytest.fixture
def recorded_driver(monkeypatch):
    """Play back a recorded NVML: recorded_driver("nvml_h200.json")."""

    def install(name):
        monkeypatch.setitem(sys.modules, "pynvml", replay.Nvml(name))
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
        monkeypatch.setattr(software, "torch_build", lambda: {"cuda": "13.0", "hip": None})

    return install


@pytest.fixture
def recorded_machine(machine, monkeypatch):
    """Put the kernel files of a recorded machine in place of ours: recorded_machine("vm_2_cores.txt", cpus=[0, 1])."""

    def install(name, cpus):
        replay.unpack(name, machine.root)
        machine.allow(*cpus)
        return machine

    return install
