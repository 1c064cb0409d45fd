"""Counters of perf stat, recorded on a machine without hardware counters."""

import contextlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.profile.readers.perf_stat import read, recognises
from tests.profile.readers.conftest import RECORDED


def values(events):
    return {total.path: total.values["value"] for total in events.totals}


def test_counters_that_are_not_supported_are_unknown_and_not_zero():
    events = read(RECORDED / "perf_stat.csv")
    assert values(events) == {("task-clock",): 0.41, ("context-switches",): 0, ("page-faults",): 49}
    assert events.unknown["cycles"] == events.unknown["instructions"] == "this machine does not count it"
    assert events.warnings == []


def test_steps_are_a_series_and_their_sum_a_total():
    events = read(RECORDED / "perf_stat_interval.csv")
    clock = events.series["task-clock"]
    assert clock.unit == "msec" and values(events)[("task-clock",)] == pytest.approx(sum(clock.values))
    assert 90_000_000 < clock.times_ns[0] < 120_000_000
    assert "cycles" in events.unknown and "task-clock" not in events.unknown


def test_a_step_that_was_not_counted_is_said(write):
    events = read(write("1.0,5,,faults,1,100.00,,\n2.0,<not counted>,,faults,0,100.00,,\n"))
    assert values(events) == {("faults",): 5} and "not counted in every step" in events.warnings[0]


def test_cores_are_kept_apart(write):
    text = "S0-D0-C0,2,0.5,msec,task-clock,9,100.00,,\nCPU3,0.25,msec,task-clock,9,100.00,,\n"
    assert values(read(write(text))) == {("task-clock", "S0-D0-C0"): 0.5, ("task-clock", "CPU3"): 0.25}


def test_counters_that_shared_hardware_are_named(write):
    events = read(write("1000,,cycles,5,40.00,,\n"))
    assert events.warnings == ["scaled by perf, for they shared a counter: cycles"]


@pytest.mark.parametrize("content", ["", "# started on\n", "a,b,c\n", "1,2,3\n", "12,,\n"])
def test_a_file_without_counters_is_refused(write, content):
    with pytest.raises(DocumentError, match="has no counter"):
        read(write(content))


def test_it_is_recognised_by_its_first_line():
    for name in ("perf_stat.csv", "perf_stat_interval.csv"):
        assert recognises(RECORDED / name, (RECORDED / name).read_bytes())
    assert not recognises(Path("x"), b"name,us,flops\n") and not recognises(Path("x"), b"")


@given(st.text(alphabet="0123456789.,<>not counted\n#", max_size=80))
def test_no_text_crashes_the_reader(text):
    with tempfile.NamedTemporaryFile("w") as file, contextlib.suppress(DocumentError):
        file.write(text)
        file.flush()
        read(Path(file.name))
