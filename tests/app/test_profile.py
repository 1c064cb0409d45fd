"""What a record says of captures that went wrong, and what is compared."""

import json
from types import SimpleNamespace

import pytest

from perfproof.app.profile import (
    Wishes,
    _counted,
    _looked_closer,
    _with_calls,
    _with_counters,
    differences,
    exit_code,
)
from perfproof.core.facts import Facts
from perfproof.core.profile_record import Capture, Portion, ProfileRecord
from perfproof.profile.manifest.roles import metrics_of
from perfproof.profile.manifest.selection import find
from perfproof.profile.plans import Work

MM = Portion(kind="operator", name="aten::mm", launches=6, seconds=3.0)


def capture(variant="", status="ok", **fields):
    return Capture(tool="torch", variant=variant, status=status, **fields)


def facts(capability):
    return Facts("cuda:0", capability, 1, 1, lambda name: True)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [(["ok"], 0), (["ok", "absent"], 3), (["denied"], 3), (["timeout", "absent"], 4), (["failed"], 4)],
)
def test_the_highest_exit_code_wins(statuses, code):
    fields = {"perfproof_version": "", "started": "", "asked_tool": "auto", "tool": "torch", "preset": "minimal"}
    assert exit_code(ProfileRecord(**fields, captures=[capture(status=status) for status in statuses])) == code


def test_every_variant_is_compared_with_the_baseline_and_none_without():
    found = differences(
        [capture("baseline", portions=[MM]), capture("optimized"), capture("optimized_b", portions=[MM])]
    )
    assert [(one.before, one.after, [row.change for row in one.rows]) for one in found] == [
        ("baseline", "optimized", ["gone"]),
        ("baseline", "optimized_b", ["same"]),
    ]
    assert differences([capture("optimized")]) == []


def test_a_side_that_went_wrong_is_not_compared():
    (one,) = differences([capture("baseline"), capture("optimized", "timeout", why="too long")])
    assert one.refused == "optimized is timeout: too long" and one.rows == []


def test_what_the_child_learnt_is_in_the_capture(tmp_path):
    answer = {"calls": 3, "call_seconds": 1.0, "profiled_call_seconds": 2.0}
    (tmp_path / "optimized.settings.answer.json").write_text(json.dumps(answer))
    found = _with_calls(capture(), Work(("a",), tmp_path, "minimal", name="optimized"))
    assert (found.status, found.calls, found.profiled_call_seconds) == ("ok", 3, 2.0)


def test_calls_that_came_to_no_end_are_a_failure_without_figures(tmp_path):
    found = _with_calls(capture(portions=[MM]), Work(("a",), tmp_path, "minimal", name="optimized"))
    assert (found.status, found.portions) == ("failed", []) and "see optimized.stderr" in found.why


def test_counters_are_those_of_the_chip_that_is_there(tmp_path):
    work = Work(("a",), tmp_path, "roofline")
    assert "sm__ops_path_tensor_src_fp16.sum" in _with_counters(work, Wishes(preset="roofline"), facts(9.0)).metrics
    blackwell = _with_counters(work, Wishes(preset="roofline"), facts(10.0)).metrics
    assert blackwell and "sm__ops_path_tensor_src_fp16.sum" not in blackwell


def test_a_pair_brings_its_own_counters_and_its_chapters(tmp_path, monkeypatch):
    work, pair = Work(("a",), tmp_path, "minimal"), SimpleNamespace(chapter="ch07", counters=("SMEM",))
    plain = set(_with_counters(work, Wishes(), facts(9.0)).metrics)
    found = _with_counters(work, Wishes(), facts(9.0), pair)
    own, chapter = metrics_of(["SMEM"], "GH100"), metrics_of(find("ch07").metrics, "GH100")
    assert plain | {*own, *chapter} == set(found.metrics) and found.tracing == ("cuda", "nvtx")
    named = _with_counters(work, Wishes(metrics="quick"), facts(9.0), pair)
    assert set(named.metrics) == plain, "--metrics has the word"
    stranger = SimpleNamespace(chapter="mine", counters=())
    assert set(_with_counters(work, Wishes(), facts(9.0), stranger).metrics) == plain


def test_a_chip_without_a_list_leaves_the_other_tools_usable(tmp_path):
    work = Work(("a",), tmp_path, "minimal")
    assert _with_counters(work, Wishes(), facts(7.0)) == work


def test_without_a_wish_the_recording_decides_how_many_steps_it_needs():
    assert Wishes().window["steps"] is None and Wishes(steps=5).window["steps"] == 5 and Wishes(steps=0).window is None


KERNELS = [
    Portion(kind="kernel", name="moments_kernel", launches=40, seconds=1.6),
    Portion(kind="kernel", name="at::native::reduce_kernel", launches=400, seconds=0.2),
]
METRIC_RECORD = {"perfproof_version": "", "started": "", "asked_tool": "auto", "tool": "torch", "preset": "minimal"}


@pytest.fixture
def captured(monkeypatch):
    """What was captured, with which work; the counters' status."""
    made = []

    def capture_(tool, work, timeout, tell, most_bytes):
        made.append((tool, work))
        status = made_status.get(tool, "ok")
        return Capture(tool=tool, status=status, why="" if status == "ok" else "no permission", portions=KERNELS)

    made_status = {}
    monkeypatch.setattr("perfproof.profile.profiling.capture", capture_)
    monkeypatch.setattr("perfproof.machine.facts.read_facts", lambda device: facts(9.0))
    return made, made_status


def gpu_work(folder):
    return Work(("python", "a.py"), folder, "minimal", on_gpu=True, window=Wishes().window, metrics=("a",))


def test_ncu_counts_the_kernels_that_a_timeline_names(captured, tmp_path):
    made, _ = captured
    (tmp_path / "command.window.json").write_text('{"recorded": "4 steps, after 6 others"}')
    record = ProfileRecord(**METRIC_RECORD)
    record = _counted(record, gpu_work(tmp_path), Wishes(tool="ncu"), None)
    assert [one.variant for one in record.captures] == ["", "counters"] and (tmp_path / "profile.json").is_file()
    (_, timeline), (tool, work) = made
    assert tool == "ncu" and work.kernels == "^(moments_kernel|reduce_kernel)$" and work.count == 110
    assert (timeline.name, work.name) == ("command", "counters")


def test_without_a_timeline_all_kernels_are_counted_and_it_is_said(captured, tmp_path):
    made, status = captured
    status["torch"] = "failed"
    record = _counted(ProfileRecord(**METRIC_RECORD), gpu_work(tmp_path), Wishes(tool="ncu"), None)
    assert [one.tool for one in record.captures] == ["ncu"] and made[1][1].kernels == ""
    assert "no permission" in record.captures[0].notes[0]


def test_a_kernel_of_the_programs_own_that_takes_most_of_the_time_is_looked_at_closer(captured, tmp_path):
    made, status = captured
    timeline = Capture(tool="torch", status="ok", portions=KERNELS)
    record = _looked_closer(ProfileRecord(**METRIC_RECORD, captures=[timeline]), gpu_work(tmp_path), Wishes(), None)
    assert [one.variant for one in record.captures] == ["", "counters"]
    assert made[0][1].kernels == "^(moments_kernel)$" and len(made[0][1].metrics) > 20
    status["ncu"] = "denied"
    timeline = Capture(tool="torch", status="ok", portions=KERNELS)
    record = _looked_closer(ProfileRecord(**METRIC_RECORD, captures=[timeline]), gpu_work(tmp_path), Wishes(), None)
    assert len(record.captures) == 1 and "no permission" in record.captures[0].notes[0]


def test_a_librarys_kernel_is_not(captured, tmp_path):
    made, _ = captured
    timeline = Capture(tool="torch", status="ok", portions=KERNELS[1:])
    record = ProfileRecord(**METRIC_RECORD, captures=[timeline])
    assert _looked_closer(record, gpu_work(tmp_path), Wishes(), None).captures == [timeline] and made == []
