"""What is weighed of one side alone: two figures that divide to the ratio, and room for a counter's steps."""

import contextlib
from dataclasses import replace
from statistics import geometric_mean
from types import SimpleNamespace

import pytest

from perfproof.bench import resources
from perfproof.bench.resources import (
    Energy,
    Peaks,
    energy_verdict,
    measure_energy,
    memory_verdict,
    startup_verdict,
)
from tests.bench.comparison.recorded import job


def weighed(gain, noise=0.001):
    own = [1 + noise * (-1) ** number for number in range(8)]
    return Energy({"baseline": own, "optimized": [joules / gain for joules in own[::-1]]})


@pytest.mark.parametrize(
    ("gain", "words"), [(1.10, {"better"}), (1 / 1.10, {"worse"}), (1.008, {"same", "inconclusive"})]
)
def test_a_difference_has_to_be_larger_than_the_counter_s_own_steps(gain, words):
    assert energy_verdict(replace(job(), claim="energy"), weighed(gain), "optimized").verdict in words


def test_joules_of_both_sides_divide_to_the_ratio():
    uneven = Energy(
        {"baseline": [1.0, 1.3, 0.9, 1.1, 1.0, 1.2, 1.0, 1.1], "optimized": [0.5, 0.8, 0.4, 0.5, 0.6, 0.5, 0.4, 0.7]}
    )
    found = energy_verdict(replace(job(), claim="energy"), uneven, "optimized")
    assert found.baseline / found.variant == pytest.approx(found.ratio, rel=1e-12) and found.claim == "energy"
    assert found.baseline == pytest.approx(geometric_mean(uneven.joules["baseline"]))
    assert found.variant == pytest.approx(geometric_mean(uneven.joules["optimized"]))


def test_start_ups_of_both_sides_divide_to_the_ratio():
    seconds = {"baseline": [2.0 + 0.01 * n for n in range(10)], "optimized": [1.0 + 0.02 * n for n in range(10)]}
    found = startup_verdict(job(), seconds, "optimized")
    assert (found.verdict, found.claim, found.rung) == ("better", "startup", "alone")
    assert found.baseline / found.variant == pytest.approx(found.ratio, rel=1e-12)


@pytest.mark.parametrize("peaks", [([64, 64, 64], [16, 16, 16]), ([64, 70, 66, 68, 65], [16, 18, 16, 17, 19])])
def test_bytes_of_both_sides_divide_to_the_ratio(peaks):
    values = {side: [2**20 * one for one in own] for side, own in zip(("baseline", "optimized"), peaks, strict=True)}
    found = memory_verdict(job(), Peaks(values, "VmHWM", 4096), "optimized")
    assert (found.verdict, found.claim, found.clock) == ("better", "memory", "VmHWM")
    assert found.baseline / found.variant == pytest.approx(found.ratio, rel=1e-12)


def test_a_side_without_a_counter_has_no_verdict():
    assert memory_verdict(job(), Peaks({"baseline": [1]}), "optimized") is None
    assert energy_verdict(job(), Energy({"baseline": [1.0]}), "optimized") is None


def test_no_side_shares_a_process_with_another(monkeypatch):
    groups, worker = [], SimpleNamespace(ask=lambda *_, **__: {"joules": 1.0})

    def open_workers(job, launch, asked, stack):
        groups.extend(asked)
        return {side: worker for group in asked for side in group}

    monkeypatch.setattr(resources, "open_workers", open_workers)
    monkeypatch.setattr(resources, "make_ready", lambda *_: None)
    monkeypatch.setattr(resources, "_take_calls", lambda *_: None)
    found = measure_energy(job(), SimpleNamespace(get=lambda number: contextlib.nullcontext()), 2)
    assert sorted(groups) == [["baseline"], ["baseline"], ["optimized"], ["optimized"]]
    assert found.joules == {"baseline": [1.0, 1.0], "optimized": [1.0, 1.0]}


@pytest.mark.parametrize(("seconds", "claim", "calls"), [(0.1, "time", {3}), (2.0, "time", {1}), (2.0, "memory", {3})])
def test_memory_takes_one_call_where_calls_take_seconds_unless_it_is_the_claim(monkeypatch, seconds, claim, calls):
    asked = []

    def ask(command, deadline, **fields):
        asked.append(fields["calls"])
        return {"peak": 4096, "counter": "VmHWM", "quantum": 4096}

    monkeypatch.setattr(resources, "open_worker", lambda *_: SimpleNamespace(ask=ask))
    slow = replace(job(), claim=claim, verified_seconds={"baseline": seconds, "optimized": seconds / 2})
    found = resources.measure_memory(slow, SimpleNamespace(get=lambda number: None), processes=1)
    assert {*asked} == calls and found.of("baseline").peak_bytes == 4096
