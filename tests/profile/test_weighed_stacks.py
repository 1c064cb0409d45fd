"""Stacks with weights: from samples and from nested rows, to a speedscope file and to lines, and back."""

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfproof.core.events import Events, Kind, Total
from perfproof.profile.reading import read
from perfproof.profile.weighed_stacks import DEEPER, DEEPEST, Stacks, collapsed_file, speedscope_file, stacks_of

UNHURRIED = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

RECORDED = Path(__file__).parent / "recorded_torch"


def rows(*named, thread=1):
    events = Events("test")
    for name, start, end in named:
        events.add(Kind.OPERATOR, name, start, end, thread=thread)
    return events


def test_recorded_samples_become_a_speedscope_file_and_come_back(tmp_path):
    stacks = stacks_of(read(RECORDED / "py_spy.txt"))
    assert stacks.unit == "samples" and stacks.total == 59
    path = tmp_path / "stacks.speedscope.json"
    path.write_text(speedscope_file(stacks, "py_spy.txt"))
    back = {total.path: total.values["weight"] for total in read(path).totals}
    assert back == stacks.weights


def test_recorded_samples_survive_collapsed_lines(tmp_path):
    stacks = stacks_of(read(RECORDED / "py_spy.txt"))
    path = tmp_path / "stacks.txt"
    path.write_text(collapsed_file(stacks))
    assert stacks_of(read(path)).weights == stacks.weights


def test_the_times_of_a_speedscope_file_are_read_as_times(tmp_path):
    path = tmp_path / "trace.speedscope.json"
    stacks = stacks_of(rows(("outer", 0, 100), ("inner", 20, 60)))
    path.write_text(speedscope_file(stacks, "x"))
    assert json.loads(path.read_text())["profiles"][0]["unit"] == "nanoseconds"
    assert stacks_of(read(path)) == stacks


def test_a_row_weighs_what_nothing_inside_it_took():
    stacks = stacks_of(rows(("outer", 0, 100), ("inner", 20, 60), ("deep", 30, 40), ("inner", 70, 80)))
    assert stacks.weights == {("outer",): 50, ("outer", "inner"): 40, ("outer", "inner", "deep"): 10}
    assert stacks.unit == "time_ns"


def test_a_row_that_ends_after_its_parent_is_cut_there():
    assert stacks_of(rows(("a", 0, 10), ("b", 5, 20))).weights == {("a",): 5, ("a", "b"): 5}


def test_what_is_nested_too_deep_is_one_frame_that_says_so_and_no_time_is_lost():
    depth = DEEPEST + 50
    stacks = stacks_of(rows(*((f"f{at}", at, 2 * depth) for at in range(depth))))
    deepest = max(stacks.weights, key=len)
    assert deepest[-2:] == (f"f{DEEPEST - 1}", DEEPER) and len(deepest) == DEEPEST + 1
    assert stacks.weights[deepest] == 2 * depth - DEEPEST and stacks.total == 2 * depth


def test_a_stack_at_the_limit_keeps_all_its_frames():
    stacks = stacks_of(rows(*((f"f{at}", at, 2 * DEEPEST) for at in range(DEEPEST))))
    assert len(max(stacks.weights, key=len)) == DEEPEST and not any(DEEPER in path for path in stacks.weights)


def test_paths_stop_growing_with_the_depth_of_the_nesting():
    def frames(depth):
        return sum(map(len, stacks_of(rows(*(("f", at, 2 * depth) for at in range(depth)))).weights))

    assert frames(2 * DEEPEST) == frames(3 * DEEPEST)


def test_steps_are_one_frame():
    events = Events("test")
    for number in range(3):
        events.add(Kind.RANGE, f"ProfilerStep#{number}", number * 10, number * 10 + 10, thread=1)
    assert stacks_of(events).weights == {("ProfilerStep",): 30}


def test_threads_do_not_nest_into_each_other():
    events = rows(("a", 0, 10))
    events.add(Kind.OPERATOR, "b", 2, 4, thread=2)
    assert stacks_of(events).weights == {("a",): 10, ("b",): 2}


def test_memory_totals_are_no_stacks_and_nothing_gives_none():
    events = Events("memory snapshot")
    events.totals = [Total(("GPU memory",), {"reserved_bytes": 5.0})]
    assert stacks_of(events).weights == {}


def test_frames_of_a_line_cannot_become_several():
    assert collapsed_file(Stacks({("a;b", "c\nd", ""): 2.0})) == "a,b;c d;unnamed 2\n"


spans = st.tuples(st.sampled_from("abc"), st.integers(0, 50), st.integers(0, 50)).map(
    lambda one: (one[0], one[1], one[1] + one[2])
)


@UNHURRIED
@given(st.lists(spans, max_size=25))
def test_no_weight_is_negative_and_they_never_exceed_the_time_covered(named):
    stacks = stacks_of(rows(*named))
    covered = {moment for _, start, end in named for moment in range(start, end)}
    assert all(weight > 0 for weight in stacks.weights.values())
    assert stacks.total <= len(covered)


def test_what_the_sampler_notes_among_frames_is_left_out_and_its_last_word_kept(tmp_path):
    begun = "thread:MainThread;{}main (a.py:3);f (a.py:9);[runs] x[0] = f(y[1]){} {}\n"
    path = tmp_path / "stacks.txt"
    path.write_text(
        begun.format("", ";[python]", 5)
        + begun.format("[called before with these arguments] f (a.py:9);", ";[python]", 7)
        + begun.format("[others wait for the event loop];", ";[aten::add]", 2)
        + begun.format("", "", 1)
    )
    main = ("thread:MainThread", "main (a.py:3)", "f (a.py:9)")
    assert stacks_of(read(path)).weights == {(*main, "[python]"): 12, (*main, "[aten::add]"): 2, main: 1}


def test_bracketed_frames_of_other_tools_are_frames(tmp_path):
    path = tmp_path / "stacks.txt"
    path.write_text("main;[unknown];[libc.so.6] read;work 3\n")
    assert stacks_of(read(path)).weights == {("main", "[unknown]", "[libc.so.6] read", "work"): 3}
