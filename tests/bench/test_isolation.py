"""The isolation test does not start what it cannot end: a verdict is not lost to the clock."""

import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from perfproof.bench import isolation, target
from perfproof.bench.comparison import Comparison
from perfproof.bench.isolation import test_isolation as run_isolation
from perfproof.bench.job import PLAIN
from perfproof.bench.process_record import ProcessRecord
from perfproof.core.errors import WorkerTimeout

from .test_comparison import job, quiet


def compared(one, seconds):
    return Comparison(one, PLAIN, [ProcessRecord(number, 0, 1) for number in range(8)], seconds)


def test_without_time_for_all_launches_it_does_not_run(monkeypatch):
    one = replace(job(), deadline=time.monotonic() + 10)
    monkeypatch.setattr(isolation, "_clean_against_mixed", lambda *_: pytest.fail("there is no time for it"))
    check, isolated = run_isolation(one, SimpleNamespace(get=lambda number: None), compared(one, 80.0), quiet)
    assert (check.result, isolated) == ("not-run", None) and "--timeout" in check.detail


def test_with_time_it_runs_as_often_as_it_needs(monkeypatch):
    one, asked = replace(job(), deadline=time.monotonic() + 600), []
    monkeypatch.setattr(isolation, "_clean_against_mixed", lambda job, launch, number: asked.append(number) or 0.0)
    check, _ = run_isolation(one, SimpleNamespace(get=lambda number: None), compared(one, 0.8), quiet)
    assert check.result == "pass" and asked == list(range(isolation.LAUNCHES))


@pytest.mark.parametrize("claim", ["time", "memory"])
def test_a_verdict_stands_without_what_is_only_shown_beside_it(claim):
    one = replace(job(), claim=claim)
    if claim == "memory":
        with pytest.raises(WorkerTimeout), target._kept_without(one, "memory"):
            raise WorkerTimeout("late")
    else:
        with target._kept_without(one, "memory"):
            raise WorkerTimeout("late")
