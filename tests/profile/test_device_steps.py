"""Steps on a device that works behind the host: by what was launched in them."""

import gzip
import json

from perfproof.core.events import Kind
from perfproof.diagnose.traces import trace_of
from perfproof.profile.device_steps import steps_of
from perfproof.profile.readers import kineto

STEPS = 5


def written(folder, behind_us, work_us=900.0, launch_us=20.0, correlated=True):
    """Every step launches one kernel; the host takes 100 µs a step, the device `work_us`, `behind_us` later."""
    events, free = [], 0.0
    for number in range(STEPS):
        begin = 1000.0 + number * 100.0
        start = max(begin + behind_us, free)
        free = start + work_us
        mark = {"cat": "user_annotation", "name": f"ProfilerStep#{number + 3}", "ts": begin, "dur": 99.0}
        call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": begin + 10, "dur": launch_us}
        work = {"cat": "kernel", "name": "gemm", "ts": start, "dur": work_us, "pid": 0, "tid": 7}
        ids = {"correlation": number + 1} if correlated else {}
        events += [{"ph": "X", "pid": 1, "tid": 1, **mark}, {"ph": "X", "pid": 1, "tid": 1, **call, "args": ids}]
        events.append({"ph": "X", **work, "args": {**ids, "device": 0, "stream": 7}})
    path = folder / "written.json.gz"
    path.write_bytes(gzip.compress(json.dumps({"traceEvents": events}).encode(), mtime=0))
    return kineto.read(path)


def test_a_host_that_runs_ahead_leaves_the_step_to_its_work_on_the_device(tmp_path):
    found = steps_of(written(tmp_path, behind_us=50.0))
    assert [step.number for step in found.steady] == [4, 5, 6]
    assert [(step.start_ns, step.end_ns) for step in found.steady] == [
        (1_950_000, 2_850_000),
        (2_850_000, 3_750_000),
        (3_750_000, 4_650_000),
    ]
    assert "behind the host" in found.source


def test_the_diagnosis_then_sees_the_kernels_of_the_steady_steps(tmp_path):
    trace = trace_of(written(tmp_path, behind_us=50.0), "written.json")
    assert [trace.events.start_ns[row] for row in trace.rows(Kind.KERNEL)] == [1_950_000, 2_850_000, 3_750_000]
    assert trace.covered(trace.rows(Kind.KERNEL)) == trace.window and trace.numbers == (4, 5, 6)


def test_work_within_its_step_leaves_the_step_to_the_host(tmp_path):
    found = steps_of(written(tmp_path, behind_us=15.0, work_us=60.0))
    assert found.source == "ProfilerStep ranges" and found.steady[0].start_ns == 1_100_000


def test_without_launches_nothing_is_known_but_the_host_s_ranges(tmp_path):
    found = steps_of(written(tmp_path, behind_us=50.0, correlated=False))
    assert found.source == "ProfilerStep ranges"
