"""The flame graph: widths are weights, small frames are folded and never lost, hostile names stay text."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfproof.report.figures.flame import flame, own_weights
from perfproof.report.figures.flame_tree import BELOW_BROAD, DEEPER, OTHERS, laid_out, merged

UNHURRIED = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ATTACK = '</svg><script>alert(1)</script>" onload="x'


def samples(weight):
    return f"{weight:g} samples"


def drawn(weights):
    return ET.fromstring(flame("f", "Flame graph", weights, samples))


def test_stacks_that_begin_alike_share_their_frames():
    frames = laid_out(merged({("main", "a"): 3.0, ("main", "b", "c"): 1.0}))
    assert sorted((one.depth, one.x, one.width, one.name) for one in frames) == [
        (0, 0.0, 1.0, "main"),
        (1, 0.0, 0.75, "a"),
        (1, 0.75, 0.25, "b"),
        (2, 0.75, 0.25, "c"),
    ]


def test_small_frames_become_one_that_says_how_many():
    weights = {("main", f"f{at}"): 1.0 for at in range(1000)} | {("main", "big"): 9000.0}
    (folded,) = [one for one in laid_out(merged(weights)) if one.folded]
    assert (folded.name, folded.folded, folded.weight) == (OTHERS, 1000, 1000.0)
    assert "others (1000 too small to draw): 1000 samples, 10.0 %" in [one.text for one in drawn(weights).iter("title")]


def test_a_thin_column_does_not_make_the_picture_tall():
    weights = {("main",): 99.0, tuple("abcdefghijklmnopqrstuvwxyz"): 1.0}
    frames = laid_out(merged(weights))
    assert max(one.depth for one in frames) == 1 + BELOW_BROAD
    assert [one.name for one in frames if one.depth == 1 + BELOW_BROAD] == [DEEPER]


def test_a_stack_of_a_thousand_frames_is_drawn():
    assert drawn({tuple(f"f{at}" for at in range(1000)): 1.0}) is not None


def test_the_text_alternative_names_what_weighs_most_wherever_it_was_called_from():
    root = drawn({("a", "hot"): 2.0, ("b", "hot"): 1.0, ("b",): 1.0})
    assert root.find("title").text == "Flame graph"
    assert (
        root.find("desc").text == "3 stacks, 4 samples in all. Innermost frames that weigh most: hot 75.0 %; b 25.0 %."
    )
    assert own_weights({("a", "hot"): 2.0, ("b", "hot"): 1.0}) == {"hot": 3.0}


def test_frames_of_one_file_have_one_colour():
    classes = {
        part.find("title").text.split(" ")[0]: part.get("class").split()[1]
        for part in drawn({("f (a.py:1)", "g (a.py:22)"): 1.0, ("x.py(3): h",): 1.0, ("x.py(9): k",): 1.0}).iter("svg")
        if part.get("class").startswith("frame")
    }
    assert classes["f"] == classes["g"] and classes["x.py(3):"] == classes["x.py(9):"]


def test_a_name_is_cut_to_its_frame_and_whole_in_the_tooltip():
    name = "a_rather_long_name_of_a_function" * 3
    root = drawn({("m", name): 1.0, ("m", "z"): 9.0})
    shown = [one.text for one in root.iter("text")]
    assert any(text.endswith("…") and len(text) < 20 for text in shown)
    assert any(one.text.startswith(name) for one in root.iter("title"))


def test_hostile_names_stay_text():
    text = flame("f", ATTACK, {(ATTACK, "\x00\x1b[31m\u202e"): 1.0}, samples)
    assert "<script" not in text and 'onload="' not in text
    ET.fromstring(text)


@pytest.mark.parametrize("weights", [{}, {(): 1.0}, {("a",): 0.0}, {("a",): -1.0}, {("a",): float("nan")}])
def test_what_weighs_nothing_is_no_picture(weights):
    assert flame("f", "t", weights, samples) is None


paths = st.lists(st.sampled_from(["a", "b", "c", "<d>"]), min_size=1, max_size=8).map(tuple)


@UNHURRIED
@given(st.dictionaries(paths, st.floats(1e-3, 1e6), min_size=1, max_size=40))
def test_frames_lie_inside_the_page_and_never_over_each_other(weights):
    frames = laid_out(merged(weights))
    assert sum(one.width for one in frames if one.depth == 0) == pytest.approx(1.0, abs=0.01)
    for depth in {one.depth for one in frames}:
        level = sorted((one.x, one.width) for one in frames if one.depth == depth)
        assert all(x >= 0 and width > 0 and x + width <= 1 + 1e-9 for x, width in level)
        assert all(x + width <= after + 1e-9 for (x, width), (after, _) in pairwise(level))
    above = {depth: sum(one.width for one in frames if one.depth == depth) for depth in {one.depth for one in frames}}
    assert all(above[depth] <= above[depth - 1] + 1e-9 for depth in above if depth)
