"""Above the hardware is refused with the arithmetic; a weak copy is kept with a finding."""

import pytest

from perfproof.machine.datasheet import find
from perfproof.peak.sheet_rules import Refused, judged, sheet_of

H200 = find("NVIDIA H200")
CLOCK = 1.98e9


def snapshot(**gpu):
    return {"gpu": 0, "gpus": [{"name": "NVIDIA H200", "clock_sm_max_mhz": 1980, "mig": False, **gpu}]}


def test_a_healthy_copy_gets_the_sheets_figure_and_no_finding(ceiling):
    found = judged(ceiling(value=4.27e12), H200, CLOCK)
    assert (found.sheet, found.finding) == (4.8e12, "")


def test_a_copy_below_80_per_cent_is_a_finding(ceiling):
    assert judged(ceiling(value=3.8e12), H200, CLOCK).finding.startswith("79.2 % of the data sheet's 4.80 TB/s")
    assert judged(ceiling(value=3.85e12), H200, CLOCK).finding == ""
    assert judged(ceiling("memory/read", 3.0e12), H200, CLOCK).finding == ""


def test_more_than_the_hardware_can_do_is_refused_with_the_arithmetic(ceiling):
    judged(ceiling("memory/write", 4.8e12 * 1.019), H200, CLOCK)
    with pytest.raises(Refused, match=r"5\.00 TB/s measured is 104\.2 % of the 4\.80 TB/s that a H200 SXM"):
        judged(ceiling("memory/write", 5.0e12), H200, CLOCK)


def test_a_product_may_pass_the_sheet_as_far_as_the_clock_does(ceiling):
    found = judged(ceiling("gemm/bf16/burst", 1050e12, "flop/s"), H200, CLOCK)
    assert found.sheet == pytest.approx(989.4e12)
    with pytest.raises(Refused, match=r"132 SMs x 4096 operations x 1\.98 GHz"):
        judged(ceiling("gemm/bf16/burst", 1100e12, "flop/s"), H200, CLOCK)
    with pytest.raises(Refused, match="the data sheet's figure"):
        judged(ceiling("gemm/bf16/burst", 1050e12, "flop/s"), H200, None)


def test_shared_memory_is_bound_by_its_width(ceiling):
    judged(ceiling("shared/read", 33e12), H200, CLOCK)
    with pytest.raises(Refused, match="128 bytes a cycle"):
        judged(ceiling("shared/read", 40e12), H200, CLOCK)


def test_where_the_sheet_says_nothing_the_value_stands(ceiling):
    for name in ("launch/latency", "l2/read", "gemm/fp4/burst"):
        assert judged(ceiling(name, 1.0), H200, CLOCK).sheet is None
    assert judged(ceiling(value=1e20), None, None).value == 1e20


def test_the_sheet_is_that_of_the_snapshots_gpu():
    assert sheet_of(snapshot()) == (H200, CLOCK)
    assert sheet_of(snapshot(mig=True))[0] is None
    assert sheet_of(snapshot(clock_sm_max_mhz="unknown: Not Supported"))[1] is None
    assert sheet_of({"gpu": None, "gpus": []}) == (None, None)
