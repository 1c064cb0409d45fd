"""What went on while the machine was looked at: swapping, heat, a battery, memory pressure."""

import pytest

from perfproof.machine import cpu, memory, power_supply, snapshot


def test_pages_that_moved_are_a_difference(machine, monkeypatch):
    machine("/proc/vmstat", "pswpin 10\npswpout 5\n")
    assert memory.swapped_pages() == 15
    before = {"swapped_pages": 15, "throttled": None}
    moment = snapshot._moment(before, {"swapped_pages": 40, "throttled": 3})
    assert (moment["swapped_pages"], moment["throttled"]) == (25, None)


@pytest.mark.parametrize("text", ["pswpin 10", "pswpin zehn\npswpout 5", ""])
def test_a_counter_that_is_missing_is_not_zero(machine, text):
    machine("/proc/vmstat", text)
    assert memory.swapped_pages() is None


def test_memory_pressure_is_a_share(machine):
    machine("/proc/pressure/memory", "some avg10=12.50 avg60=0.90 avg300=3.20 total=31\nfull avg10=0.00 total=0")
    assert memory.pressure() == 0.125
    machine("/proc/pressure/memory", "some avg10=1250 avg60")
    assert memory.pressure() is None


def test_heat_is_counted_over_the_allowed_cores(machine):
    machine.allow(0, 1)
    assert cpu.throttle_count() is None
    for number in (0, 1, 2):
        machine(f"/sys/devices/system/cpu/cpu{number}/thermal_throttle/core_throttle_count", "2")
    assert cpu.throttle_count() == 4


def test_a_battery_that_empties_is_the_machines_own(machine):
    assert power_supply.on_battery() is None
    for name, scope, status in (("BAT0", "System", "Charging"), ("hidpp_0", "Device", "Discharging")):
        for field, text in (("type", "Battery"), ("scope", scope), ("status", status)):
            machine(f"/sys/class/power_supply/{name}/{field}", text)
    assert power_supply.on_battery() is False
    machine("/sys/class/power_supply/BAT0/status", "Discharging")
    assert power_supply.on_battery() is True


def test_this_machine_has_a_moment():
    assert set(snapshot.snapshot("cpu")["moment"]) == {"swapped_pages", "throttled", "memory_pressure", "on_battery"}
