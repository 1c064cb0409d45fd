"""From events to lanes: the step of middle length, streams before threads, idle time with its cause."""

import json

import pytest

from perfproof.core.events import Events, Kind
from perfproof.profile.reading import read
from perfproof.report.profile_lanes import MOST_ROWS, MOST_THREADS, chosen_window, lanes_of
from tests.report.sample_profiles import gpu_trace


@pytest.fixture
def events(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(gpu_trace()))
    return read(path)


def test_streams_come_first_and_the_busiest_carries_the_idle_time(events):
    window, what = chosen_window(events)
    lanes = lanes_of(events, window)
    assert what == "step 2 of 3 (number 1), the steady one of middle length; ProfilerStep ranges"
    assert [lane.label for lane in lanes] == ["GPU 0, stream 7", "GPU 0, stream 20", "host, thread 1"]
    assert [block.kind for block in lanes[0].blocks] == ["copy", "compute", "compute"]
    assert [block.kind for block in lanes[1].blocks] == ["communication"]
    assert not lanes[1].pauses
    assert [(round(one.start * 1e6), round(one.end * 1e6), one.cause) for one in lanes[0].pauses] == [
        (0, 660, "input"),
        (660, 880, "copy"),
        (880, 885, "launch"),
        (1200, 1400, "sync"),
        (2900, 3000, "input"),  # between two ranges: the pause goes on in the next step, until its input is there
    ]


def test_host_rows_nest_and_the_step_itself_is_not_among_them(events):
    (host,) = [lane for lane in lanes_of(events, chosen_window(events)[0]) if lane.label.startswith("host")]
    assert not any("ProfilerStep" in block.name for block in host.blocks)
    waits = [(block.name, block.kind, block.row) for block in host.blocks if block.kind == "wait"]
    assert waits == [("cudaStreamSynchronize", "wait", 1)]
    assert {block.kind for block in host.blocks} == {"range", "operator", "call", "wait"}


def test_without_steps_everything_is_shown_and_that_is_said():
    events = Events("test")
    events.add(Kind.OPERATOR, "a", 100, 200, thread=1)
    assert chosen_window(events) == ((100, 200), "all of the recording (no range marks its steps)")


@pytest.mark.parametrize("rows", [[], [("a", 5, 5)]])
def test_without_time_there_is_no_window(rows):
    events = Events("test")
    for name, start, end in rows:
        events.add(Kind.OPERATOR, name, start, end)
    assert chosen_window(events) is None


def test_many_threads_and_deep_rows_are_limited():
    events = Events("test")
    for thread in range(10):
        for depth in range(8):
            events.add(Kind.OPERATOR, "a", depth, 100 - depth, thread=thread)
    lanes = lanes_of(events, (0, 100))
    assert len(lanes) == MOST_THREADS
    assert {block.row for block in lanes[0].blocks} == set(range(MOST_ROWS))


def test_python_functions_are_drawn_where_there_is_nothing_else():
    events = Events("speedscope")
    events.add(Kind.PYTHON, "main", 0, 100, thread=0)
    (lane,) = lanes_of(events, (0, 100))
    assert [block.name for block in lane.blocks] == ["main"]
