"""The exported trace: a counter that our own reader gives back, every allocation with a beginning and an end."""

import json
from pathlib import Path

from perfproof.core.events import Events, Kind
from perfproof.profile import memory_trace
from perfproof.profile.allocations import Allocation, Recorded, recorded_in
from perfproof.profile.memory_story import memory_stories
from perfproof.profile.memory_trace import chrome_trace
from perfproof.profile.reading import read

TRACE = Path(__file__).parent / "recorded_torch" / "memory_trace.json.gz"


def exported(recorded, events):
    return chrome_trace(memory_stories(recorded, events), recorded.allocations)


def test_the_counter_and_the_steps_are_read_back_as_they_were(tmp_path):
    events = read(TRACE)
    recorded = recorded_in(events)
    (story,) = memory_stories(recorded, events)
    path = tmp_path / "memory.json"
    path.write_text(exported(recorded, events))
    back = read(path)
    series = back.series["cpu live.bytes"]
    assert list(series.values) == list(story.live_bytes)
    assert [time + story.times_ns[0] for time in series.times_ns] == list(story.times_ns)
    assert [row.name for row in back.rows(Kind.RANGE)] == ["step 0", "step 1", "step 2", "step 3"]


def test_every_allocation_has_one_beginning_and_one_end_of_the_same_name():
    events = read(TRACE)
    recorded = recorded_in(events)
    rows = json.loads(exported(recorded, events))["traceEvents"]
    begun = {row["id"]: row for row in rows if row["ph"] == "b"}
    ended = {row["id"]: row for row in rows if row["ph"] == "e"}
    assert len(begun) == len(recorded.allocations) and begun.keys() == ended.keys()
    assert all(begun[one]["name"] == ended[one]["name"] and begun[one]["ts"] <= ended[one]["ts"] for one in begun)


def test_the_largest_are_kept_and_the_number_left_out_is_said(monkeypatch):
    monkeypatch.setattr(memory_trace, "MOST", 2)
    own = [Allocation("gpu0", time, time + 5, 10 * time, (), True) for time in range(4)]
    content = json.loads(exported(Recorded(own, []), Events("test")))
    assert content["otherData"]["allocations left out"] == 2
    assert [row["args"]["bytes"] for row in content["traceEvents"] if row["ph"] == "b"] == [30, 20]
