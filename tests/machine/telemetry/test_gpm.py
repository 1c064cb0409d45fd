"""Activity of the parts of a GPU: means between two samples, through a made-up NVML that checks their order."""

import pytest

from perfproof.machine.telemetry import gpm
from perfproof.machine.telemetry.gpu import open_gpus

MiB = 1 << 20
COPYING = {2: 90.0, 5: 0.0, 10: 81.5, 20: 1.0, 21: 2.0, 60: 3.0, 61: 4.0}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(gpm, "FIRST_WINDOW_SECONDS", 0)


def readings(groups):
    return {column.name: value for one in groups for column, value in zip(one.columns, one.read(), strict=True)}


def test_activity_is_a_share_and_traffic_is_bytes_per_second(fake_nvml):
    fake_nvml(gpm=COPYING, fields={})
    groups, unknown, _ = open_gpus(None, 20)
    found = readings(groups)
    assert found["sm_active_ratio"] == pytest.approx(0.90) and found["dram_active_ratio"] == pytest.approx(0.815)
    assert found["tensor_active_ratio"] == 0.0  # measured, and not missing
    assert (found["pcie_sent_bytes_per_s"], found["pcie_received_bytes_per_s"]) == (MiB, 2 * MiB)
    assert (found["nvlink_received_bytes_per_s"], found["nvlink_sent_bytes_per_s"]) == (3 * MiB, 4 * MiB)
    assert unknown == {}


def test_every_reading_goes_on_where_the_one_before_ended(fake_nvml):
    fake = fake_nvml(gpm=COPYING)
    (group,) = [one for one in open_gpus(None, 20)[0] if "sm_active_ratio" in {column.name for column in one.columns}]
    group.read(), group.read()
    windows = [call[1:] for call in fake.calls if call[0] == "gpm"]
    assert windows == [(1, 2), (2, 3), (3, 4)]
    assert group.every == 4


def test_the_call_that_waits_20_ms_is_not_made_where_gpm_tells(fake_nvml):
    fake = fake_nvml(gpm=COPYING)
    readings(open_gpus(None, 20)[0])
    assert (0, 0) not in fake.calls and (0, 1) not in fake.calls


def test_the_exact_counters_of_nvlink_are_kept(fake_nvml):
    fake_nvml(gpm=COPYING)
    found = readings(open_gpus(None, 20)[0])
    assert found["nvlink_sent_bytes"] == 2048 and "nvlink_sent_bytes_per_s" not in found


def test_a_metric_that_this_gpu_does_not_give_is_left_out(fake_nvml):
    fake_nvml(gpm={2: 50.0, 5: float("nan"), 10: "not supported"}, fields={})
    groups, unknown, _ = open_gpus(None, 20)
    found = readings(groups)
    assert found["sm_active_ratio"] == 0.5
    assert "dram_active_ratio" not in found and "tensor_active_ratio" not in found
    assert found["pcie_sent_bytes_per_s"] == 500_000  # by the older call
    assert "gpu0.nvlink_sent_bytes" in unknown


@pytest.mark.parametrize(("given", "why"), [(None, "Hopper"), ("refused", "Permissions")])
def test_an_older_or_closed_gpu_says_why_and_gives_no_zero(fake_nvml, given, why):
    fake_nvml(gpm=given)
    groups, unknown, _ = open_gpus(None, 20)
    assert "sm_active_ratio" not in readings(groups) and why in unknown["gpu0.sm_active_ratio"]


def test_a_sample_that_fails_later_is_a_gap(fake_nvml):
    fake = fake_nvml(gpm=COPYING)
    groups = open_gpus(None, 20)[0]
    fake.gpm = "refused"
    assert readings(groups)["sm_active_ratio"] is None
