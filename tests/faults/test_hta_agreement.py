"""Idle time, breakdown and overlap agree within one per cent with Holistic Trace Analysis (the package traceinsight).

Where it is installed it is asked; otherwise its answers as they were stored count. The written trace has what one GPU
cannot record (communication); the others come from `record_on_gpu.py`, their figures from `hta_figures.py`.
"""

import importlib.util
import json
from pathlib import Path

import pytest

from perfproof.core.events import Kind
from perfproof.profile.breakdown import idle, overlap, temporal, work
from perfproof.profile.reading import read
from tests.faults.gpu_faults import HEALTHY, TRACED
from tests.faults.hta_figures import figures
from tests.faults.written_trace import written
from tests.profile.idle_by_cause import idle_by_cause

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"
WITHIN = 0.01
LEAST_US = 0.1  # the other side adds times since the machine's start as floats of 64 bits


def answers(path: Path) -> dict:
    """Those of Holistic Trace Analysis."""
    if importlib.util.find_spec("hta"):
        return figures(path)
    stored = HERE / ("hta_written.json" if path.name == "written.json.gz" else "recorded/hta.json")
    return json.loads(stored.read_text())[path.name]


@pytest.fixture(params=["written", HEALTHY, *TRACED])
def trace(request, tmp_path) -> Path:
    if request.param == "written":
        return written(tmp_path)
    return RECORDED / f"{request.param}.json.gz"


def near(microseconds: float):
    return pytest.approx(microseconds, rel=WITHIN, abs=LEAST_US)


def test_the_breakdown_agrees(trace):
    theirs, ours = answers(trace), temporal(*device(trace))
    assert ours.idle_ns / 1e3 == near(theirs["idle_us"])
    assert ours.compute_ns / 1e3 == near(theirs["compute_us"])
    assert ours.non_compute_ns / 1e3 == near(theirs["non_compute_us"])


def test_the_overlap_agrees(trace):
    theirs, ours = answers(trace)["overlap_percent"], overlap(*device(trace)).ratio
    assert (ours is None) == (theirs is None)
    if ours is not None:
        assert 100 * ours == pytest.approx(theirs, rel=WITHIN)


def test_the_causes_of_idle_time_agree_for_every_stream(trace):
    events, rank, number = device(trace)
    for stream, theirs in answers(trace)["idle_by_cause"].items():
        ours = idle_by_cause(idle(events, rank, number, int(stream)))
        for cause, microseconds in theirs.items():
            assert ours.get(cause, 0) / 1e3 == near(microseconds), (stream, cause)
        assert set(ours) <= {*theirs, "unknown"}


def device(trace: Path):
    events = read(trace)
    row = events.where(Kind.KERNEL)[0]
    found = events.rank[row], events.device[row]
    assert work(events, *found)
    return events, *found
