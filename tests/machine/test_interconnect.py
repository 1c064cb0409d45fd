"""Links between GPUs, as several drivers tell them."""

import sys

import pytest

from perfproof.machine import interconnect
from tests.machine import replay


def change(monkeypatch, name, **answers):
    """A recorded driver with some answers of its first GPU replaced."""
    driver = replay.Nvml(name)
    driver.nvmlDeviceGetHandleByIndex(0).answers.update(answers)
    monkeypatch.setitem(sys.modules, "pynvml", driver)


def test_a_bridge_counts_the_links_that_are_up(recorded_driver):
    recorded_driver("nvml_2_gpus_bridge.json")
    links, _, matrix = interconnect.read(2)
    assert matrix == [["X", "NV3"], ["NV3", "X"]]
    assert (links[0].links, links[0].active, links[0].version, links[0].peers) == (4, 3, "3.1", ["GPU 1"])


def test_without_links_the_path_over_pcie_is_named(monkeypatch):
    change(monkeypatch, "nvml_2_gpus_bridge.json", nvmlDeviceGetNvLinkState=[0, 0, 0, 0])
    assert interconnect.read(2)[2][0] == ["X", "SYS"]


@pytest.mark.parametrize(("level", "word"), [(10, "PIX"), (20, "PXB"), (30, "PHB"), (40, "NODE"), (50, "SYS")])
def test_levels_have_the_words_of_nvidia_smi(monkeypatch, level, word):
    answers = {"nvmlDeviceGetNvLinkState": [], "nvmlDeviceGetTopologyCommonAncestor:gpu1": level}
    change(monkeypatch, "nvml_2_gpus_bridge.json", **answers)
    assert interconnect.read(2)[2][0][1] == word


def test_a_level_of_a_newer_driver_is_unknown(monkeypatch):
    answers = {"nvmlDeviceGetNvLinkState": [], "nvmlDeviceGetTopologyCommonAncestor:gpu1": 60}
    change(monkeypatch, "nvml_2_gpus_bridge.json", **answers)
    assert interconnect.read(2)[2][0][1] == "unknown: the driver says level 60"


def test_switches_whose_fabric_is_down_join_nobody(monkeypatch):
    change(monkeypatch, "nvml_8_gpus_nvswitch.json", **{"nvmlDeviceGetP2PStatus:gpu1:2": 5})
    assert interconnect.read(8)[2][0][1:3] == ["NODE", "NV18"]


def test_the_version_that_no_hopper_has_is_not_believed(monkeypatch):
    change(monkeypatch, "nvml_8_gpus_nvswitch.json", nvmlDeviceGetNvLinkVersion=[7] * 18)
    assert interconnect.read(8)[0][0].version == "unknown: the driver says 5.0, which no Hopper has"


def test_a_gpu_that_fell_off_the_bus_is_unknown_and_the_others_are_joined(monkeypatch, recorded_driver):
    recorded_driver("nvml_8_gpus_nvswitch.json")
    driver = sys.modules["pynvml"]
    plain = driver.nvmlDeviceGetHandleByIndex

    def handle(index):
        if index == 3:
            raise driver.NVMLError("GPU is lost")
        return plain(index)

    monkeypatch.setattr(driver, "nvmlDeviceGetHandleByIndex", handle)
    links, slices, matrix = interconnect.read(8)
    assert (links[3].links, links[3].active, slices[3]) == ("unknown: GPU is lost", "unknown: GPU is lost", [])
    assert matrix[3][0] == matrix[0][3] == "unknown: GPU is lost" and matrix[0][1] == "NV18"


def test_no_gpu_asks_no_driver(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert interconnect.read(0) == ([], [], [])
    links, slices, matrix = interconnect.read(1)
    assert (links[0].active, slices, matrix) == ("unknown: no driver", [[]], [])
