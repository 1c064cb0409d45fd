"""A sweep's picture: what is drawn, in text that stays text, with nothing to fetch."""

import re
import xml.etree.ElementTree as xml

from perfproof.report.sweep.picture import svg
from tests.report.sample_runs import judged
from tests.report.sweep.test_table import swept


def words(picture):
    return [text.strip() for element in xml.fromstring(picture).iter() for text in element.itertext() if text.strip()]


def test_one_axis_is_a_line_with_intervals():
    picture = svg(swept({"threads": [1, 2, 16]}, [1.5, 2.0, 1.0]))
    assert {"1", "2", "16"} <= set(words(picture)) and any("threads" in word for word in words(picture))
    assert "polyline" in picture and bars(picture) == 3
    assert "x on xeon-2c" in words(picture)


def test_two_axes_are_a_heat_map_with_the_ratio_and_verdict_in_each_cell():
    said = " ".join(words(svg(swept({"threads": [1, 2], "size": [8, 9]}, [1.5, 2.0, 0.5, "crashed"]))))
    for text in ("1.50x", "2.00x", "0.50x", "crashed", "threads", "size"):
        assert text in said, text


def test_more_axes_are_folded_into_two():
    axes = {"a": [1, 2], "b": ["no", "yes"], "c": [3, 4]}
    said = words(svg(swept(axes, [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7])))
    assert {"1, no", "1, yes", "2, no", "2, yes", "3", "4", "a, b down, c across"} <= set(said)


def test_an_axis_of_one_value_takes_no_place():
    assert "polyline" in svg(swept({"memory": ["none"], "threads": [1, 2]}, [1.5, 2.0]))


def test_a_point_without_an_interval_or_without_a_ratio_leaves_a_gap():
    document = swept({"threads": [1, 2, 4]}, [1.5, 2.0, "timeout"])
    document.targets[1].ratios["optimized"] = judged("indicative", 2.0, None, None)
    assert svg(document).startswith("<?xml")


def bars(picture, style="line0"):
    return sum(
        one.get("d").count("M") for one in xml.fromstring(picture).iter() if one.get("class") == f"reach {style}"
    )


def test_every_interval_is_drawn_also_one_between_points_that_have_none():
    document = swept({"threads": [1, 2, 4]}, [1.5, 2.24, 1.9])
    assert bars(svg(document)) == 3
    for at in (0, 2):
        document.targets[at].ratios["optimized"] = judged("indicative", 1.9, None, None)
    assert bars(svg(document)) == 1


def test_a_heat_map_has_the_interval_of_each_cell():
    said = " ".join(words(svg(swept({"threads": [1, 2], "size": [8, 9]}, [1.5, 2.0, 0.5, 1.0]))))
    assert "1.50x [1.40, 1.60]" in said and "0.50x [0.40, 0.60]" in said


def test_a_sweep_without_a_ratio_has_no_picture():
    assert svg(swept({"threads": [1, 2]}, ["crashed", "timeout"])) == ""


def test_the_title_keeps_its_size_beside_the_rules_of_the_figure():
    picture = svg(swept({"threads": [1, 2]}, [1.5, 2.0]))
    assert ".figure text" in picture and "svg text" not in picture and "prefers-color-scheme" not in picture


def test_the_same_document_gives_the_same_picture_and_it_refers_to_nothing():
    document = swept({"threads": [1, 2]}, [1.5, 2.0])
    picture = svg(document)
    assert picture == svg(document)
    assert not re.search(r'href="(?!#)|<!DOCTYPE|url\((?!#)', picture)
