"""The title and the one sentence of a page say the result as a person would."""

from perfproof.report.html.headline import day_of, headline_of, title_of
from perfproof.report.sentences import conclusion
from tests.report.sample_runs import everything, judged, run, target


def test_the_headline_of_one_target_is_the_sentence_that_the_terminal_prints():
    one = target(ratio=judged())
    assert headline_of(run(one)) == conclusion(one, "optimized")
    assert headline_of(run(one)).startswith(
        "optimized is 3.21x faster than baseline (3.21 ms → 1.00 ms), 97 % interval"
    )


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
