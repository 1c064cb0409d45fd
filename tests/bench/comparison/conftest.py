"""Comparisons without workers."""

from types import SimpleNamespace

import pytest

from perfproof.bench.comparison import couples
from tests.bench.comparison.recorded import record


@pytest.fixture
def measured(monkeypatch):
    """measured(theta=..., ...) stands in for workers; what was asked of them is in the second value."""

    def stand_in(**behaviour):
        asked = []

        def run_process(job, launch, rung, number, couple, slot, *, before, isolation, sampled, prepared):
            first = before is None
            asked.append(SimpleNamespace(rung=rung, number=number, slot=slot, first=first, isolation=isolation))
            return record(number, couple, slot, variants=job.variants, **behaviour)

        monkeypatch.setattr(couples, "run_process", run_process)
        opened = SimpleNamespace(close=lambda: None)
        launches = SimpleNamespace(
            begin=lambda count: None,
            get=lambda number: opened,
            new=lambda: opened,
            apart=False,
            fork_ahead=lambda number: None,
        )
        return launches, asked

    return stand_in
