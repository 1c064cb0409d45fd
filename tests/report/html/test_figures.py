"""The pictures of a target: what their words say about the figures."""

import pytest

from perfproof.report.html.figures import forests, order_figure, spread_figure, times_figure
from perfproof.report.html.samples import Samples, read_samples
from tests.report.sample_pages import rich_target, sample_rows, units_of, write_samples
from tests.report.sample_runs import judged, side, target


@pytest.mark.parametrize(
    ("ratio", "before", "after", "words"),
    [
        (2.0, 4e-3, 2e-3, "Shorter is better."),
        (0.5, 2e-3, 4e-3, "Shorter is better."),
        (2.0, 100.0, 200.0, "Longer is better."),
        (0.5, 200.0, 100.0, "Longer is better."),
        (1.0, 5.0, 5.0, "Shorter is better."),
    ],
)
def test_a_metric_of_which_more_is_better_says_so(ratio, before, after, words):
    fields = {"claim": "metric", "clock": "rate"} if before > 1 else {}
    one = judged("faster", ratio, 0.9 * ratio, 1.1 * ratio, variant=after, **{"baseline": before} | fields)
    assert times_figure("x", target(ratio=one), []).caption.startswith(words)


def program_of(claim, clock, **values):
    """A program whose runs have other times by the wall clock than in what was judged."""
    one = judged("slower", 0.5, 0.49, 0.51, claim=claim, clock=clock, rung="programs", **values)
    return target(ratio=one, ratios={"b": one}, variants={"baseline": side(), "b": side()}, program={"blocks": 2})


def runs(folder, result):
    rows = [
        {"side": name, "block": at // 4, "start_ns": at, "seconds": 9.0, "cpu_seconds": seconds, "valid": True}
        for at, (name, seconds) in enumerate([("baseline", 0.2), ("b", 0.4)] * 4)
    ]
    write_samples(folder, rows)
    return read_samples(folder, result.model_copy(update={"samples": "samples/one.jsonl.gz"})).readings


def test_bars_whiskers_and_medians_are_of_what_was_judged(tmp_path):
    result = program_of("time", "cpu", baseline=0.2, variant=0.4)
    readings = runs(tmp_path, result)
    bars, boxes, dots = (
        times_figure("x", result, readings),
        spread_figure("x", result, readings, 24),
        order_figure("x", result, readings, 300),
    )
    assert bars.head == "CPU time" and "samples from 200 ms to 200 ms" in bars.svg
    assert "CPU time" in boxes.head and "median 400 ms" in boxes.svg
    assert "CPU time" in dots.head and "median 400 ms" in dots.svg and "9.00 s" not in bars.svg + boxes.svg + dots.svg


def test_a_bar_says_that_it_is_no_median(tmp_path):
    write_samples(tmp_path, sample_rows())
    result = rich_target()
    assert "mean behind the ratio" in times_figure("x", result, read_samples(tmp_path, result).readings).caption


def test_a_side_whose_samples_were_all_disturbed_is_shown_and_said(tmp_path):
    rows = [row | {"valid": row["side"] != "baseline"} for row in sample_rows()]
    write_samples(tmp_path, rows)
    result = rich_target()
    found = spread_figure("x", result, read_samples(tmp_path, result).readings, 24)
    assert "baseline, median" in found.svg and "All samples of baseline were disturbed" in found.caption


def test_a_process_without_samples_keeps_its_place(tmp_path):
    rows = [row | {"valid": (row["side"], row["launch"]) != ("baseline", 0)} for row in sample_rows()]
    write_samples(tmp_path, rows)
    result = rich_target()
    found = spread_figure("x", result, read_samples(tmp_path, result).readings, 24)
    assert "6 boxes" in found.svg and "8 boxes" in found.svg and "Without a box" in found.caption


def test_a_launch_without_a_bar_says_why(tmp_path):
    rows = [row | {"valid": row["launch"] > 0 or at % 80 < 4} for at, row in enumerate(sample_rows())]
    write_samples(tmp_path, rows)
    result = rich_target()
    result.ratios["optimized"].units = units_of(rows)
    (found,) = forests("x", result, Samples(read_samples(tmp_path, result).readings))
    assert "A launch without a bar has too few undisturbed samples" in found.caption


def test_the_axis_of_the_ratios_names_the_sides():
    labels = {"baseline": "v1", "optimized": "main"}
    (found,) = forests("x", rich_target(labels=labels), Samples())
    assert "v1 over main" in found.svg and "baseline over" not in found.svg
