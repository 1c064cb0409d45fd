"""Traces of torch.profiler: recorded here on the CPU, and with device events as Kineto documents them."""

import contextlib
import gzip
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.core.errors import DocumentError
from perfproof.core.events import ABSENT, Kind
from perfproof.profile.breakdown import devices, temporal
from perfproof.profile.readers.kineto import UNTIMED, read, recognises
from perfproof.profile.steps import find_steps

RECORDED = Path(__file__).parent / "recorded"
KERNEL_ARGS = {
    "External id": 5,
    "device": 1,
    "stream": 7,
    "correlation": 42,
    "grid": [8, 1, 1],
    "registers per thread": 32,
}
COPY_ARGS = {"device": 1, "stream": 9, "correlation": 43, "bytes": 4096, "memory bandwidth (GB/s)": 3.2}
COPY = "Memcpy HtoD (Pinned -> Device)"


def event(category, name, start, duration, **more):
    return {"ph": "X", "cat": category, "name": name, "pid": 900, "tid": 901, "ts": start, "dur": duration, **more}


# Written after Kineto's documentation and its public traces: no GPU here to record one.
DEVICE_TRACE = {
    "schemaVersion": 1,
    "deviceProperties": [{"id": 1, "name": "NVIDIA H200", "numSms": 132}],
    "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
    "traceEvents": [
        {"ph": "M", "name": "process_name", "pid": 900, "tid": 0, "ts": 0, "args": {"name": "python"}},
        event("cpu_op", "aten::mm", 10, 20.5, args={"External id": 5, "Input Dims": [[2, 3], [3, 4]], "Ev Idx": 1}),
        event("cuda_runtime", "cudaLaunchKernel", 15, 4, args={"correlation": 42, "External id": 5, "cbid": 211}),
        event("kernel", "gemm", 40.125, 10, pid=1, tid=7, args=KERNEL_ARGS),
        event("gpu_memcpy", COPY, 60, 2, pid=1, tid=9, args=COPY_ARGS),
        event("gpu_memset", "Memset (Device)", 70, 1, pid=1, tid=7, args={"device": 1, "stream": 7, "bytes": 64}),
        event("cuda_driver", "cuLaunchKernelEx", 16, 2, args={"correlation": 44}),
        event("cuda_sync", "Stream Sync", 71, 5, pid=1, tid=7, args={"stream": 7, "device": 1}),
        event("user_annotation", "ProfilerStep#2", 0, 100),
        event("gpu_user_annotation", "ProfilerStep#2", 40, 31, pid=1, tid=7),
        event("python_function", "train.py(3): step", 1, 90),
        event("overhead", "Buffer Flush", 95, 1),
        event("Trace", "PyTorch Profiler (0)", 0, 100, pid="Spans", tid="PyTorch Profiler"),
        {"ph": "s", "id": 42, "cat": "ac2g", "name": "ac2g", "pid": 900, "tid": 901, "ts": 15},
        {"ph": "f", "id": 42, "cat": "ac2g", "name": "ac2g", "pid": 1, "tid": 7, "ts": 40, "bp": "e"},
        {"ph": "i", "name": "Record Window End", "ts": 100, "s": "g", "pid": "", "tid": ""},
        {"ph": "C", "name": "power", "ts": 50, "pid": 1, "args": {"watts": 351.5}},
    ],
    "baseTimeNanoseconds": 1_790_857_026_000_000_000,  # after the events, as some versions write it
}


def test_a_trace_recorded_here_has_its_operators_ranges_calls_and_memory(torch_trace):
    events = read(torch_trace)
    assert [row.name for row in events.rows(Kind.RANGE)] == ["step"] * 3
    multiplied = [row for row in events.rows(Kind.OPERATOR) if row.name == "aten::mm"]
    assert len(multiplied) == 3 and multiplied[0].args["Input Dims"] == [[16, 16], [16, 16]]
    step = next(events.rows(Kind.RANGE))
    assert step.start_ns <= multiplied[0].start_ns < multiplied[0].end_ns <= step.end_ns
    assert events.where(Kind.PYTHON) and max(events.series["cpu.allocated_bytes"].values) >= 3 * 16 * 16 * 4
    assert "recorded without a GPU" in events.unknown["device"] and events.warnings == []


def test_it_holds_as_many_events_as_json_finds(torch_trace):
    raw = json.loads(gzip.decompress(torch_trace.read_bytes()))
    intervals = [one for one in raw["traceEvents"] if one["ph"] == "X"]
    events = read(torch_trace)
    assert len(intervals) == len(events) - len(events.where(Kind.MARK, Kind.ALLOCATION))
    first = intervals[0]
    start = raw["baseTimeNanoseconds"] + round(first["ts"] * 1000)
    assert abs(events.start_ns[0] - start) <= 1 and events.name(0) == first["name"]


def test_two_ranks_tell_their_rank_and_what_they_reduced(rank_traces):
    for rank, path in enumerate(rank_traces):
        events = read(path)
        assert set(events.rank) == {rank}
        assert any("all_reduce" in name or "allreduce" in name for name in events.names)
        assert events.about["distributedInfo"]["world_size"] == 2


def test_every_category_has_its_kind(write):
    events = read(write(DEVICE_TRACE))
    kinds = " ".join(row.kind.name for row in events.rows())
    assert kinds == ("OPERATOR RUNTIME KERNEL COPY FILL RUNTIME SYNC RANGE DEVICE_RANGE PYTHON OVERHEAD OVERHEAD MARK")
    assert list(events.series["power.watts"].values) == [351.5]


def test_device_work_has_stream_device_bytes_and_the_call_that_launched_it(write):
    events = read(write(DEVICE_TRACE))
    (kernel,), (copy,) = events.rows(Kind.KERNEL), events.rows(Kind.COPY)
    base = 1_790_857_026_000_000_000
    assert (kernel.start_ns, kernel.end_ns) == (base + 40_125, base + 50_125)
    assert (kernel.stream, kernel.device, kernel.rank, kernel.correlation, kernel.external) == (7, 1, 3, 42, 5)
    assert kernel.args == {"grid": [8, 1, 1], "registers per thread": 32} and kernel.process == ABSENT
    assert (copy.name, copy.bytes, copy.args) == (COPY, 4096, {})
    assert devices(events) == [(3, 1)] and temporal(events, 3, 1).compute_ns == 10_000
    assert "device" not in events.unknown


def test_old_traces_call_their_categories_differently_and_the_process_is_the_device(write):
    old = [event("Kernel", "gemm", 1, 2, pid=0, args={"stream": 7}), event("Runtime", "cudaMemcpy", 1, 2)]
    events = read(write({"traceEvents": old}))
    assert [(row.kind, row.device) for row in events.rows()] == [(Kind.KERNEL, 0), (Kind.RUNTIME, ABSENT)]


def test_begin_and_end_make_a_range(write):
    begin = {"ph": "B", "name": "outer", "pid": 1, "tid": 1, "ts": 1}
    steps = [begin, begin | {"name": "inner", "ts": 2}, begin | {"ph": "E", "ts": 3}, begin | {"ph": "E", "ts": 9}]
    events = read(write([*steps, begin | {"ts": 20}, begin | {"ph": "E", "tid": 7}]))
    assert [(row.name, row.duration_ns) for row in events.rows()] == [("inner", 1000), ("outer", 8000)]
    assert len(events.warnings) == 2


def test_times_since_1970_keep_their_digits(write):
    events = read(write({"traceEvents": [event("cpu_op", "a", 1_790_857_026_123_456, 7)]}))
    assert events.start_ns[0] == 1_790_857_026_123_456_000


@pytest.mark.parametrize(
    "broken", [{"ts": "soon"}, {"ts": None}, {"dur": -1}, {"dur": None}, {"ts": 1e300}, {"ts": 10**30}, {"dur": []}]
)
def test_an_event_without_valid_times_is_left_out_and_said(write, broken):
    events = read(write({"traceEvents": [event("cpu_op", "good", 1, 2), event("cpu_op", "bad", 1, 2) | broken]}))
    assert events.names == ["good"]
    assert events.warnings == ["1 events could not be read and were left out"]


def test_strange_arguments_and_ids_do_not_matter(write):
    strange = event(
        "kernel", 5, 1, 2, pid="GPU", args={"stream": "x", "device": 2**80, "correlation": None, "a": {"b": []}}
    )
    row = read(write({"traceEvents": [strange, event("kernel", "k", 1, 2, args=[1])]})).row(0)
    assert (row.name, row.stream, row.device, row.correlation, row.args) == (
        "5",
        ABSENT,
        ABSENT,
        ABSENT,
        {"a": {"b": []}},
    )


def test_control_characters_in_names_are_tolerated(write):
    text = json.dumps({"traceEvents": [event("cpu_op", "NAME", 1, 2)]}).replace("NAME", "a\x01b\nc")
    assert read(write(text)).names == ["a\x01b\nc"]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_trace_that_was_cut_off_is_refused(write, torch_trace, share):
    text = gzip.decompress(torch_trace.read_bytes())
    with pytest.raises(DocumentError, match="cut off"):
        read(write(text[: int(len(text) * share)]))
    packed = torch_trace.read_bytes()
    with pytest.raises(DocumentError, match="cut off"):
        read(write(packed[: int(len(packed) * share)]))


@pytest.mark.parametrize(
    "content", [{"traceEvents": []}, {"a": 1}, {"traceEvents": [[1]]}, {"traceEvents": [1, 2]}, []]
)
def test_json_without_events_is_refused(write, content):
    with pytest.raises(DocumentError):
        read(write(content))


def test_a_trace_is_recognised_by_its_beginning():
    path = Path("x")
    assert recognises(path, b'\n {"schemaVersion": 1, "deviceProperties": [') and recognises(path, b'[{"ph": "X"')
    assert not recognises(path, b"") and not recognises(path, b'{"shared": {}}') and not recognises(path, b"PK")


ODD = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
)
PHASES = st.sampled_from(["X", "i", "C", "B", "E", "M", "s", "?"])
KEYS = ["cat", "name", "pid", "tid", "ts", "dur", "args"]
VALUES = ODD | st.dictionaries(st.sampled_from(["stream", "bytes", "Total Allocated", "x"]), ODD, max_size=3)
ANY_EVENT = st.dictionaries(st.sampled_from(KEYS), VALUES)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(PHASES, ANY_EVENT), max_size=6), ODD, ODD)
def test_no_event_crashes_the_reader(found, base, rank):
    content = {"traceEvents": [{"ph": phase} | one for phase, one in found]}
    content |= {"baseTimeNanoseconds": base, "distributedInfo": {"rank": rank}}
    with tempfile.NamedTemporaryFile("w") as file, contextlib.suppress(DocumentError):
        file.write(json.dumps(content))
        file.flush()
        read(Path(file.name))


def test_steps_of_old_versions_which_called_them_operators_are_found(write):
    steps = [event("Operator", f"ProfilerStep#{number}", number * 100, 90) for number in range(4)]
    loads = [event("cpu_op", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 5, 10)]
    events = read(write({"traceEvents": [*steps, *loads, event("Operator", "aten::mm", 20, 10)]}))
    assert find_steps(events).found == 4
    assert [row.name for row in events.rows(Kind.OPERATOR)] == ["aten::mm"]


def test_work_of_a_gpu_whose_times_are_all_zero_is_left_out_and_said():
    events = read(RECORDED / "kineto_without_times.json")  # cut down from a recording on an H200
    assert min(events.start_ns) > 1e18 and not events.where(Kind.KERNEL, Kind.RUNTIME, Kind.COPY)
    assert events.where(Kind.OPERATOR)
    assert events.unknown[UNTIMED] == events.unknown["device"] and "record again" in events.warnings[0]


def test_only_what_cupti_measures_may_lack_a_time(write):
    moments = [event("user_annotation", "step", 0, 0), event("kernel", "good", 5, 1), event("kernel", "bad", 0, 0)]
    events = read(write({"traceEvents": moments}))
    assert events.names == ["step", "good"] and "1 events without a time" in events.warnings[0]
    assert UNTIMED not in events.unknown
