"""A plan so small that every probe of a CPU takes a moment, and a ceiling to hold against rules."""

import pytest

from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.units import MiB
from perfproof.peak.plan import Plan


@pytest.fixture
def tiny(tmp_path):
    return Plan(
        quick=True,
        repeats=2,
        sample_seconds=0.001,
        idle_seconds=0.0,
        sustained_seconds=0.005,
        settle_seconds=0.0,
        memory_bytes=4 * MiB,
        file_bytes=8 * MiB,
        threads=(1, 2),
        cache_bytes=MiB,
        folder=str(tmp_path),
    )


@pytest.fixture
def ceiling():
    def make(name="memory/copy", value=4.3e12, unit="bytes/s", **fields):
        return Ceiling(**{"low": value, "high": value, "repeats": 5, **fields}, name=name, value=value, unit=unit)

    return make


@pytest.fixture
def ceilings(ceiling):
    def make(*names, **fields):
        values = {
            "perfproof_version": "1",
            "fingerprint": "f" * 16,
            "kind": "xeon-2c",
            "device": "cpu",
            "measured": "now",
        }
        return Ceilings(**{**values, **fields}, ceilings=[ceiling(name) for name in names])

    return make
