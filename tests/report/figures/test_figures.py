"""Figures: pure functions from numbers to SVG that an XML parser reads and a person can follow."""

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.report.figures import svg
from perfproof.report.figures.bars import Share, cell_bar, interval_mark, speed_of_light
from perfproof.report.figures.forest import Estimate, forest, shows_one
from perfproof.report.figures.order import Track, order
from perfproof.report.figures.scale import Scale, round_values
from perfproof.report.figures.spread import Box, Panel, spread

WHOLE = Estimate("in all", 2.0, 1.9, 2.1)
ratios = st.floats(0.01, 100)


def numbers_of(text):
    """Every coordinate of a figure."""
    places = re.findall(r'(?:d|points|x|y|width|height)="([^"]*)"', text)
    return [float(number) for place in places for number in re.findall(r"-?\d+(?:\.\d+)?", place)]


def test_the_forest_says_in_words_what_it_draws():
    root = ET.fromstring(
        forest("f", "Ratios", [Estimate("launch 1", 2.0), Estimate("launch 2", 2.05, 2.0, 2.1)], WHOLE, 0.01)
    )
    assert root.find("title").text == "Ratios"
    assert root.find("desc").text == "In all 2.00x, interval 1.9 to 2.1. launch 1 2.00x, launch 2 2.05x."
    assert [one.text for one in root.iter("text")][-1] == "in all"


def test_one_is_on_the_axis_only_where_it_leaves_room_for_the_launches():
    assert shows_one([Estimate("", 1.01, 0.99, 1.03)])
    assert not shows_one([Estimate("", 9.0, 8.99, 9.01)])
    assert "1x lies to the left" in forest("f", "", [], Estimate("", 9.0, 8.99, 9.01), 0.01)
    assert "1x lies to the right" in forest("f", "", [], Estimate("", 0.1, 0.0999, 0.1001), 0.01)


@given(st.lists(ratios, min_size=1, max_size=20), ratios)
def test_a_forest_stays_inside_its_frame(units, ratio):
    text = forest("f", "t", [Estimate("l", unit, unit * 0.9, unit * 1.1) for unit in units], Estimate("", ratio), 0.01)
    ET.fromstring(text)
    assert all(math.isfinite(number) and -1 <= number <= 480 for number in numbers_of(text))


@given(st.lists(st.floats(-0.99, 1000), min_size=5, max_size=5).map(sorted))
def test_a_box_stays_inside_its_frame_however_long_its_whiskers(ends):
    text = spread("s", "t", [Panel("baseline", "base", [Box("1", *ends, count=9)])], "processes")
    ET.fromstring(text)
    assert all(0 <= number <= 440 for number in numbers_of(text))


def test_a_drift_is_visible_and_said():
    points = [(at, at / 1000) for at in range(100)]
    text = order("o", "t", [Track("baseline", "base", points, points[::10])], 100, [50], (-0.1, 0.1))
    root = ET.fromstring(text)
    assert "begins at 0 %, ends at +9.0 %" in root.find("desc").text
    heights = [float(place.split(",")[1]) for place in root.find("polyline").get("points").split()]
    assert heights == sorted(heights, reverse=True) and heights[0] - heights[-1] > 20


def test_what_is_beyond_the_axis_is_drawn_at_its_edge():
    text = order("o", "t", [Track("b", "base", [(0, 9.0), (1, 0.0)], [])], 2, [], (-0.1, 0.1))
    assert 'd="M52 26h0M432 60h0"' in text


def test_the_speed_of_light_is_as_long_as_the_share():
    root = ET.fromstring(speed_of_light("l", "t", [Share("baseline: 25 %", "base", 0.25), Share("b", "variant", 0.5)]))
    short, long = (float(one.get("width")) for one in root.iter("rect"))
    assert long == pytest.approx(2 * short, abs=0.2)
    over = ET.fromstring(speed_of_light("l", "t", [Share("b", "variant", 1.2)]))
    assert float(next(over.iter("rect")).get("width")) == pytest.approx(418, abs=1)


def test_marks_beside_numbers_are_no_images_to_a_screen_reader():
    scale = Scale(0.5, 4, 3, 117, log=True)
    for mark in (
        cell_bar(0.5, "base"),
        interval_mark(scale, 2.0, 1.5, 3.0, "good"),
        interval_mark(scale, 2, None, None, ""),
    ):
        assert ET.fromstring(mark).get("aria-hidden") == "true"


def test_every_word_and_attribute_is_escaped():
    text = svg.picture("i", "<b>\"'&", "\x00</desc>", (1, 1), [svg.words("<script>", 0, 0), svg.tag("g", id='"><x')])
    root = ET.fromstring(text)
    assert root.find("title").text == "<b>\"'&" and root.find("desc").text == "\\u0000</desc>"
    assert root.find("text").text == "<script>" and root.find("g").get("id") == '"><x'


def test_a_figure_has_no_style_and_no_address_of_its_own():
    text = forest("f", "t", [Estimate("l", 2.0)], WHOLE, 0.01)
    assert "style" not in text and "http" not in text and "fill" not in text


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_few_and_inside(low, width):
    ticks = round_values(low, low + width)
    assert len(ticks) <= 5
    assert all(low - 1e-6 * width <= tick <= low + width * (1 + 1e-6) for tick in ticks)


def test_ticks_of_a_wide_ratio_are_decades():
    assert Scale(0.5, 60, 0, 1, log=True).ticks(6) == [1, 3, 10, 30]
    assert Scale(0.9, 1.1, 0, 1, log=True).ticks() == pytest.approx([0.9, 0.95, 1.0, 1.05, 1.1])


def test_a_scale_without_width_has_a_middle_and_no_ticks():
    assert Scale(1, 1, 0, 10).at(1) == 5 and Scale(1, 1, 0, 10).ticks() == []
