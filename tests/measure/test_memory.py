"""Peak memory of a region: what it holds at once counts, what it held before and gave back does not."""

import statistics

import pytest
import torch

from perfproof.core.units import MiB
from perfproof.measure import memory
from perfproof.measure.memory import live_bytes, peak_of

QUARTER = 8 * MiB


def block(size=QUARTER):
    return torch.ones(size // 4)


def peak(region):
    """The middle of five: this process runs other tests' threads too, a measuring process runs one side alone."""
    found = [peak_of(region, "cpu") for _ in range(5)]
    if None in found:
        pytest.skip("the high-water mark cannot be reset here")
    return statistics.median_low(one.bytes for one in found)


def test_a_known_allocation_is_seen_within_the_quantum():
    block()
    found = peak_of(block, "cpu")
    assert found is None or found.counter == "resident set, VmHWM"
    assert abs(peak(block) - QUARTER) <= MiB // 2


def test_what_is_held_at_once_counts_and_what_comes_one_after_the_other_does_not():
    def together():
        _ = [block() for _ in range(3)]

    def in_turn():
        for _ in range(3):
            block()

    assert peak(together) == pytest.approx(3 * QUARTER, abs=MiB)
    assert peak(in_turn) == pytest.approx(QUARTER, abs=MiB)


def test_what_was_there_before_does_not_count():
    kept = block(4 * QUARTER)
    del kept
    before = block(4 * QUARTER)
    assert peak(lambda: None) < MiB
    assert before.sum() == len(before)


def test_memory_that_is_reserved_and_not_touched_does_not_count():
    assert peak(lambda: torch.empty(QUARTER)) < MiB


def test_without_a_counter_there_is_no_figure(monkeypatch):
    def closed(*_, **__):
        raise PermissionError("not here")

    monkeypatch.setattr("builtins.open", closed)
    assert memory.peak_of(lambda: None, "cpu") is None


def test_live_bytes_follow_what_is_held():
    before = live_bytes("cpu")
    held = block()
    assert live_bytes("cpu") - before == pytest.approx(QUARTER, abs=MiB)
    del held
    assert live_bytes("cpu") - before < MiB
