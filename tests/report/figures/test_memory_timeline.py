"""Live memory as a picture: the peak is marked where it is, however many readings there are."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfproof.report.figures.memory_timeline import POINTS, Memory, columns, memory_timeline

UNHURRIED = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

MiB = 2**20


def test_the_picture_in_words():
    memory = Memory([0.0, 1.0, 2.0], [MiB, 5 * MiB, 2 * MiB], [(0.0, 1.0), (1.0, 2.0)], 8.0 * MiB)
    root = ET.fromstring(memory_timeline("m", "Memory", memory))
    assert root.find("desc").text == (
        "Live memory over 2.00 s: it begins at 1.00 MiB, is highest with 5.00 MiB after 1.00 s, and ends at 2.00 MiB. "
        "8.00 MiB are reserved. 2 steps are marked."
    )
    words = [one.text for one in root.iter("text")]
    assert "peak 5.00 MiB" in words and "reserved 8.00 MiB" in words
    assert next(root.iter("circle")).get("cx") == "50%"


def test_every_second_step_has_a_band():
    memory = Memory([0.0, 4.0], [1.0, 2.0], [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0), (9.0, 10.0)])
    text = memory_timeline("m", "t", memory)
    assert text.count('class="band"') == 2 and "<title>step 3</title>" in text


def test_of_many_readings_no_peak_is_lost():
    live = [10.0] * 100_000
    live[73_211] = 99.0
    live[12_345] = 1.0
    kept = columns(Memory([at / 1000 for at in range(len(live))], live))
    assert len(kept) <= 2 * POINTS + 1
    assert max(value for _, value in kept) == 99.0 and min(value for _, value in kept) == 1.0
    assert kept == sorted(kept, key=lambda point: point[0])


def test_one_reading_is_drawn_and_none_is_no_picture():
    ET.fromstring(memory_timeline("m", "t", Memory([5.0], [7.0])))
    assert memory_timeline("m", "t", Memory([], [])) is None


def test_hostile_titles_stay_text():
    assert "<script" not in memory_timeline("m", "</svg><script>alert(1)</script>", Memory([0.0, 1.0], [1.0, 2.0]))


readings = st.lists(st.tuples(st.floats(0, 1e3), st.integers(0, 2**40)), min_size=1, max_size=60)


@UNHURRIED
@given(readings, st.none() | st.floats(0, 2**41))
def test_the_line_stays_inside_its_frame(points, reserved):
    points = sorted(points)
    memory = Memory([time for time, _ in points], [live for _, live in points], (), reserved)
    root = ET.fromstring(memory_timeline("m", "t", memory))
    line = next(one for one in root.iter("path") if one.get("class") == "live").get("d")
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", line)]
    assert all(0 <= number <= 1000 for number in numbers)
    assert 0 <= float(next(root.iter("circle")).get("cy")) <= 190


@pytest.mark.parametrize("live", [[0.0, 0.0], [2**62, 1.0]])
def test_extremes_are_drawn(live):
    ET.fromstring(memory_timeline("m", "t", Memory([0.0, 1e-9], live)))
