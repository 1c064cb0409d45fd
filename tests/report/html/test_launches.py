"""The ratios of launches are worked out again from raw samples, and a disagreement is said."""

import math

import pytest

from perfproof.report.html.launches import launches_of
from perfproof.report.html.samples import read_samples
from tests.report.sample_pages import rich_target, sample_rows, units_of, write_samples


def readings_of(folder, rows):
    write_samples(folder, rows)
    return read_samples(folder, rich_target()).readings


def test_every_launch_agrees_with_the_document_and_gets_an_interval(tmp_path):
    judged = rich_target().ratios["optimized"]
    found = launches_of(judged, "optimized", readings_of(tmp_path, sample_rows()))
    assert found.recomputed and not found.differ
    assert [one.label for one in found.estimates] == ["launch 1", "launch 2", "launch 3", "launch 4"]
    assert [math.log(one.ratio) for one in found.estimates] == pytest.approx(judged.units)
    assert all(one.low < one.ratio < one.high < one.low * 1.05 for one in found.estimates)


def test_other_samples_than_those_of_the_document_are_noticed(tmp_path):
    found = launches_of(rich_target().ratios["optimized"], "optimized", readings_of(tmp_path, sample_rows(seed=2)))
    assert found.differ and not found.recomputed
    assert all(one.low is None for one in found.estimates)


def test_dropped_quads_are_left_out_as_they_were(tmp_path):
    rows = sample_rows(dropped=3)
    judged = rich_target().ratios["optimized"].model_copy(update={"units": units_of(rows)})
    assert launches_of(judged, "optimized", readings_of(tmp_path, rows)).recomputed


def test_a_launch_that_lost_a_process_gives_no_unit(tmp_path):
    rows = [row for row in sample_rows() if (row["launch"], row["slot"]) != (2, -1)]
    whole = [row for row in rows if row["launch"] != 2]
    judged = rich_target().ratios["optimized"].model_copy(update={"units": units_of(whole)})
    found = launches_of(judged, "optimized", readings_of(tmp_path, rows))
    assert found.recomputed and len(found.estimates) == 3


def test_older_ratios_and_those_of_programs_are_shown_as_stored(tmp_path):
    readings, judged = readings_of(tmp_path, sample_rows()), rich_target().ratios["optimized"]
    for other in ({"baseline": None, "variant": None}, {"rung": "programs"}, {"rung": "lead-in"}, {"claim": "memory"}):
        found = launches_of(judged.model_copy(update=other), "optimized", readings)
        assert not found.recomputed and not found.differ and len(found.estimates) == 4


def test_without_samples_the_stored_ratios_are_shown(tmp_path):
    found = launches_of(rich_target().ratios["optimized"], "optimized", ())
    assert len(found.estimates) == 4 and not found.recomputed and not found.differ


def test_samples_that_make_no_quads_are_not_forced_into_some(tmp_path):
    found = launches_of(rich_target().ratios["optimized"], "optimized", readings_of(tmp_path, sample_rows()[1:]))
    assert not found.recomputed
