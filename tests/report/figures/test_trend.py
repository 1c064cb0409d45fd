"""The trend as a picture: every point, its interval, the marks, and the same in words; nothing smuggled in."""

import re
from xml.etree import ElementTree

import pytest

from perfproof.report.figures.trend import Level, Mark, TrendPoint, trend
from perfproof.report.trend.page import TrendView, render

POINTS = [TrendPoint(f"2026-01-{day:02d}", 1.8 if day < 12 else 1.7, 1.65, 1.85) for day in range(1, 25)]
MARKS = [Mark(11, "step", "-5.6 %"), Mark(22, "watch", "+2.0 %")]
LEVELS = [Level(0, 10, 1.8, 1.8), Level(11, 23, 1.7, 1.7)]


def steps(drawn, class_):
    paths = [one for one in ElementTree.fromstring(drawn).iter("path") if one.get("class") == class_]
    return [step for path in paths for step in re.findall(r"M[^M]+", path.get("d"))]


def test_every_point_interval_level_and_mark_is_drawn():
    drawn = trend("t", "title", "x", POINTS, LEVELS, MARKS)
    assert len(steps(drawn, "dots variant unit")) == 24 and len(steps(drawn, "whisker")) == 24
    assert len(steps(drawn, "median")) == 2 and len(steps(drawn, "cut")) == 1 and len(steps(drawn, "edge")) == 1


def test_a_step_down_goes_down_on_the_page():
    heights = [
        float(step.split(" ")[1].removesuffix("h0")) for step in steps(trend("t", "", "x", POINTS), "dots variant unit")
    ]
    assert heights[0] < heights[-1]  # y grows downwards


def test_the_picture_says_in_words_what_it_shows():
    drawn = trend("t", "ch01:x over time", "x", POINTS, LEVELS, MARKS)
    assert 'role="img"' in drawn and "ch01:x over time" in drawn
    assert "24 points from 2026-01-01 to 2026-01-24, from 1.8x to 1.7x. Step -5.6 % at 2026-01-12." in drawn
    assert "No change." in trend("t", "", "x", POINTS)


def test_one_point_and_none_can_be_drawn():
    assert "No points." in trend("t", "", "x", [])
    assert ElementTree.fromstring(trend("t", "", " ms", [TrendPoint("now", 3.0)])) is not None


def test_many_points_are_drawn_small_and_few_labels_written():
    drawn = trend("t", "", "x", POINTS * 40)
    assert len(steps(drawn, "dots variant")) == 960 and drawn.count("2026-01-") < 20


def test_points_stand_at_their_moments_and_days_are_on_the_axis():
    days = [1, 2, 30]
    points = [TrendPoint(f"day {day}", 1.5 + day / 100, when=86_400.0 * day) for day in days]
    drawn = trend("t", "", "x", points)
    places = [float(step.split(" ")[0][1:]) for step in steps(drawn, "dots variant unit")]
    assert (places[1] - places[0]) * 25 < places[2] - places[1]
    assert "1970-01-02" in drawn and "time of the run" in drawn
    assert "runs in their order" in trend("t", "", "x", [*points, TrendPoint("unknown", 2.0)])


def test_points_with_an_address_lead_there_and_say_what_they_are():
    evil = TrendPoint("d", 1.0, when=2.0, address='/runs/"><script>', words="<script>")
    drawn = trend("t", "", "x", [TrendPoint("c", 1.0, when=1.0, address="/runs/a", words="1.00x, a"), evil])
    links = list(ElementTree.fromstring(drawn).iter("a"))
    assert [one.get("href") for one in links] == ["/runs/a", '/runs/"><script>'] and "<script" not in drawn
    assert links[0].get("aria-label") == "1.00x, a" and 'role="group"' in drawn


def test_a_page_refers_to_nothing_and_escapes_every_word():
    evil = "<script>alert(1)</script>"
    view = TrendView(evil, evil, trend("t", evil, "x", POINTS), [[evil] * 7], [[evil] * 5])
    page = render(view)
    assert "<script" not in page and page.count("&lt;script&gt;") > 10
    assert "default-src 'none'" in page.replace("&#39;", "'") and not re.search(r"(src|href)=", page)


@pytest.mark.parametrize("seconds", [1, 5, 90, 400, 3_000, 40_000, 400_000])
def test_no_time_stands_twice_on_the_axis(seconds):
    start = 1_795_132_800.0
    points = [TrendPoint("d", 1.5, when=start + seconds * at / 9) for at in range(10)]
    drawn = ElementTree.fromstring(trend("t", "", "x", points))
    texts = [one.text for one in drawn.iter("text") if re.search(r"\d[:-]\d", one.text or "")]
    assert len(texts) >= 2 and len(set(texts)) == len(texts)
