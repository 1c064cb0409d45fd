"""GPU readings through a made-up NVML, written after its reference."""

import sys

import pytest

from perfproof.machine.telemetry import gpm
from perfproof.machine.telemetry.gpu import open_gpus


def values(groups):
    return {f"{g.source}.{c.name}": v for g in groups for c, v in zip(g.columns, g.read(), strict=True)}


def test_every_reading_comes_in_its_unit(fake_nvml):
    fake_nvml()
    groups, unknown, about = open_gpus(None, 20)
    assert unknown == {"gpu0.sm_active_ratio": gpm.ABSENT}
    assert about == [{"index": 0, "name": "NVIDIA H200"}]
    assert values(groups) == {
        "gpu0.power_watts": 75.5,
        "gpu0.energy_joules": 9000,
        "gpu0.sm_mhz": 345,
        "gpu0.event_reasons": 1,
        "gpu0.memory_mhz": 3201,
        "gpu0.temperature_celsius": 31,
        "gpu0.busy_ratio": 0.25,
        "gpu0.memory_used_bytes": 4 << 20,
        "gpu0.nvlink_sent_bytes": 2048,
        "gpu0.nvlink_received_bytes": 4096,
        "gpu0.pcie_sent_bytes_per_s": 500_000,
        "gpu0.pcie_received_bytes_per_s": 501_000,
    }


def test_what_marks_a_throttled_sample_is_read_at_every_tick(fake_nvml):
    fake_nvml()
    first = open_gpus(None, 20)[0][0]
    assert (first.every, first.share) == (1, None)
    assert {column.name for column in first.columns} == {"event_reasons", "sm_mhz", "power_watts"}


def test_the_counter_of_energy_which_is_dear_is_asked_for_alone_and_seldom(fake_nvml):
    fake = fake_nvml()
    (group,) = [one for one in open_gpus(None, 20)[0] if "energy_joules" in {column.name for column in one.columns}]
    fake.calls.clear()
    group.read()
    assert fake.calls == [((83, 0),)]
    assert group.every == 20 and group.share is not None and group.share <= 0.001


def test_an_older_driver_without_fields_is_asked_by_its_functions(fake_nvml):
    fake_nvml(fields={})
    groups, unknown, _ = open_gpus(None, 20)
    found = values(groups)
    assert (found["gpu0.power_watts"], found["gpu0.energy_joules"]) == (76.0, 8000.0)
    assert unknown == {
        "gpu0.sm_active_ratio": gpm.ABSENT,
        "gpu0.nvlink_sent_bytes": "this GPU shows no NVLink traffic",
        "gpu0.nvlink_received_bytes": "this GPU shows no NVLink traffic",
    }


def test_a_reading_that_the_gpu_does_not_give_is_left_out_with_its_reason(fake_nvml):
    fake_nvml(missing=["nvmlDeviceGetUtilizationRates", "nvmlDeviceGetPcieThroughput"])
    groups, unknown, _ = open_gpus(None, 20)
    assert "gpu0.busy_ratio" not in values(groups)
    assert unknown["gpu0.busy_ratio"] == unknown["gpu0.pcie_sent_bytes_per_s"] == "Not Supported"


def test_a_reading_that_fails_later_is_null_and_the_others_go_on(fake_nvml):
    fake = fake_nvml()
    groups, _, _ = open_gpus(None, 20)
    fake.missing |= {"nvmlDeviceGetClockInfo", "nvmlDeviceGetFieldValues"}
    found = values(groups)
    assert found["gpu0.sm_mhz"] is None and found["gpu0.power_watts"] is None
    assert found["gpu0.temperature_celsius"] == 31


def test_calls_that_watch_the_bus_take_turns(fake_nvml):
    fake_nvml(count=2)
    turns = [group for group in open_gpus(None, 20)[0] if "pcie" in group.columns[0].name]
    assert [group.first for group in turns] == [0, 20, 40, 60]
    assert {group.every for group in turns} == {80}


def test_only_the_chosen_gpus_are_read(fake_nvml):
    fake_nvml(count=3)
    assert {group.source for group in open_gpus([2], 20)[0]} == {"gpu2"}


def test_a_gpu_that_fell_off_the_bus_is_missing_with_its_reason_and_the_others_are_read(fake_nvml):
    fake_nvml(count=8, lost=[3])
    groups, unknown, about = open_gpus(None, 20)
    assert {group.source for group in groups} == {f"gpu{index}" for index in range(8) if index != 3}
    assert unknown["gpu3"] == "GPU is lost" and "gpu3.sm_active_ratio" not in unknown
    assert [one["index"] for one in about] == list(range(8))
    assert [one["name"] for one in about[2:4]] == ["NVIDIA H200", "unknown: GPU is lost"]


@pytest.mark.parametrize(
    ("options", "chosen", "why"),
    [
        (dict(count=0), None, "the NVIDIA driver lists no GPU"),
        (dict(missing=["nvmlInit"]), None, "the NVIDIA driver does not answer (Not Supported)"),
        (dict(count=1), [4], "the NVIDIA driver does not answer (Invalid Argument)"),
        (dict(count=2, lost=[0, 1]), None, "the NVIDIA driver does not answer (GPU is lost)"),
        (dict(missing=["nvmlDeviceGetCount"]), None, "the NVIDIA driver does not answer (Not Supported)"),
    ],
)
def test_without_gpus_the_reason_is_said(fake_nvml, options, chosen, why):
    fake_nvml(**options)
    assert open_gpus(chosen, 20) == ([], {"gpu": why}, [])


def test_without_the_library_the_reason_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert open_gpus(None, 20)[1] == {"gpu": "nvidia-ml-py is not installed"}
