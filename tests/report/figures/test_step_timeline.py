"""One step as a picture: places are shares of its time, tiny neighbours are joined, the words say what is drawn."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfproof.report.figures.step_timeline import CAUSES, Block, Lane, Pause, paused, step_timeline

UNHURRIED = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ATTACK = '</svg><script>alert(1)</script>" onload="x'
LANES = [
    Lane("GPU 0", [Block(0.0, 0.5, "compute", "gemm")], [Pause(0.5, 0.875, "host"), Pause(0.875, 1.0, "sync")]),
    Lane("host", [Block(0.1, 0.9, "operator", "linear"), Block(0.2, 0.4, "call", "launch", row=1)]),
]


def parts(text, style):
    return [one for one in ET.fromstring(text).iter("svg") if (one.get("class") or "").split()[:2] == style.split()]


def share(text):
    return float(text.removesuffix("%")) / 100


def test_places_are_shares_of_the_step():
    text = step_timeline("s", "t", LANES, 0.0, 1.0)
    (gemm,), (linear,), (idle,) = (parts(text, style) for style in ("work compute", "work operator", "pause host"))
    assert (share(gemm.get("x")), share(gemm.get("width"))) == (0, 0.5)
    assert (share(linear.get("x")), share(linear.get("width"))) == (0.1, 0.8)
    assert (share(idle.get("x")), share(idle.get("width"))) == (0.5, 0.375)
    assert gemm.find("title").text == "gemm: 500 ms, computing"
    assert idle.find("title").text == "idle, waits for the host: 375 ms"


def test_the_picture_in_words():
    said = ET.fromstring(step_timeline("s", "t", LANES, 0.0, 1.0)).find("desc").text
    assert said == (
        "1.00 s from left to right, 2 lanes. GPU 0: busy 50.0 %. host: busy 80.0 %. Idle, waits for the host: 375 ms, "
        "37.5 %. Idle, after a synchronisation: 125 ms, 12.5 %."
    )


def test_the_key_explains_what_is_drawn_and_nothing_else():
    words = [one.text for one in ET.fromstring(step_timeline("s", "t", LANES, 0.0, 1.0)).iter("text")]
    assert "idle: waits for the host" in words and "idle: waits for input" not in words
    assert "communication" not in words


def test_what_lies_outside_the_step_is_cut_at_its_edges():
    lane = Lane("l", [Block(-1.0, 0.5, "compute", "a"), Block(2.0, 3.0, "compute", "b")], [Pause(0.5, 9.0, "input")])
    text = step_timeline("s", "t", [lane], 0.0, 1.0)
    assert len(parts(text, "work compute")) == 1
    assert paused([lane], 0.0, 1.0) == {"input": 0.5}


def test_tiny_neighbours_are_one_block_that_says_how_many_and_is_as_high_as_they_are_busy():
    many = [Block(at * 1e-5, at * 1e-5 + 5e-6, "compute", f"k{at}") for at in range(400)]
    (found,) = parts(step_timeline("s", "t", [Lane("l", many)], 0.0, 1.0), "work compute")
    assert found.find("title").text.startswith("400 short ones, the longest k")
    assert float(found.find("rect").get("height")) == pytest.approx(17 / 2, abs=0.1)


def test_a_lane_of_tiny_kernels_shows_that_it_is_idle_between_them():
    many = [Block(at * 1e-4, at * 1e-4 + 5e-5, "compute", "k") for at in range(10_000)]
    idle = [Pause(at * 1e-4 + 5e-5, at * 1e-4 + 1e-4, "launch") for at in range(10_000)]
    text = step_timeline("s", "t", [Lane("l", many, idle)], 0.0, 1.0)
    blocks, pauses = parts(text, "work compute"), parts(text, "pause launch")
    assert 200 <= len(blocks) <= 300 and 200 <= len(pauses) <= 300
    assert all(7.5 <= float(one.find("rect").get("height")) <= 10 for one in blocks)
    assert "short ones, mostly between launches" in pauses[0].find("title").text


def test_a_long_block_keeps_its_name_beside_tiny_ones():
    blocks = [Block(0.0, 0.5, "compute", "gemm"), Block(0.5, 0.5001, "compute", "tiny")]
    found = parts(step_timeline("s", "t", [Lane("l", blocks)], 0.0, 1.0), "work compute")
    assert [one.find("title").text.partition(":")[0] for one in found] == ["gemm", "tiny"]


@pytest.mark.parametrize(("lanes", "end"), [([], 1.0), ([Lane("l", [])], 1.0), (LANES, 0.0), (LANES, -1.0)])
def test_nothing_to_draw_is_no_picture(lanes, end):
    assert step_timeline("s", "t", lanes, 0.0, end) is None


def test_hostile_names_stay_text():
    text = step_timeline("s", ATTACK, [Lane(ATTACK, [Block(0, 1, "compute", ATTACK)], [Pause(0, 1, "host")])], 0.0, 1.0)
    assert "<script" not in text and 'onload="' not in text
    ET.fromstring(text)


times = st.tuples(st.floats(-2, 3), st.floats(0, 2)).map(lambda one: (one[0], one[0] + one[1]))


@UNHURRIED
@given(st.lists(times, max_size=20), st.lists(st.tuples(times, st.sampled_from(list(CAUSES))), max_size=10))
def test_nothing_is_drawn_outside_the_page(blocks, pauses):
    lane = Lane("l", [Block(*span, "compute", "k") for span in blocks], [Pause(*span, why) for span, why in pauses])
    text = step_timeline("s", "t", [lane], 0.0, 1.0)
    if text is None:
        return
    for one in ET.fromstring(text).iter("svg"):
        if (one.get("x") or "").endswith("%"):
            assert share(one.get("x")) >= 0 and share(one.get("width")) >= 0
            assert share(one.get("x")) + share(one.get("width")) <= 1.002
    assert all(seconds >= 0 for seconds in paused([lane], 0.0, 1.0).values())
