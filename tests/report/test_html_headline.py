"""The title and the one sentence of a page say the result as a person would."""

import pytest

from perfproof.report.html_headline import day_of, headline_of, sentence, title_of
from tests.report.sample_runs import MEMORY, MODES, SAME, UNDECIDED, everything, judged, run, target


def said(ratio, **fields):
    return sentence(target(ratio=ratio, **fields), "optimized")


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (
            judged(),
            "optimized is 3.21x faster than baseline: 3.21 ms to 1.00 ms per call, 97 % interval 3.18x to 3.24x.",
        ),
        (judged("slower", 0.5, 0.4, 0.8), "optimized is 2.00x slower than baseline"),
        (judged("slower", 0.5, 0.4, 0.8), "interval 1.25x to 2.50x"),
        (SAME, "are the same (any difference is below 0.8 %)"),
        (UNDECIDED, "Not decided (inconclusive): optimized looks 1.020x faster than baseline"),
        (MODES, "Not decided (unstable)"),
        (MEMORY, "optimized needs 2.00x less memory than baseline: 2.00 MiB to 1.00 MiB, no interval."),
        (judged("worse", 0.5, 0.4, 0.6, claim="energy"), "needs 2.00x more energy than baseline"),
        (judged("faster", claim="startup"), "is 3.21x faster to start than baseline"),
        (judged("better", claim="metric", clock="tokens"), "is 3.21x better by tokens than baseline"),
        (judged("inconclusive", None, None, None), "has no ratio to baseline: inconclusive"),
    ],
)
def test_a_result_is_one_sentence(ratio, words):
    assert words in said(ratio)


def test_two_programs_go_by_their_labels():
    labels = {"baseline": "old", "optimized": "new"}
    text = said(judged(), labels=labels, program={"a": {}})
    assert text.startswith("new is 3.21x faster than old: 3.21 ms to 1.00 ms, ")


def test_several_targets_are_counted_with_the_largest_gain_and_no_loss_is_left_out():
    headline = headline_of(everything())
    for words in (
        "13 results",
        "1 slower",
        "1 the same",
        "2 undecided",
        "5 broken",
        "1 skipped",
        "gain is 3.21x, of ch01",
    ):
        assert words in headline


def test_a_target_without_a_result_says_its_status():
    assert headline_of(run(target("x", status="crashed"))) == "x: crashed."
    assert "No target" in headline_of(run())


def test_the_title_names_what_was_measured_and_the_day():
    assert title_of(run(target("ch01:x"))) == "ch01:x, 1 January 2025"
    assert title_of(everything()) == "12 targets, 1 January 2025"
    assert title_of(run(target(), options={"sweep": {"target": "ch01:x"}})) == "Sweep of ch01:x, 1 January 2025"
    assert day_of("2026-11-16T23:30:00-02:00") == "17 November 2026" and day_of("long ago") == "long ago"
