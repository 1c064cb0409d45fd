"""What a record says of captures that went wrong, and what is compared."""

import json
from types import SimpleNamespace

import pytest

from perfproof.app.profile import Wishes, _with_calls, _with_counters, differences, exit_code
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
