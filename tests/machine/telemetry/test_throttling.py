"""Stretches in which a GPU was held back, and the samples they touch."""

import pytest

from perfproof.machine.telemetry.recording import read
from perfproof.machine.telemetry.throttling import mark, power_limited, throttled
from tests.machine.telemetry.conftest import START

MS = 1_000_000
POWER_CAP, HW_SLOWDOWN, SW_THERMAL, HW_THERMAL, POWER_BRAKE = 0x4, 0x8, 0x20, 0x40, 0x80


def masks(telemetry_file, *found):
    return read(telemetry_file(*([0, 50_000 * tick, 1980, mask, 0.0] for tick, mask in enumerate(found))))


@pytest.mark.parametrize(
    ("bit", "reason"),
    [
        (HW_SLOWDOWN, "hardware slowdown"),
        (SW_THERMAL, "software thermal slowdown"),
        (HW_THERMAL, "hardware thermal slowdown"),
        (POWER_BRAKE, "hardware power brake"),
    ],
)
def test_a_stretch_reaches_from_the_reading_before_to_the_one_after(telemetry_file, bit, reason):
    found = throttled(masks(telemetry_file, 0, 0, bit | POWER_CAP, 0, 0))
    assert found == [(START + 50 * MS, START + 150 * MS, reason)]


def test_stretches_that_meet_are_one_with_both_reasons(telemetry_file):
    found = throttled(masks(telemetry_file, 0, HW_THERMAL, HW_SLOWDOWN | HW_THERMAL, 0, 0))
    assert found == [(START, START + 150 * MS, "hardware thermal slowdown, hardware slowdown")]


@pytest.mark.parametrize("mask", [0x0, 0x1, 0x2, POWER_CAP, 0x10, 0x100])
def test_idling_a_power_cap_and_settings_are_no_throttling(telemetry_file, mask):
    assert throttled(masks(telemetry_file, mask, mask, mask)) == []


def test_the_power_cap_is_counted_as_a_share(telemetry_file):
    series = masks(telemetry_file, POWER_CAP, 0, POWER_CAP | 0x1, 0).series["gpu0.event_reasons"]
    assert power_limited(series) == 0.5
    assert power_limited(series.between(0, 1)) is None


def test_only_the_source_that_is_asked_for_counts(telemetry_file):
    telemetry = masks(telemetry_file, HW_THERMAL)
    assert throttled(telemetry, "gpu1") == []
    assert len(throttled(telemetry, "gpu0")) == 1


def sample(start, end, **more):
    return {"start_ns": start, "end_ns": end, "valid": True, **more}


def test_samples_that_a_stretch_touches_are_not_valid_and_the_others_are_as_they_were():
    rows = [sample(0, 10), sample(10, 20), sample(25, 28), sample(30, 40), sample(41, 50)]
    marked = mark(rows, [(20, 30, "heat")])
    assert [row["valid"] for row in marked] == [True, False, False, False, True]
    assert [row.get("throttled") for row in marked] == [None, "heat", "heat", "heat", None]
    assert all(row["valid"] for row in rows), "the rows given are not changed"


def test_a_sample_that_was_not_valid_before_stays_so():
    assert mark([{"start_ns": 0, "end_ns": 1, "valid": False}], []) == [{"start_ns": 0, "end_ns": 1, "valid": False}]


def test_a_long_stretch_is_found_behind_a_later_short_one():
    marked = mark([sample(50, 60)], [(0, 100, "heat"), (40, 45, "brake")])
    assert marked[0]["valid"] is False
    assert marked[0]["throttled"] == "heat, brake"


def test_rows_without_times_come_back_as_they_were():
    assert mark([{"seconds": 1.0}], [(0, 10, "heat")]) == [{"seconds": 1.0}]
