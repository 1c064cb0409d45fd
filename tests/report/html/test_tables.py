"""Tables hold every number with its unit; what no side has gets no row."""

from perfproof.core.documents import Kernel
from perfproof.report.html.tables import (
    kernels_table,
    ranks_table,
    resources_table,
    telemetry_table,
    times_table,
)
from tests.report.sample_pages import rich_target
from tests.report.sample_runs import EXACT, judged, side, target


def texts(table):
    return [[cell.text for cell in row] for row in table.rows]


def test_clocks_stand_side_by_side_with_their_quotient():
    table = times_table(rich_target())
    assert table.head == ["", "baseline", "optimized", "ratio"]
    assert texts(table)[:2] == [
        ["call: back to back, what a program pays", "2.10 ms", "1.05 ms", "2.00x"],
        ["kernel: the device is busy", "1.80 ms", "900 µs", "2.00x"],
    ]
    assert "not judged" in table.note and "An empty body takes 100 ns" in table.note


def test_set_up_is_shown_before_the_calls_and_in_the_first():
    rows = {row[0]: row[1] for row in texts(times_table(rich_target()))}
    assert rows["set-up before the calls, not in the times"] == "250 ms"
    assert rows["set-up in the first call, not in the times"] == "1.75 s"


def test_a_clock_that_one_side_lacks_is_a_dash_and_one_that_both_lack_no_row():
    one = target()
    one.variants["optimized"].times["latency"] = 2e-3
    assert texts(times_table(one))[1:] == [["latency: one call alone, waited for", "–", "2.00 ms", ""]]


def test_each_of_several_variants_has_a_row_with_its_own_baseline():
    ratios = {"optimized_a": judged(ratio=2.0), "optimized_b": judged(ratio=5.0, variant=5e-4)}
    sides = {"baseline": side(9.0, hot_seconds=3.0), "optimized_a": side(9.0), "optimized_b": side(9.0)}
    table = times_table(target(ratios=ratios, variants=sides))
    call = "call: back to back, what a program pays"
    assert table.head == ["", "baseline", "optimized_a", "optimized_b", "ratio"]
    assert texts(table) == [
        [f"{call} (optimized_a and its baseline)", "2.00 ms", "1.00 ms", "–", "2.00x"],
        [f"{call} (optimized_b and its baseline)", "2.50 ms", "–", "500 µs", "5.00x"],
        ["hot: one set of arguments, cached", "3.00 s", "–", "–", ""],
    ]


def test_several_variants_of_an_older_document_have_no_quotient():
    ratios = {name: judged(variant=None) for name in ("optimized_a", "optimized_b")}
    one = target(ratios=ratios, variants={"baseline": side(), "optimized_a": side(), "optimized_b": side()})
    assert times_table(one).head == ["", "baseline", "optimized_a", "optimized_b"]
    assert texts(times_table(one)) == [["call: back to back, what a program pays", "1.00 ms", "1.00 ms", "1.00 ms"]]


def test_where_no_ratio_was_given_nothing_else_is_divided():
    one = target(ratios={"optimized": judged(ratio=None)})
    assert times_table(one).head == ["", "baseline", "optimized"]


def test_what_else_two_programs_measured_has_its_own_figures():
    also = {"cpu": judged(ratio=1.5, clock="cpu"), "memory": judged(ratio=2.0, claim="memory", variant=2.0**20)}
    sides = {name: side(memory=EXACT) for name in ("baseline", "optimized")}
    for one in sides.values():
        one.times["cpu"] = 9.0
    one = target(variants=sides, also=also)
    assert texts(times_table(one))[1] == ["CPU time of the program", "1.50 ms", "1.00 ms", "1.50x"]
    assert texts(resources_table(one))[0] == ["peak memory", "2.00 MiB", "1.00 MiB", "2.00x"]


def test_only_what_is_needed_less_has_a_ratio():
    rows = {row[0]: row[1:] for row in texts(resources_table(rich_target()))}
    assert rows["peak memory"] == ["2.00 MiB", "1.00 MiB", "2.00x"]
    assert rows["CPU time over wall time"] == ["98 %", "98 %", ""]
    assert rows["bytes per second"] == ["3 TB/s", "3 TB/s", ""]
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
