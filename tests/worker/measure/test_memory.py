"""Peak memory of a region: what it holds at once counts, what it held before and gave back does not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from perfproof.core.units import MiB
from perfproof.worker.measure import memory
from tests.worker.measure.peaks import BLOCK


@pytest.fixture(scope="module")
def peaks():
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-m", "tests.worker.measure.peaks"], cwd=root, capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    if found["counter"] is None:
        pytest.skip("the high-water mark cannot be reset here")
    return found


def test_a_known_allocation_is_seen(peaks):
    assert peaks["counter"] in (memory.RESIDENT, memory.TENSORS)
    assert peaks["block"] == pytest.approx(BLOCK, abs=MiB // 2)


def test_what_is_held_at_once_counts_and_what_comes_one_after_the_other_does_not(peaks):
    assert peaks["together"] == pytest.approx(3 * BLOCK, abs=MiB)
    assert peaks["in turn"] == pytest.approx(BLOCK, abs=MiB)


@pytest.mark.parametrize("where", ["in a child", "in a child that stays"])
def test_memory_of_a_child_process_counts(peaks, where):
    """And pages of libraries that it reads, which are few."""
    assert 3 * BLOCK - MiB < peaks[where] < 3 * BLOCK + 24 * MiB


def test_what_was_there_before_does_not_count(peaks):
    assert peaks["nothing"] < MiB


def test_memory_that_is_reserved_and_not_touched_counts_only_where_tensors_are_counted(peaks):
    assert peaks["not touched"] == pytest.approx(0 if peaks["counter"] == memory.RESIDENT else 4 * BLOCK, abs=MiB)


def test_what_is_kept_is_held_and_what_is_given_back_is_not(peaks):
    kept, given_back = peaks["held"]
    assert kept == pytest.approx(BLOCK, abs=MiB)
    assert given_back < MiB


def test_without_a_counter_there_is_no_figure(monkeypatch):
    def closed(*_, **__):
        raise PermissionError("not here")

    monkeypatch.setattr("builtins.open", closed)
    assert memory.peak_of(lambda: None, "cpu") is None
