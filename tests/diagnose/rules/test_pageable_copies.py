"""Copies through pageable memory: their bytes, their rate and what of them is exposed."""

import pytest

from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.diagnosis import Abstained
from perfproof.core.events import Kind
from perfproof.diagnose.rules.pageable_copies import find
from tests.diagnose.building import Program

PAGEABLE = "Memcpy HtoD (Pageable -> Device)"


def copying(name=PAGEABLE, size=2_000_000, kernel=(200, 1000)):
    """A copy of 200 µs at the start of each step."""
    program = Program()
    for base in program.starts():
        program.work(base, base + 200, name, kind=Kind.COPY, bytes=size)
    program.busy(*kernel)
    return program


def ceilings(rate):
    one = Ceiling(name="host-to-device/pinned", value=rate, unit="bytes/s", low=rate, high=rate, repeats=3)
    return Ceilings(perfproof_version="0", fingerprint="f", kind="k", device="cuda:0", measured="now", ceilings=[one])


def test_two_megabytes_in_two_hundred_microseconds_are_a_fifth_of_the_step():
    found = find(copying().evidence())
    assert found.share == pytest.approx(0.2) and found.confidence == "high"
    assert "10.0 GB/s" in found.evidence[0].text and found.evidence[0].values["bytes_a_step"] == 2e6


def test_the_pinned_rate_stands_beside_it_where_it_was_measured():
    assert "pinned copies reach 50.0 GB/s" in find(copying().evidence(ceilings=ceilings(50e9))).evidence[0].text


def test_pinned_the_bytes_still_have_to_be_moved():
    long = copying(size=20_000_000, kernel=(200, 250)).evidence(ceilings=ceilings(22e9))  # 909 µs at that rate
    assert find(long).share == pytest.approx(1 - 20 / 22, abs=0.001)


def test_small_copies_count_only_where_they_are_slow_and_cost_time():
    small = copying(size=500_000)
    assert find(small.evidence()) is None
    assert find(small.evidence(ceilings=ceilings(50e9))).share == pytest.approx(0.2)
    assert find(small.evidence(ceilings=ceilings(4e9))) is None  # 2.5 GB/s is more than half of 4


def test_copies_whose_size_the_trace_does_not_hold_count_by_their_time():
    found = find(copying(size=-1).evidence(ceilings=ceilings(50e9)))
    assert found.share == pytest.approx(0.2) and "of a size that the trace does not hold" in found.evidence[0].text
    assert find(copying(size=-1, kernel=(0, 1000)).evidence()) is None


def test_copies_under_a_kernel_cost_nothing():
    found = find(copying(kernel=(0, 1000)).evidence())
    assert found.share == 0.0 and found.confidence == "low"


def test_pinned_copies_are_not_meant():
    assert find(copying("Memcpy HtoD (Pinned -> Device)").evidence()) is None


def test_without_a_gpu_it_abstains():
    assert isinstance(find(Program().evidence()), Abstained)


def test_what_goes_to_the_host_may_be_less():
    assert find(copying("Memcpy DtoH (Device -> Pageable)").evidence()).advice.startswith("if the host only reduces")
    assert find(copying().evidence()).advice.startswith("page-lock")
