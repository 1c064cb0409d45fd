"""Memory: the allocator's snapshot where there is one, the profiler's record of allocations elsewhere."""

import json
import pickle

from perfproof.core.doctor import Finding
from perfproof.profile.adapters import memory
from perfproof.profile.plans import Ran

RAN = Ran(0, 1.0, late=False, left=0, out="", err="it said this\n")


def test_allocations_are_recorded_under_every_preset(work):
    plan = memory.plan(work("python", "a.py"), Finding(name="memory", state="limited"))
    wish = json.loads(plan.environment["PERFPROOF_CAPTURE"])
    assert wish["kind"] == "memory" and wish["memory"] and wish["shapes"]
    assert plan.recorded == ("operators", "allocations")


def test_on_a_gpu_the_history_of_the_allocator_is_kept(work):
    plan = memory.plan(work("child", marked=True, on_gpu=True), Finding(name="memory", state="works"))
    assert plan.recorded == ("the allocator's last 100,000 steps",)


def test_a_snapshot_is_read(work):
    given = work("python", "a.py")
    step = {"action": "alloc", "addr": 1, "size": 512, "stream": 0, "time_us": 1, "frames": []}
    given.file(".pickle").write_bytes(pickle.dumps({"segments": [], "device_traces": [[step]]}))
    found = memory.gather(given, RAN)
    assert not found.failed and found.main_files == [given.file(".pickle")]
    assert found.events is not None and found.events.source == "memory snapshot"


def test_neither_file_is_a_failure(work):
    assert memory.gather(work("python", "a.py"), RAN).failed == "no trace was written: it said this"
