"""Tables hold every number with its unit; what no side has gets no row."""

import pytest

from perfproof.core.documents import Kernel
from perfproof.report.html_tables import (
    amount,
    kernels_table,
    ranks_table,
    resources_table,
    telemetry_table,
    times_table,
)

from .sample_pages import rich_target
from .sample_runs import side, target


def texts(table):
    return [[cell.text for cell in row] for row in table.rows]


def test_clocks_stand_side_by_side_with_their_quotient():
    table = times_table(rich_target())
    assert table.head == ["", "baseline", "optimized", "ratio"]
    assert texts(table)[0] == ["call: back to back, what a program pays", "2.00 ms", "1.00 ms", "2.00x"]
    assert "not judged" in table.note and "An empty body takes 100 ns" in table.note


def test_a_clock_that_one_side_lacks_is_a_dash_and_one_that_both_lack_no_row():
    one = target()
    one.variants["optimized"].times["latency"] = 2e-3
    assert texts(times_table(one))[1:] == [["latency: one call alone, waited for", "–", "2.00 ms", ""]]


def test_several_variants_have_no_quotient():
    one = target(variants={"baseline": side(), "optimized_a": side(), "optimized_b": side()})
    assert times_table(one).head == ["", "baseline", "optimized_a", "optimized_b"]


def test_only_what_is_needed_less_has_a_ratio():
    rows = {row[0]: row[1:] for row in texts(resources_table(rich_target()))}
    assert rows["peak memory"] == ["2.00 MiB", "1.00 MiB", "2.00x"]
    assert rows["bytes a second"] == ["3 TB/s", "3 TB/s", ""]
    assert rows["calls checked"] == ["9", "9", ""]


def test_kernels_beyond_the_longest_are_summed_up():
    one = target()
    one.variants["optimized"].kernels = [Kernel(name=f"k{at}", count=1, seconds=1e-6) for at in range(15)]
    assert texts(kernels_table(one))[-1] == ["3 more", "optimized", "–", "3.00 µs"]


def test_what_a_target_has_not_gives_no_table():
    empty = target(variants={})
    assert [make(empty) for make in (times_table, resources_table, kernels_table, ranks_table, telemetry_table)] == [
        None
    ] * 5


def test_throttling_is_counted():
    one = target(telemetry={"seconds": 2.0, "throttled": [{}, {}], "throttled_samples": 7})
    assert telemetry_table(one).note == "Over 2.00 s. Slowed by heat or by the hardware: 2 times, 7 samples."


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (3.127e12, "3.13 TB/s"), (999.0, "999 B/s"), (0.5, "0.5 B/s")]
)
def test_rates_are_decimal(value, text):
    assert amount(value, "B/s") == text
