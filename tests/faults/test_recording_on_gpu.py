"""What is kept of a recording: nothing of its owner, not too much, and everything that the readers need."""

import gzip
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from perfproof.core.events import Kind
from perfproof.profile.ncu import csv as ncu_csv
from perfproof.profile.reading import read
from tests.faults import trimming
from tests.faults.gpu_faults import COUNTED, HEALTHY, TRACED
from tests.faults.trimming import LIMIT, MINIMUM_STEPS, PATH, trimmed, without_owner
from tests.faults.written_trace import written

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"
COUNTERS = HERE.parent / "profile" / "recorded" / "h200_three_kernels.csv"


def content(path: Path) -> dict:
    return json.loads(gzip.decompress(path.read_bytes()))


@pytest.fixture
def owned(tmp_path):
    """A trace that tells who made it and where."""
    trace = content(written(tmp_path))
    trace |= {"host_name": "node7.example.org", "traceName": "/home/alice/out/trace.json", "user": "alice"}
    trace["deviceProperties"] = [{"id": 0, "name": "NVIDIA H200", "uuid": "GPU-1234"}]
    python = {"ph": "X", "cat": "python_function", "pid": 1, "tid": 1, "ts": 10_001.0, "dur": 2.0}
    trace["traceEvents"] += [
        {**python, "name": "/home/alice/net/train.py(12): step", "args": {"Call stack": "/home/alice/net/train.py"}},
        {"ph": "M", "name": "process_name", "pid": 1, "ts": 0, "args": {"name": "/home/alice/.venv/bin/python"}},
    ]
    path = tmp_path / "owned.json"
    path.write_text(json.dumps(trace))
    return path


def test_nothing_of_the_owner_is_kept(owned):
    text = gzip.decompress(trimmed(owned)).decode()
    assert all(secret not in text for secret in ("alice", "node7", "/home", "GPU-1234"))
    assert "train.py(12): step" in text and "NVIDIA H200" in text


def test_the_readers_find_the_same_work_in_it(owned, tmp_path):
    kept = tmp_path / "kept.json.gz"
    kept.write_bytes(trimmed(owned))
    kinds = (Kind.KERNEL, Kind.COPY, Kind.FILL, Kind.RUNTIME, Kind.RANGE)
    assert [(row.name, row.start_ns, row.end_ns) for row in read(kept).rows(*kinds)] == [
        (row.name, row.start_ns, row.end_ns) for row in read(owned).rows(*kinds)
    ]
    assert trimmed(kept) == kept.read_bytes()


def noisy(folder, steps, a_step):
    """A trace whose arguments cannot be packed."""
    chance = random.Random(0)
    trace = content(written(folder, steps))
    for step in range(steps):
        for number in range(a_step):
            place = {"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 10_000.0 + 1000 * step + number, "dur": 0.5}
            trace["traceEvents"].append({**place, "name": "aten::add", "args": {"noise": chance.randbytes(64).hex()}})
    path = folder / "noisy.json"
    path.write_text(json.dumps(trace))
    return path


def test_a_large_trace_loses_its_last_steps(tmp_path):
    path = noisy(tmp_path, steps=8, a_step=700)
    result = trimmed(path)
    assert len(result) <= LIMIT
    names = [event["name"] for event in json.loads(gzip.decompress(result))["traceEvents"]]
    steps = [name for name in names if name.startswith("ProfilerStep")]
    assert MINIMUM_STEPS <= len(steps) < 8 and steps[0] == "ProfilerStep#0"


def test_one_whose_steps_are_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(trimming, "LIMIT", 10_000)
    with pytest.raises(ValueError, match="make the program smaller"):
        trimmed(noisy(tmp_path, steps=5, a_step=100))


def test_counters_lose_host_and_process_and_nothing_else(tmp_path):
    page = tmp_path / "live.csv"
    page.write_text("==PROF== Connected to process 1 (/home/alice/python)\n" + COUNTERS.read_text())
    kept = tmp_path / "kept.csv"
    kept.write_text(without_owner(page))
    assert "alice" not in kept.read_text()
    before, after = ncu_csv.read_file(COUNTERS), ncu_csv.read_file(kept)
    assert [(one.name, one.readings) for one in after.kernels] == [(one.name, one.readings) for one in before.kernels]


def test_what_cannot_be_recorded_is_said_and_the_rest_is_kept(tmp_path):
    for name in ("record_on_gpu.py", "trimming.py", "gpu_faults.py"):
        shutil.copy(HERE / name, tmp_path)
    trace = written(tmp_path)
    copy = f"import shutil, sys; shutil.copy({str(trace)!r}, sys.argv[1] + '/trace.json.gz')"
    (tmp_path / "launch_bound.py").write_text(copy)
    out = tmp_path / "out"
    command = [sys.executable, str(tmp_path / "record_on_gpu.py"), str(out)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 1 and [path.name for path in out.iterdir()] == ["launch_bound.json.gz"]
    missing = ran.stderr.splitlines()[-1].removeprefix("not recorded: ").split(", ")
    assert {*missing, "launch_bound"} == {HEALTHY, *TRACED, *COUNTED}


def test_every_fault_is_recorded_once_and_nothing_else():
    kept = {f"{name}.json.gz" for name in (HEALTHY, *TRACED)} | {f"{name}.csv" for name in COUNTED} | {"hta.json"}
    assert {path.name for path in RECORDED.iterdir()} == kept


@pytest.mark.parametrize("name", [HEALTHY, *TRACED])
def test_a_trace_that_is_kept_tells_nothing_of_its_owner(name):
    path = RECORDED / f"{name}.json.gz"
    text = gzip.decompress(path.read_bytes()).decode()
    assert path.stat().st_size <= LIMIT and trimmed(path) == path.read_bytes()
    assert PATH.search(text) is None and "host_name" not in text and "uuid" not in text


@pytest.mark.parametrize("name", COUNTED)
def test_counters_that_are_kept_tell_nothing_of_their_owner(name, tmp_path):
    path = RECORDED / f"{name}.csv"
    assert path.stat().st_size <= LIMIT and without_owner(path) == path.read_text()
    assert PATH.search(path.read_text()) is None
