"""GPUs as the driver tells them, and which of them a CUDA program sees."""

import sys

import pytest

from perfproof.machine import gpus


def test_without_the_library_the_reason_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert gpus.read_gpus() == gpus.Gpus(why_none="nvidia-ml-py is not installed")


def test_without_a_driver_the_reason_is_said(driver):
    driver(broken="NVML Shared Library Not Found")
    assert gpus.read_gpus().why_none == "no NVIDIA driver (NVML Shared Library Not Found)"


def test_a_driver_without_gpus_is_a_reason_too(driver):
    driver()
    assert gpus.read_gpus().why_none == "the NVIDIA driver lists no GPU"


def test_a_gpu_is_described_and_its_serial_number_is_not_kept(driver):
    driver({"name": "NVIDIA H200", "uuid": "GPU-secret", "capability": (9, 0), "reasons": 0x1 | 0x4})
    seen = gpus.read_gpus()
    (gpu,) = seen.found
    assert (seen.driver, seen.driver_cuda, gpu.capability) == ("580.1", "13.0", 9.0)
    assert gpu.details["event_reasons"] == ["idle", "software power cap"]
    assert gpu.details["power_limit_watts"] == 700
    assert "secret" not in str(gpu.details)


def test_a_field_that_the_gpu_does_not_give_is_unknown_not_zero(driver):
    driver({})
    assert gpus.read_gpus().found[0].details["mig"] == "unknown: Not Supported"


def test_a_gpu_that_fell_off_the_bus_is_unknown_and_the_others_are_read(driver):
    driver({"uuid": "GPU-a"}, {"lost": "GPU is lost"}, {"name": "NVIDIA H200 NVL", "uuid": "GPU-c"})
    seen = gpus.read_gpus()
    first, lost, last = seen.found
    assert (seen.why_none, seen.driver) == ("", "580.1")
    assert [gpu.index for gpu in seen.found] == [0, 1, 2]
    assert (first.is_lost, lost.is_lost, last.is_lost) == (False, True, False)
    assert (first.details["name"], last.details["name"]) == ("NVIDIA H200", "NVIDIA H200 NVL")
    assert lost.details.keys() == first.details.keys() and lost.details["name"] == "unknown: GPU is lost"
    told = {name: value for name, value in lost.details.items() if not str(value).startswith("unknown: ")}
    assert told == {"index": 1, "capability": None} and lost.capability is None


def test_where_every_gpu_is_lost_the_driver_does_not_answer(driver):
    driver({"lost": "GPU is lost"}, {"lost": "GPU is lost"})
    assert gpus.read_gpus() == gpus.Gpus(why_none="the NVIDIA driver does not answer (GPU is lost)")


@pytest.mark.parametrize(("asked", "seen"), [(None, [1, 2]), ("1", [2]), ("GPU-b", [1]), ("GPU-c,GPU-b", [2, 1])])
def test_a_lost_gpu_is_none_that_a_program_sees(driver, monkeypatch, asked, seen):
    driver({"lost": "GPU is lost"}, {"uuid": "GPU-b"}, {"uuid": "GPU-c"})
    if asked is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", asked)
    assert [gpu.index for gpu in gpus.visible(gpus.read_gpus().found)] == seen


@pytest.mark.parametrize(
    ("asked", "seen"),
    [(None, [0, 1, 2]), ("2,0", [2, 0]), ("", []), ("-1", []), ("0,7,1", [0]), ("GPU-1", [1]), ("1,1", [1])],
)
def test_visible_devices_are_those_of_the_environment(driver, monkeypatch, asked, seen):
    driver({}, {"name": "b"}, {"name": "c"})
    if asked is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", asked)
    assert [gpu.index for gpu in gpus.visible(gpus.read_gpus().found)] == seen
