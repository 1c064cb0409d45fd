"""The driver against torch: what can't run is denied with the line that fixes it, and what runs is let through."""

import pytest

from perfproof.machine import driver_needs, gpus
from perfproof.machine.probes import driver

H200 = gpus.Gpu(0, "", 9.0, {"name": "NVIDIA H200"})
RTX_5090 = gpus.Gpu(0, "", 12.0, {"name": "NVIDIA GeForce RTX 5090"})
CUDA_13 = {"cuda": "13.0", "hip": None}
TARGETS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120", "compute_120"]


def seen(*found, cuda="13.0"):
    return gpus.Gpus(found=found or (H200,), driver="580.65.06", driver_cuda=cuda)


def judge(machine, build=CUDA_13, built_for=TARGETS, on_the_bus=1, container=False):
    return driver.judge(machine, on_the_bus, build, built_for, container)


@pytest.mark.parametrize(
    ("found", "state", "why", "fix"),
    [
        (judge(seen()), "works", "CUDA 13.0", ""),
        (judge(seen(cuda="13.2")), "works", "13.2", ""),
        (judge(seen(), build={"cuda": "12.8", "hip": None}), "works", "12.8", ""),
        (judge(seen(cuda="12.10"), build={"cuda": "12.8", "hip": None}), "works", "12.10", ""),
        (judge(seen(cuda="12.8"), build={"cuda": "12.9", "hip": None}), "limited", "PTX", "nvidia-open"),
        (judge(seen(cuda="12.8")), "denied", "580.65.06 or newer", "nvidia-open"),
        (judge(seen(cuda="12.8"), container=True), "denied", "can't start CUDA", "on the host"),
        (judge(seen(), build={"cuda": None, "hip": None}), "denied", "CPU build beside 1 GPU", "--torch-backend"),
        (judge(seen(), build={"cuda": None, "hip": "7.0"}), "denied", "ROCm", "--torch-backend"),
        (judge(seen(), build={}), "absent", "not installed", "--torch-backend"),
        (judge(seen(RTX_5090), built_for=["sm_80", "sm_90"]), "denied", "no kernels", "--torch-backend"),
        (judge(seen(RTX_5090), built_for=[]), "works", "CUDA 13.0", ""),  # torch did not say: nothing is claimed
        (judge(gpus.Gpus(why_none="no NVIDIA driver (x)"), on_the_bus=0), "absent", "no NVIDIA GPU", ""),
        (judge(gpus.Gpus(why_none="no NVIDIA driver (x)"), on_the_bus=8), "denied", "8 NVIDIA GPU", "nvidia-open"),
        (judge(gpus.Gpus(why_none="no NVIDIA driver (x)"), container=True), "denied", "no driver", "--gpus all"),
        (judge(gpus.Gpus(why_none="nvidia-ml-py is not installed")), "unknown", "PCI bus", "pip install nvidia-ml-py"),
        (judge(gpus.Gpus(found=(H200,))), "unknown", "does not say", ""),
    ],
)
def test_driver_and_torch_are_judged_together(found, state, why, fix):
    assert found.state == state
    assert why in found.why
    assert fix in found.fix if fix else not found.fix


@pytest.mark.parametrize(
    ("capability", "built_for", "runs"),
    [
        (8.9, ["sm_80"], True),
        (8.0, ["sm_86"], False),
        (9.0, ["sm_90a"], True),
        (10.3, ["sm_100a"], False),
        (10.3, ["sm_100"], True),
        (12.0, ["sm_90", "compute_90"], True),
        (9.0, ["compute_100"], False),
        (12.1, ["compute_100f"], False),
        (9.0, ["gfx942", "", "sm_"], False),
    ],
)
def test_a_build_runs_where_its_targets_allow(capability, built_for, runs):
    assert driver_needs.has_kernels(capability, built_for) is runs


def test_gpus_are_counted_on_the_bus_without_a_driver(machine):
    assert driver_needs.gpus_on_the_bus() == 0
    devices = {"0000:18:00.0": ("0x10de", "0x030200"), "0000:00:02.0": ("0x8086", "0x030000")}
    devices |= {"0000:07:00.0": ("0x10de", "0x068000"), "0000:2a:00.0": ("0x10de", "0x030000")}  # a switch, a display
    for folder, (vendor, kind) in devices.items():
        machine(f"{driver_needs.PCI}/{folder}/vendor", vendor)
        machine(f"{driver_needs.PCI}/{folder}/class", kind)
    assert driver_needs.gpus_on_the_bus() == 2


def test_the_lines_are_those_of_this_systems_package_manager(monkeypatch):
    from perfproof.machine import distribution, software, tool_version

    monkeypatch.setattr(tool_version, "find", lambda name: "/usr/bin/dnf" if name == "dnf" else None)
    monkeypatch.setattr(software, "torch_build", lambda: {"cuda": "13.0"})
    assert distribution.install("perf") == "sudo dnf install -y perf"
    assert "dnf install -y cuda-toolkit-13-0" in distribution.install_of_cuda("toolkit")
    monkeypatch.setattr(tool_version, "find", lambda name: None)
    assert "apt-get" in distribution.install("perf")
