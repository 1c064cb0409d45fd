"""Allocations with their stacks: of a recorded trace, of snapshots, of the table alone."""

import gzip
import json
import pickle
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfproof.core.events import Events, Kind
from perfproof.profile.allocations import allocations_of, recorded_in
from perfproof.profile.readers import memory_snapshot
from perfproof.profile.reading import read

UNHURRIED = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

TRACE = Path(__file__).parent / "recorded_torch" / "memory_trace.json.gz"
FRAMES = [{"name": "empty", "filename": "a.py", "line": 3}, {"name": "", "filename": "??"}, {"name": "main", "line": 9}]


def entry(action, address, size, time):
    return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": time, "frames": FRAMES}


def snapshot(*entries, **more):
    return {"segments": [], "device_traces": [list(entries)], **more}


def test_the_kept_tensor_of_the_recorded_program_has_its_whole_stack():
    recorded = recorded_in(read(TRACE))
    kept = [one for one in recorded.allocations if one.stack[-1:] == ("aten::add",) and one.bytes == 16384]
    assert len(recorded.steps) == 4 and len(kept) == 4
    assert {one.stack for one in kept} == {("trace.py(31): <module>", "trace.py(15): step", "aten::add")}
    assert not any(one.released for one in kept)
    inside = [step for one in kept for step in recorded.steps if step[0] <= one.start_ns < step[1]]
    assert inside == recorded.steps


def test_live_bytes_agree_with_the_sum_that_torch_wrote_beside_every_change():
    events = read(TRACE)
    recorded = recorded_in(events)
    births = sum(one.bytes for one in recorded.allocations)
    released = sum(one.bytes for one in recorded.allocations if one.released)
    content = json.loads(gzip.decompress(TRACE.read_bytes()))
    changes = [event["args"] for event in content["traceEvents"] if event["name"] == "[memory]"]
    assert births == sum(one["Bytes"] for one in changes if one["Bytes"] > 0)
    known = {one["Addr"] for one in changes if one["Bytes"] > 0}
    assert released <= -sum(one["Bytes"] for one in changes if one["Bytes"] < 0 and one["Addr"] in known)


def test_a_snapshot_gives_stacks_from_the_outermost_frame_on(tmp_path):
    path = tmp_path / "m.pickle"
    path.write_bytes(pickle.dumps(snapshot(entry("alloc", 1, 512, 10), entry("free_completed", 1, 512, 30))))
    (one,) = recorded_in(read(path)).allocations
    assert one.stack == ("main (?:9)", "empty (a.py:3)")
    assert (one.device, one.start_ns, one.end_ns, one.bytes, one.released) == ("gpu0", 10_000, 30_000, 512, True)


def test_steps_of_a_snapshot_are_its_annotations(tmp_path):
    notes = [
        {"name": "step 1", "stage": "START", "time_us": 1},
        {"name": "step 1", "stage": "END", "time_us": 5},
        {"name": "step 2", "stage": "END", "time_us": 6},
        {"name": None, "stage": "START", "time_us": 6},
        "damaged",
        {"name": "step 3", "stage": "START", "time_us": 7},
        {"name": "step 3", "stage": "END", "time_us": 9},
    ]
    path = tmp_path / "m.pickle"
    path.write_bytes(pickle.dumps(snapshot(external_annotations=notes)))
    assert recorded_in(read(path)).steps == [(1000, 7000), (7000, 9000)]


def test_an_allocation_that_brings_no_stack_has_what_was_open_on_its_thread():
    events = Events("other")
    for name, start, end, thread in (("outer", 0, 50, 1), ("inner", 4, 8, 1), ("elsewhere", 0, 50, 2)):
        events.add(Kind.OPERATOR, name, start, end, thread=thread)
    events.add(Kind.ALLOCATION, "allocation", 5, 9, device=1, bytes=64, thread=1)
    events.add(Kind.ALLOCATION, "allocation", 2, 9, bytes=32, args={"released": False, "stack": ["main", "f"]})
    cpu, gpu = allocations_of(events)
    assert (cpu.device, cpu.stack, cpu.released) == ("cpu", ("main", "f"), False)
    assert (gpu.device, gpu.stack, gpu.released) == ("gpu1", ("outer", "inner"), True)


junk = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
fields = st.fixed_dictionaries(
    {"action": st.sampled_from(["alloc", "free", "oom"]) | junk, "time_us": st.integers() | junk},
    optional={"addr": junk, "size": st.integers() | junk, "frames": junk},
)


@UNHURRIED
@given(st.lists(st.lists(fields | junk, max_size=6) | junk, max_size=3) | junk)
def test_whatever_a_snapshot_holds_no_allocation_is_negative(traces):
    events = memory_snapshot.table_of({"segments": [], "device_traces": traces}, "written")
    for one in allocations_of(events):
        assert one.bytes >= 0 and one.start_ns <= one.end_ns


@pytest.mark.parametrize("change", [{"Addr": "x"}, {"Bytes": None}, {"Bytes": 2**70}, {"Addr": 1.5}])
def test_a_damaged_change_of_memory_is_passed_over(tmp_path, change):
    args = {"Addr": 1, "Bytes": 64, "Device Type": 0, "Device Id": -1, "Total Allocated": 64}
    good = {"ph": "i", "name": "[memory]", "ts": 5.0, "tid": 1, "args": {**args, "Addr": 2}}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"profile_memory": 1, "traceEvents": [{**good, "args": args | change}, good]}))
    (one,) = recorded_in(read(path)).allocations
    assert one.bytes == 64 and one.start_ns == 5000
