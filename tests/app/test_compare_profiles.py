"""Two profiles of one program: per step if both have steps, else per recording."""

import json

import pytest

from perfproof.app.compare_profiles import compare_profiles
from perfproof.cli.show.profile_comparison import comparison_text
from perfproof.core.errors import UsageError


def trace(path, kernels, steps, start_us=0):
    """Steps of 100 µs, each with these kernels (name: duration in µs), after a start-up with one long kernel."""
    events = [_event("kernel", "startup", 1_000 + start_us, 900, 7)]
    for step in range(steps):
        begin = 5_000 + 100 * step + start_us
        events.append(_event("user_annotation", f"ProfilerStep#{step}", begin, 100, 1))
        for place, (name, length) in enumerate(kernels.items()):
            events.append(_event("kernel", name, begin + 10 * place, length, 7))
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def _event(kind, name, start, length, thread):
    args = {"stream": 7, "device": 0} if kind == "kernel" else {}
    return {"ph": "X", "cat": kind, "name": name, "pid": 0, "tid": thread, "ts": start, "dur": length, "args": args}


def test_kernels_that_came_went_and_changed_are_named_per_step(tmp_path):
    a = trace(tmp_path / "a.json", {"add": 4, "mul": 3, "old": 5}, steps=6)
    b = trace(tmp_path / "b.json", {"add": 8, "mul": 3, "new": 2}, steps=12)
    found = compare_profiles(a, b)
    assert found.per == "step" and found.a.steps > 1 and found.b.steps > found.a.steps
    rows = {row.name: row for row in found.rows}
    assert {name: row.change for name, row in rows.items()} == {
        "add": "changed",
        "mul": "same",
        "old": "gone",
        "new": "added",
    }, "start-up is left out, and twice as many steps are no change"
    assert (rows["add"].before.seconds, rows["add"].after.seconds) == pytest.approx((4e-6, 8e-6))
    assert "1 gone, 1 added, 1 changed, 1 same" in comparison_text(found)


def test_a_profile_with_itself_has_no_difference(tmp_path):
    a = trace(tmp_path / "a.json", {"add": 4, "mul": 3}, steps=6)
    assert {row.change for row in compare_profiles(a, a).rows} == {"same"}


def test_without_steps_whole_recordings_are_compared_and_that_is_said(tmp_path):
    files = []
    for name, end in (("a.csv", 2000), ("b.csv", 9000)):
        files.append(tmp_path / name)
        files[-1].write_text(f'"Kernel_Name","Start_Timestamp","End_Timestamp"\n"add",1000,{end}\n')
    found = compare_profiles(*files)
    assert found.per == "recording" and [row.change for row in found.rows] == ["changed"]
    assert "whole recordings" in comparison_text(found)


def test_counters_and_a_timeline_are_not_compared(tmp_path):
    (tmp_path / "ncu.csv").write_text('"ID","Kernel Name","gpu__time_duration.sum"\n"","","ns"\n"0","add","5"\n')
    with pytest.raises(UsageError, match="one kind"):
        compare_profiles(tmp_path / "ncu.csv", trace(tmp_path / "a.json", {"add": 4}, steps=3))
