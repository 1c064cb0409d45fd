"""The sides of a target on one axis from zero."""

from xml.etree import ElementTree

from perfproof.core import units
from perfproof.report.figures.times import Side, times

SIDES = [Side("baseline", "base", 2e-3, 1.8e-3, 2.4e-3), Side("optimized", "variant", 1e-3)]


def test_lengths_are_in_proportion_and_the_axis_begins_at_zero_with_labels():
    drawn = ElementTree.fromstring(times("t", "Times", SIDES, "time per call", units.seconds))
    widths = [float(one.get("width")) for one in drawn.iter("rect")]
    assert abs(widths[0] / widths[1] - 2) < 0.02
    labels = [one.text for one in drawn.iter("text")]
    assert "0" in labels and "1.00 ms" in labels and "baseline: 2.00 ms" in labels


def test_the_spread_is_drawn_where_samples_are_known_and_said_in_words():
    drawn = times("t", "Times", SIDES, "time per call", units.seconds)
    assert drawn.count('class="spread"') == 1
    assert "baseline 2.00 ms, samples from 1.80 ms to 2.40 ms; optimized 1.00 ms." in drawn
