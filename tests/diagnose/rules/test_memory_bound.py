"""By counters, and by the shapes of operators where there are none."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.rules.memory_bound import find
from tests.diagnose.building import DRAM, SM, TENSOR, counters
from tests.diagnose.shapes import H200, with_operator


def test_what_the_arithmetic_does_not_need_could_go():
    found = find(counters(("copy", 3.0, {DRAM: 0.7, TENSOR: 0.1}), ("other", 1.0, {DRAM: 0.2, TENSOR: 0.1})))
    assert found.share == pytest.approx(0.75 * 0.9) and found.share_of == "profiled kernels"
    assert found.confidence == "high" and found.basis == "counters"
    assert "DRAM at 70 % of its peak, arithmetic at 10 %" in found.evidence[0].text and len(found.evidence) == 1


def test_at_eighty_five_per_cent_it_is_as_fast_as_the_bytes_allow():
    found = find(counters(("copy", 1.0, {DRAM: 0.9, SM: 0.2})))
    assert found.confidence == "low" and "as fast as these bytes can be moved" in found.evidence[0].text


@pytest.mark.parametrize("values", [{DRAM: 0.5, TENSOR: 0.1}, {DRAM: 0.8, TENSOR: 0.7}])
def test_little_traffic_or_much_arithmetic_is_something_else(values):
    assert find(counters(("kernel", 1.0, values))) is None


def test_without_the_counters_it_abstains():
    assert isinstance(find(counters(("kernel", 1.0, {SM: 0.9}))), Abstained)


def test_shapes_and_the_data_sheet_stand_in_for_counters():
    # 2 adds a step of 2**25 float32: 3 x 128 MiB in 100 µs = 4.03 TB/s, 84 % of an H200's 4.8
    found = find(with_operator("aten::add", [[2**25], [2**25]], "float", 100, calls=4, about=H200))
    assert found.share == pytest.approx(0.4) and found.confidence == "medium" and found.basis == "durations"
    assert "4027 GB/s" in found.evidence[0].text and "data sheet" in found.evidence[0].text


def test_more_than_the_roof_is_a_cache_and_less_than_seventy_per_cent_is_not_bound():
    assert find(with_operator("aten::add", [[2**25], [2**25]], "float", 50, calls=4, about=H200)) is None
    assert find(with_operator("aten::add", [[2**25], [2**25]], "float", 150, calls=4, about=H200)) is None


def test_an_unknown_card_makes_it_abstain():
    assert isinstance(find(with_operator("aten::add", [[2**25], [2**25]], "float", 100, calls=4)), Abstained)
