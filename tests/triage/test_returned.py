"""The A/B table: ratios with Welch's interval where there are runs enough, and "not measured" where there are none."""

import math

import pytest

from perfproof.core.documents import RatioResult, Run, TargetResult, VariantResult
from perfproof.core.errors import DocumentError
from perfproof.triage.returned import commands_differ, compared, from_bundles, from_run


def rows_of(*arguments, **options):
    return {row.what: row for row in from_bundles(*arguments, **options)}


def test_the_interval_is_welchs():
    """Worked by hand: logs 0, .1, .2, .3, .4 against the same plus .5: variances .025, error sqrt(.01), 8 degrees."""
    a = [math.exp(0.1 * at) for at in range(5)]
    b = [value * math.exp(0.5) for value in a]
    row = compared("wall", a, b, "s")
    quantile = 2.6338  # of Student's t, 98.5 %, 8 degrees of freedom
    assert row.ratio == pytest.approx(math.exp(0.5))
    assert row.low == pytest.approx(math.exp(0.5 - quantile * 0.1), rel=1e-4)
    assert row.high == pytest.approx(math.exp(0.5 + quantile * 0.1), rel=1e-4)


def test_fewer_than_five_runs_give_no_interval():
    row = compared("wall", [1.0, 1.1], [2.0] * 9, "s")
    assert row.ratio is not None and row.low is None and "no interval: 2 and 9 runs" in row.note


def test_what_the_command_reports_fills_its_row(make_bundle):
    a = make_bundle(walls=(1.0,) * 5, metrics={"tps": [10.0] * 5, "accuracy": [0.50] * 5})
    b = make_bundle(walls=(0.5,) * 5, metrics={"tps": [20.0] * 5, "accuracy": [0.48] * 5})
    rows = rows_of(a, b)
    assert (rows["throughput"].a, rows["throughput"].b, rows["throughput"].ratio) == (10.0, 20.0, pytest.approx(2.0))
    assert "higher is better" in rows["throughput"].note
    assert "b - a = -0.02" in rows["accuracy"].note
    assert rows["wall time"].ratio == pytest.approx(0.5)


def test_what_nobody_measured_is_not_measured(make_bundle):
    one = make_bundle(walls=(1.0,) * 5)
    rows = rows_of(one, one)
    for what in ("throughput", "latency p50", "latency p99", "SM %", "network", "goodput", "power", "accuracy"):
        assert rows[what].note.startswith("not measured"), what
        assert (rows[what].a, rows[what].b, rows[what].ratio) == (None, None, None)
    assert "--dollars-per-hour" in rows["dollars a run"].note


def test_dollars_follow_from_the_price(make_bundle):
    a, b = make_bundle(walls=(3600.0,) * 5), make_bundle(walls=(1800.0,) * 5)
    row = rows_of(a, b, prices=(2.0, 2.0))["dollars a run"]
    assert (row.a, row.b) == (2.0, 1.0)
    fast = make_bundle(walls=(1.0,) * 5, metrics={"throughput": [1000.0] * 5})
    row = rows_of(fast, fast, prices=(3.6, 3.6))["dollars a million units"]
    assert row.a == pytest.approx(1.0)


def test_energy_a_unit_is_power_over_throughput(make_bundle):
    a, b = (make_bundle(walls=(1.0,) * 5, metrics={"tps": [rate] * 5}) for rate in (100.0, 200.0))
    for side, watts in ((a, 300.0), (b, 400.0)):
        for run in side.parsed["timing"]["runs"]:
            run["readings"] = {"gpu0.power_watts": watts, "gpu1.power_watts": watts}
    row = rows_of(a, b)["energy a unit"]
    assert (row.a, row.b, row.unit) == (6.0, 4.0, "J") and row.ratio == pytest.approx(2 / 3)


def test_energy_a_unit_needs_a_throughput_and_a_power(make_bundle):
    plain, rated = make_bundle(walls=(1.0,) * 5), make_bundle(walls=(1.0,) * 5, metrics={"tps": [5.0] * 5})
    assert "throughput" in rows_of(plain, plain)["energy a unit"].note
    assert rows_of(rated, rated)["energy a unit"].note == "not measured"


def test_a_failed_run_is_no_performance(make_bundle):
    a, b = make_bundle(walls=(1.0,) * 6), make_bundle(walls=(1.0,) * 6)
    b.parsed["timing"]["runs"][0] |= {"exit_code": 1, "seconds": 0.001}
    row = rows_of(a, b)["wall time"]
    assert (row.b, row.ratio) == (1.0, 1.0)


def test_a_bundle_without_a_command_is_refused(make_bundle):
    with pytest.raises(DocumentError, match="no command was run"):
        from_bundles(make_bundle(), make_bundle())


def test_a_damaged_timing_is_refused(make_bundle):
    bad = make_bundle(timing={"runs": "x"})
    with pytest.raises(DocumentError, match=r"timing\.json"):
        from_bundles(bad, bad)


def test_a_run_of_ab_keeps_its_paired_interval():
    judged = RatioResult(verdict="faster", ratio=1.5, low=1.4, high=1.6, clock="wall")
    metric = RatioResult(verdict="better", ratio=1.2, low=1.1, high=1.3, claim="metric", clock="tps")
    sides = {
        "baseline": VariantResult(times={"wall": 3.0}, metrics={"tps": 10.0}),
        "b": VariantResult(times={"wall": 2.0}),
    }
    target = TargetResult(target="ab", status="ok", variants=sides, ratios={"b": judged}, also={"tps": metric})
    run = Run(perfproof_version="0", run="r", started="now", targets=[target])
    rows = {row.what: row for row in from_run(run)}
    assert (rows["wall time"].ratio, rows["wall time"].low, rows["wall time"].a) == (1.5, 1.4, 3.0)
    assert (rows["tps"].ratio, rows["tps"].a, rows["tps"].b) == (1.2, 10.0, None)
    assert rows["goodput"].note == "not measured" and "throughput" not in rows


def test_a_run_without_a_comparison_is_refused():
    with pytest.raises(DocumentError, match="no comparison"):
        from_run(Run(perfproof_version="0", run="r", started="now"))


def test_the_ratio_is_that_of_the_numbers_beside_it():
    row = compared("wall time", [1.0, 1.0, 4.0], [2.0, 8.0, 8.0], "s")
    assert row.ratio == pytest.approx(row.b / row.a)


def test_a_measured_zero_is_a_number():
    row = compared("network", [0.0, 0.0], [0.0, 0.0], "B/s")
    assert (row.a, row.b) == (0.0, 0.0) and "not measured" not in row.note


def test_two_commands_that_differ_are_named(make_bundle):
    a, b = make_bundle(walls=(1.0,)), make_bundle(walls=(1.0,))
    assert commands_differ(a, b) == ""
    b.manifest.command = ["train", "--fast"]
    assert "train --fast" in commands_differ(a, b)


def test_each_side_may_have_its_price(make_bundle):
    a, b = make_bundle(walls=(2.0,) * 5), make_bundle(walls=(1.0,) * 5)
    row = rows_of(a, b, prices=(3.6, 7.2))["dollars a run"]
    assert row.a == row.b == pytest.approx(0.002)


def test_a_side_that_failed_is_named_and_the_other_keeps_its_number(make_bundle):
    failed, good, uneven = (make_bundle(walls=walls) for walls in ((9.0,), (2.0, 4.0, 8.0), (1.0, 1.0, 8.0)))
    failed.parsed["timing"]["runs"][0]["exit_code"] = 1
    row = rows_of(failed, good)["wall time"]
    assert row.a is None and row.b == pytest.approx(4.0) and row.note == "no run of a ended with 0"
    alone, beside = rows_of(failed, uneven)["wall time"].b, rows_of(good, uneven)["wall time"].b
    assert alone == pytest.approx(beside) == pytest.approx(2.0)  # one figure, whatever stands beside it
