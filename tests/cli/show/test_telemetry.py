"""Telemetry as people see it."""

import io

import pytest

from perfproof.cli.show import telemetry
from perfproof.core.telemetry import Energy, Spread, TelemetrySummary, Throttling


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("gpu0.sm_mhz", 1980.0, "1980 MHz"),
        ("gpu0.power_watts", 512.34, "512.3 W"),
        ("gpu0.temperature_celsius", 61.0, "61 °C"),
        ("gpu0.busy_ratio", 0.98, "98 %"),
        ("gpu0.memory_used_bytes", 3 * 2**30, "3.00 GiB"),
        ("gpu0.nvlink_sent_bytes_per_s", 18e9, "18.00 GB/s"),
        ("host.disk_read_bytes_per_s", 2e6, "2.00 MB/s"),
        ("host.context_switches_per_s", 1200.4, "1200 /s"),
        ("host.cpus_in_use", 1.337, "1.34"),
    ],
)
def test_a_reading_has_its_unit(name, value, shown):
    assert telemetry.reading(name, value) == shown


def test_a_line_holds_every_source():
    now = {"gpu0.power_watts": 512.0, "gpu0.sm_mhz": 1980.0, "host.cpus_in_use": 1.5, "host.load_1m": 3.0}
    assert telemetry.line(12, now) == "12.0 s  gpu0: SM clock 1980 MHz, power 512.0 W; host: CPUs in use 1.50"


def test_a_sparkline_goes_from_the_lowest_to_the_highest_value():
    assert telemetry.sparkline([0, 50, 100]) == "▁▄█"
    assert telemetry.sparkline([7, 7]) == "▁▁"


def test_the_table_remembers_the_last_moments():
    from rich.console import Console

    table = telemetry.LiveTable()
    for watts in range(60):
        drawn = table.drawn(watts, {"gpu0.power_watts": float(watts), "gpu0.busy_ratio": 0.5})
    console = Console(file=io.StringIO(), width=120)
    console.print(drawn)
    text = console.file.getvalue()
    assert "59.0 W" in text and "time with any kernel" in text
    assert len(table.history["gpu0.power_watts"]) == telemetry.HISTORY


def test_the_summary_says_energy_limits_throttling_and_what_is_unknown():
    found = TelemetrySummary(
        start_ns=0,
        end_ns=10_000_000_000,
        seconds=10,
        readings={
            "gpu0.power_watts": Spread(median=500, low=90, high=700, mean=410, readings=200),
            "gpu0.busy_ratio": Spread(median=0.9, low=0, high=1, readings=50),
            "host.core0_in_use": Spread(median=1, low=1, high=1, readings=20),
        },
        energy={"gpu0": Energy(joules=5123.4, watts=512.34, seconds=10)},
        throttled=[Throttling(source="gpu0", start_ns=2_000_000_000, end_ns=3_500_000_000, reason="heat")],
        power_limited={"gpu0": 0.25, "gpu1": 0.0},
        unknown={"gpu0.nvlink_sent_bytes": "Not Supported"},
    )
    lines = list(telemetry.summary_lines(found))
    assert lines[0] == "10.0 s of telemetry"
    assert lines[2].split() == ["gpu0", "power", "90.0", "W", "500.0", "W", "410.0", "W", "700.0", "W"]
    assert "gpu0   energy                 5,123.4 J in 10.0 s, 512.3 W on average" in lines
    assert "gpu0   power-limited          in 25 % of readings" in lines
    assert "gpu0   throttled              from 2.00 s to 3.50 s: heat" in lines
    assert "unknown: gpu0.nvlink_sent_bytes: Not Supported" in lines
    assert not any("gpu1" in line or "core0" in line for line in lines)
