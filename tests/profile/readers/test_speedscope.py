"""Speedscope profiles."""

import contextlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.core.events import Kind
from perfproof.profile.readers.speedscope import read, recognises

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
FRAMES = [{"name": "main", "file": "train.py", "line": 3}, {"name": "step"}, 5]
SAMPLED = {
    "type": "sampled", "name": "thread 1", "unit": "seconds", "startValue": 0, "endValue": 0.03,
    "samples": [[0, 1], [0], [0, 1]], "weights": [0.01, 0.01, 0.02],
}  # fmt: skip
STEPS = [("O", 0, 10), ("O", 1, 12), ("C", 1, 20), ("C", 0, 30)]
EVENTED = {
    "type": "evented", "name": "thread 2", "unit": "microseconds", "startValue": 0, "endValue": 30,
    "events": [{"type": kind, "frame": frame, "at": at} for kind, frame, at in STEPS],
}  # fmt: skip


def document(*profiles):
    return {"$schema": SCHEMA, "shared": {"frames": FRAMES}, "profiles": list(profiles)}


def test_samples_are_added_up_by_stack(write):
    events = read(write(document(SAMPLED)))
    step, main = events.totals
    assert step.path == ("main (train.py:3)", "step")
    assert step.values == {"samples": 2, "time_ns": pytest.approx(3e7)} and main.values["samples"] == 1
    assert "no times" in events.unknown["timeline"]


def test_weights_without_a_unit_of_time_are_called_weights(write):
    assert read(write(document(SAMPLED | {"unit": "bytes"}))).totals[1].values == {"samples": 1, "weight": 0.01}


def test_openings_and_closings_are_rows(write):
    events = read(write(document(SAMPLED, EVENTED)))
    rows = [(row.name, row.start_ns, row.end_ns, row.thread) for row in events.rows(Kind.PYTHON)]
    assert rows == [("step", 12_000, 20_000, 1), ("main (train.py:3)", 10_000, 30_000, 1)]
    assert "timeline" not in events.unknown and events.warnings == []


@pytest.mark.parametrize(
    "broken",
    [
        {"samples": [[99], [0], [0]]},
        {"samples": [["x"], [0], [0]]},
        {"weights": [0.01]},
        {"weights": ["x", 0.01, 0.01]},
        {"weights": [10**400, 0.01, 0.01]},
        {"type": "odd"},
    ],
)
def test_what_cannot_be_read_is_left_out_and_said(write, broken):
    events = read(write(document(SAMPLED | broken)))
    assert events.warnings == ["1 samples or steps could not be read and were left out"]


def test_closings_that_do_not_match_are_left_out(write):
    steps = [
        {"type": "C", "frame": 0, "at": 1},
        {"type": "O", "frame": 0, "at": 2},
        {"type": "O", "frame": 1, "at": 1e300},
    ]
    events = read(write(document(EVENTED | {"events": steps})))
    assert len(events) == 0 and events.warnings[0].startswith("3 ")


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", {"shared": {}}, {"shared": {"frames": []}}, "[" * 100_000])
def test_what_is_no_profile_is_refused(write, content):
    with pytest.raises(DocumentError):
        read(write(content))


def test_it_is_recognised_by_its_schema():
    assert recognises(Path("x"), json.dumps(document()).encode())
    assert not recognises(Path("x"), b'{"traceEvents": [], "shared": 1, "frames": 2}')


ANY = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=3),
    lambda one: st.lists(one, max_size=3) | st.dictionaries(st.sampled_from(["frame", "at", "type"]), one),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(ANY, ANY, ANY, st.sampled_from(["sampled", "evented"]))
def test_no_content_crashes_the_reader(first, second, third, kind):
    profile = {"type": kind, "unit": "seconds", "samples": first, "weights": second, "events": third}
    with tempfile.NamedTemporaryFile("w") as file, contextlib.suppress(DocumentError):
        file.write(json.dumps(document(profile)))
        file.flush()
        read(Path(file.name))


def test_samples_without_frames_are_counted(write):
    profile = {"type": "sampled", "unit": "seconds", "samples": [[0], []], "weights": [1, 3]}
    events = read(write({"shared": {"frames": [{"name": "f"}]}, "profiles": [profile]}))
    assert {total.path: total.values["samples"] for total in events.totals} == {("f",): 1.0, ("(no frames)",): 1.0}
    assert not events.warnings
