"""A stretch in a few numbers, worked by hand."""

import pytest

from perfproof.machine.telemetry.recording import read
from perfproof.machine.telemetry.summary import summary, target_summary
from tests.machine.telemetry.conftest import START

MS = 1_000_000


@pytest.fixture
def second(telemetry_file):
    """A second at 20 Hz: 1000 MHz and 100 W, then from 0.5 s on 2000 MHz, 300 W and the power cap."""
    rows = []
    for tick in range(21):
        fast = tick >= 10
        joules = 5.0 * min(tick, 10) + 15.0 * max(0, tick - 10)
        rows.append([0, 50_000 * tick, 2000 if fast else 1000, 4 if fast else 0, joules])
    return read(telemetry_file(*rows, [1, 0, 10.0], [1, 1_000_000, 11.5], unknown={"host.swap": "why"}))


def test_all_of_it(second):
    found = summary(second)
    clock = found.readings["gpu0.sm_mhz"]
    assert (clock.low, clock.median, clock.high, clock.unit, clock.readings) == (1000, 2000, 2000, "MHz", 21)
    assert found.readings["host.cpus_in_use"].median == pytest.approx(1.5)
    assert found.seconds == pytest.approx(1.0)
    assert found.energy["gpu0"].joules == 200 and found.energy["gpu0"].watts == pytest.approx(200)
    assert found.power_limited["gpu0"] == pytest.approx(11 / 21)
    assert found.unknown == {"host.swap": "why"}


def test_a_window_holds_its_own_readings_only(second):
    found = summary(second, START, START + 450 * MS)
    assert found.readings["gpu0.sm_mhz"].high == 1000
    assert found.energy["gpu0"].watts == pytest.approx(100)
    assert found.power_limited == {"gpu0": 0.0}


def test_a_window_without_readings_claims_nothing(second):
    found = summary(second, START + 1 * MS, START + 2 * MS)
    assert (found.readings, found.energy, found.power_limited) == ({}, {}, {})


def test_a_counter_that_went_back_gives_no_energy(telemetry_file):
    telemetry = read(telemetry_file([0, 0, 1, 0, 50.0], [0, 50_000, 1, 0, 1.0]))
    assert summary(telemetry).energy == {}


def test_throttling_is_clipped_to_the_window(telemetry_file):
    telemetry = read(telemetry_file(*([0, 50_000 * tick, 1, 0x40, 0.0] for tick in range(5))))
    (one,) = summary(telemetry, START + 60 * MS, START + 90 * MS).throttled
    assert (one.source, one.start_ns, one.end_ns) == ("gpu0", START + 60 * MS, START + 90 * MS)


def rows(*spans):
    return [{"side": side, "start_ns": START + a * MS, "end_ns": START + b * MS, "valid": True} for side, a, b in spans]


def test_a_target_is_summed_up_over_its_samples_and_by_side_where_they_are_long(second):
    found = target_summary(second, rows(("baseline", 0, 450), ("optimized", 500, 1000)))
    assert found["sides"] == {"baseline": {"gpu0.sm_mhz": 1000}, "optimized": {"gpu0.sm_mhz": 2000}}
    assert found["median"]["gpu0.sm_mhz"] == 2000
    assert found["energy_joules"] == {"gpu0": 200}
    assert found["throttled_samples"] == 0


def test_sides_that_alternate_faster_than_the_telemetry_are_not_told_apart(second):
    found = target_summary(
        second, rows(*(("baseline" if i % 2 else "optimized", 2 * i, 2 * i + 2) for i in range(400)))
    )
    assert found["sides"] == {}
    assert found["median"]["gpu0.sm_mhz"] == 1000


def test_throttled_samples_are_counted(telemetry_file):
    telemetry = read(telemetry_file(*([0, 50_000 * t, 1, 0x40 if t == 2 else 0, 0.0] for t in range(9))))
    found = target_summary(telemetry, rows(("a", 0, 40), ("b", 60, 90), ("a", 140, 160), ("b", 200, 400)))
    assert found["throttled_samples"] == 2
    assert found["throttled"][0]["reason"] == "hardware thermal slowdown"


def test_samples_without_times_give_no_summary(second):
    assert target_summary(second, [{"seconds": 1.0}]) is None


def test_the_mean_weighs_a_reading_by_the_time_it_stands_for(telemetry_file):
    found = summary(read(telemetry_file([0, 0, 0, 0, 0], [0, 100_000, 0, 0, 0], [0, 1_000_000, 1000, 0, 0])))
    clock = found.readings["gpu0.sm_mhz"]
    assert clock.median == 0 and clock.mean == pytest.approx(1000 * 0.9 / 1.1)


def test_one_reading_is_its_own_mean_and_a_measured_zero_stays(telemetry_file):
    found = summary(read(telemetry_file([0, 0, 0, 0, 0])))
    assert found.readings["gpu0.sm_mhz"].mean == 0.0
