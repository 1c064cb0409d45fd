"""Energy: a side is weighed in a process of its own, and a verdict allows for a counter that moves in steps."""

import contextlib
from dataclasses import replace
from types import SimpleNamespace

import pytest

from perfproof.bench import single
from perfproof.bench.single import Energy, energy_verdict, measure_energy

from .test_comparison import job


def weighed(gain, noise=0.001):
    own = [1 + noise * (-1) ** number for number in range(8)]
    return Energy({"baseline": own, "optimized": [joules / gain for joules in own[::-1]]})


@pytest.mark.parametrize(
    ("gain", "words"), [(1.10, {"better"}), (1 / 1.10, {"worse"}), (1.008, {"same", "inconclusive"})]
)
def test_a_difference_has_to_be_larger_than_the_counter_s_own_steps(gain, words):
    assert energy_verdict(replace(job(), claim="energy"), weighed(gain), "optimized").verdict in words


def test_no_side_shares_a_process_with_another(monkeypatch):
    groups, worker = [], SimpleNamespace(ask=lambda *_, **__: {"joules": 1.0})

    def open_workers(job, launch, asked, stack):
        groups.extend(asked)
        return {side: worker for group in asked for side in group}

    monkeypatch.setattr(single, "open_workers", open_workers)
    monkeypatch.setattr(single, "make_ready", lambda *_: None)
    monkeypatch.setattr(single, "_take_calls", lambda *_: None)
    found = measure_energy(job(), SimpleNamespace(get=lambda number: contextlib.nullcontext()), 2)
    assert sorted(groups) == [["baseline"], ["baseline"], ["optimized"], ["optimized"]]
    assert found.joules == {"baseline": [1.0, 1.0], "optimized": [1.0, 1.0]}
