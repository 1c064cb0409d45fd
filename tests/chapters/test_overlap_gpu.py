"""The benchmark that proves overlap from a trace: its arithmetic, on records as torch's profiler names them."""

import sys
from pathlib import Path

import pytest

from perfproof.core.events import Events, Kind

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
THERE, BACK, INSIDE = (
    "Memcpy HtoD (Pinned -> Device)",
    "Memcpy DtoH (Device -> Pinned)",
    "Memcpy DtoD (Device -> Device)",
)


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    sys.modules.pop("overlap_gpu", None)
    import overlap_gpu

    return overlap_gpu


def recorded(*rows: tuple[Kind, str, int, int]) -> Events:
    events = Events("kineto")
    for row in rows:
        events.add(*row)
    return events


def test_work_in_turn_has_no_overlap(benchmark):
    found = benchmark.overlap(
        recorded((Kind.COPY, THERE, 0, 10), (Kind.KERNEL, "gemm", 10, 25), (Kind.COPY, BACK, 25, 30))
    )
    assert found == benchmark.Overlap(copies=15, kernels=15, both=0, both_ways=0, kernels_together=0)


def test_work_side_by_side_is_counted_once_however_many_take_part(benchmark):
    found = benchmark.overlap(
        recorded(
            (Kind.COPY, THERE, 0, 10),
            (Kind.COPY, BACK, 5, 12),
            (Kind.KERNEL, "a", 4, 20),
            (Kind.KERNEL, "b", 6, 9),
            (Kind.KERNEL, "c", 8, 30),
        )
    )
    assert found == benchmark.Overlap(copies=12, kernels=26, both=8, both_ways=5, kernels_together=14)


def test_a_copy_within_the_device_is_no_copy_that_a_link_hides(benchmark):
    found = benchmark.overlap(recorded((Kind.COPY, INSIDE, 0, 10), (Kind.KERNEL, "a", 0, 10)))
    assert found.copies == found.both == 0


def test_every_pair_that_it_traces_is_there_with_a_baseline_first(benchmark):
    for pair in benchmark.PAIRS:
        assert benchmark.sides(benchmark.load(pair))[:2] == ["baseline", "optimized"]
