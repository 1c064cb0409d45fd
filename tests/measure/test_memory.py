"""Peak memory of a region, above what was held before it."""

import pytest
import torch

from perfproof.core.units import MiB
from perfproof.measure.memory import peak_of


def test_the_peak_is_what_was_alive_at_once():
    def region():
        for _ in range(3):
            torch.ones(4 * MiB)  # 16 MiB each, one at a time

    peak = peak_of(region, "cpu")
    assert peak is not None and peak.bytes == pytest.approx(16 * MiB, rel=0.05)


def test_two_at_once_count_twice():
    def region():
        kept = [torch.ones(4 * MiB) for _ in range(2)]
        del kept

    peak = peak_of(region, "cpu")
    assert peak is not None and peak.bytes == pytest.approx(32 * MiB, rel=0.05)
