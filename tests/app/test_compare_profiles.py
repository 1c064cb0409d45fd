"""Two profiles of one program: per step if both have steps, else per recording."""

import json

import pytest

from perfproof.app.compare_profiles import compare_profiles, find_profiles
from perfproof.cli.show.profile_comparison import comparison_text
from perfproof.core.errors import NothingMatched, UsageError


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


def stacks(path, counts):
    path.write_text("".join(f"{stack} {count}\n" for stack, count in counts.items()))
    return path


MAIN = "thread:MainThread;<module> (x.py:1)"


def test_shares_of_stacks_are_compared_and_the_largest_change_is_first(tmp_path):
    a = stacks(tmp_path / "a.txt", {f"{MAIN};[aten::stft]": 380, f"{MAIN};[aten::sin]": 400, f"{MAIN};[aten::mm]": 20})
    b = stacks(tmp_path / "b.txt", {f"{MAIN};[aten::stft]": 30, f"{MAIN};[aten::sin]": 50, f"{MAIN};[aten::mm]": 720})
    found = compare_profiles(a, b)
    assert [(row.name, row.change, row.what) for row in found.rows] == [
        ("[aten::mm]", "changed", "share"),
        ("[aten::sin]", "changed", "share"),
        ("[aten::stft]", "changed", "share"),
    ]
    assert "47.5 % -> 3.8 %" in comparison_text(found) and "380 -> 30" in comparison_text(found)


@pytest.mark.parametrize("times", [1, 3], ids=["by chance", "three times as long"])
def test_a_longer_recording_and_the_scatter_of_samples_are_no_change(tmp_path, times):
    a = stacks(tmp_path / "a.txt", {f"{MAIN};f (x.py:3)": 500, f"{MAIN};g (x.py:9)": 20})
    b = stacks(tmp_path / "b.txt", {f"{MAIN};f (x.py:3)": 500 * times, f"{MAIN};g (x.py:9)": 24 * times})
    found = compare_profiles(a, b)
    assert {row.change for row in [*found.rows, *found.functions]} == {"same"}


def test_a_function_that_is_gone_has_a_row_though_it_was_never_innermost(tmp_path):
    bank = f"{MAIN};mel (x.py:3)"
    a = stacks(tmp_path / "a.txt", {f"{bank};[aten::sin]": 200, f"{bank};[python]": 200, f"{MAIN};[aten::mm]": 600})
    b = stacks(tmp_path / "b.txt", {f"{MAIN};[aten::sin]": 10, f"{MAIN};[python]": 10, f"{MAIN};[aten::mm]": 600})
    found = compare_profiles(a, b)
    first = found.functions[0]
    assert (first.name, first.change, first.before.share) == ("mel (x.py)", "gone", 0.4)
    assert "mel (x.py)" in comparison_text(found) and "<module> (x.py) " not in comparison_text(found)


def test_a_function_on_another_line_is_the_same_and_recursion_counts_once(tmp_path):
    a = stacks(tmp_path / "a.txt", {f"{MAIN};f (x.py:3);f (x.py:4)": 100, f"{MAIN};g (x.py:9)": 100})
    b = stacks(tmp_path / "b.txt", {f"{MAIN};f (x.py:30);f (x.py:40)": 100, f"{MAIN};g (x.py:90)": 100})
    rows = {row.name: row for row in compare_profiles(a, b).functions}
    assert (rows["f (x.py)"].change, rows["f (x.py)"].before.share) == ("same", 0.5)


def operators(path, step_us, operator_us, launches=1, steps=6):
    events = []
    for step in range(steps):
        begin = 1_000 + step_us * step
        events.append(_event("user_annotation", f"ProfilerStep#{step}", begin, step_us, 1))
        for place in range(launches):
            events.append(_event("cpu_op", "aten::add", begin + 10 + place * operator_us, operator_us, 1))
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def test_time_of_a_step_in_no_operator_has_a_row_and_launches_are_numbers(tmp_path):
    a = operators(tmp_path / "a.json", 900, 100, launches=3)
    b = operators(tmp_path / "b.json", 200, 100)
    found = compare_profiles(a, b)
    assert (found.rows[0].kind, found.rows[0].change) == ("no operator", "changed")
    assert (found.rows[0].before.seconds, found.rows[0].after.seconds) == pytest.approx((600e-6, 100e-6))
    text = comparison_text(found)
    assert "3 -> 1" in text and "time per step" in text
    assert text.startswith(
        "a step takes 900 µs -> 200 µs (one recording each): 78 % less; the largest change: no operator"
    )


def test_equal_steps_are_not_called_a_change(tmp_path):
    a, b = operators(tmp_path / "a.json", 900, 100), operators(tmp_path / "b.json", 910, 100)
    assert "within 5 %" in compare_profiles(a, b).headline


def test_samples_and_a_timeline_are_not_compared(tmp_path):
    with pytest.raises(UsageError, match="no row in common"):
        compare_profiles(stacks(tmp_path / "a.txt", {"a;b": 4}), operators(tmp_path / "b.json", 900, 100))


def saved(artifacts, name, step_us):
    folder = artifacts / "profiles" / name
    folder.mkdir(parents=True)
    operators(folder / "command.trace.json", step_us, 100)
    stacks(folder / "command.stacks.txt", {f"{MAIN};f (x.py:3)": 60, f"{MAIN};g (x.py:9)": 40})
    busy = "other programs used 40 % of the CPU time before this one began"
    capture = {"main_files": ["command.trace.json", "command.stacks.txt"], "notes": [busy, "recorded: 3 steps"]}
    (folder / "profile.json").write_text(json.dumps({"program": ["x"], "captures": [capture]}))
    return folder


@pytest.fixture
def artifacts(tmp_path):
    saved(tmp_path, "20260101T000000Z-slow-fit-aaaaaa", 900)
    saved(tmp_path, "20260102T000000Z-fast-fit-bbbbbb", 300)
    return tmp_path


def test_a_saved_profile_is_compared_with_its_stacks_and_its_note(artifacts):
    slow, fast = sorted((artifacts / "profiles").iterdir())
    found = compare_profiles(slow / "profile.json", fast)
    assert found.a.notes == ["other programs used 40 % of the CPU time before this one began"]
    rows = {row.name: row for row in found.functions}
    assert found.per == "step" and rows["f (x.py)"].change == "changed"
    times = rows["f (x.py)"].before.seconds, rows["f (x.py)"].after.seconds
    assert times == pytest.approx((540e-6, 180e-6)) and "note  a: other programs" in comparison_text(found)
    text = comparison_text(compare_profiles(slow / "command.stacks.txt", fast / "command.stacks.txt"))
    assert text.startswith("a step takes 900 µs -> 300 µs") and "540 µs -> 180 µs" in text


def test_samples_of_a_recording_with_start_up_get_no_time_per_step(artifacts):
    slow, fast = sorted((artifacts / "profiles").iterdir())
    trace = json.loads((slow / "command.trace.json").read_text())
    trace["traceEvents"].append(_event("cpu_op", "aten::load", 0, 900, 1) | {"ts": -90_000})
    (slow / "command.trace.json").write_text(json.dumps(trace))
    found = compare_profiles(slow, fast)
    assert found.per == "step" and {row.before.seconds for row in found.functions} == {None}


@pytest.mark.parametrize(
    "names", [("aaaaaa", "bbbbbb"), ("slow", "fast"), ("previous", "fast"), ("slow", "latest"), ("previous", "latest")]
)
def test_a_profile_is_found_by_its_id_or_a_part_of_its_name(artifacts, names):
    slow, fast = sorted((artifacts / "profiles").iterdir())
    assert find_profiles(artifacts, names) == [slow, fast]


def test_errors_name_profiles_if_the_other_one_is_a_profile(artifacts):
    with pytest.raises(UsageError, match="2 profiles fit 'fit'"):
        find_profiles(artifacts, ["fit", "slow"])
    with pytest.raises(NothingMatched, match=r"no profile 'none' .*the latest is 20260102T000000Z-fast-fit-bbbbbb"):
        find_profiles(artifacts, ["slow", "none"])
    with pytest.raises(NothingMatched, match=r"neither a run .* nor a profile"):
        find_profiles(artifacts, [str(artifacts), "latest"])
    with pytest.raises(NothingMatched, match="no such file"):
        find_profiles(artifacts, ["slow", "./missing.json"])
    with pytest.raises(NothingMatched, match="no profile 'none'"):
        find_profiles(artifacts, ["none", "other"])


def test_a_part_of_a_profiles_name_that_is_a_run_means_the_run(artifacts):
    run = artifacts / "20260103T000000Z-x-5a0000"
    run.mkdir()
    (run / "run.json").write_text("{}")
    assert find_profiles(artifacts, ["5a", "latest"]) is None
    assert find_profiles(artifacts, ["previous", "latest"]) is None, "both are runs"
    with pytest.raises(UsageError, match="is a run"):
        find_profiles(artifacts, ["slow", "5a"])
