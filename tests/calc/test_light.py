"""The fastest possible time from bytes and operations, what a gain is made of, and times that cannot be true."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.calc.light import Rates, Work, fastest, impossible, split, work_of

H200 = Rates(memory=4.8e12, compute=989e12, memory_name="data sheet", compute_name="data sheet")


def test_a_side_has_its_own_bytes_where_the_pair_says_so():
    cost = dict(bytes=4e9, flops=1e9, baseline_bytes=36e9)
    assert work_of(cost, "baseline", 0.0).bytes == 36e9
    assert work_of(cost, "optimized", 0.0) == Work(flops=1e9, bytes=4e9, least_bytes=4e9)


def test_what_a_cache_may_hold_does_not_have_to_cross_memory():
    assert work_of(dict(bytes=100.0), "optimized", 30.0).least_bytes == 70.0
    assert work_of(dict(bytes=100.0), "optimized", 300.0).least_bytes == 0.0


def test_the_longer_of_both_times_is_the_fastest_possible():
    found = fastest(flops=989e9, moved=4.8e9, rates=H200)
    assert (found.seconds, found.bound) == (pytest.approx(1e-3), "compute") or found.bound == "memory"
    assert fastest(flops=1.0, moved=4.8e9, rates=H200).bound == "memory"
    assert fastest(flops=989e12, moved=1.0, rates=H200).bound == "compute"
    assert fastest(flops=None, moved=None, rates=H200) is None
    assert fastest(flops=1e9, moved=1e9, rates=Rates(None, None)) is None


def test_rmsnorm_on_an_h200_is_nine_times_less_traffic_and_a_third_more_bandwidth():
    traffic, bandwidth = split(Work(1, 36.0, 36.0), Work(1, 4.0, 4.0), 865e-6, 70.7e-6)
    assert traffic == pytest.approx(9.0) and bandwidth == pytest.approx(1.36, abs=0.01)


@given(st.floats(1, 1e12), st.floats(1, 1e12), st.floats(1e-6, 1), st.floats(1e-6, 1))
def test_the_parts_of_a_gain_multiply_to_it(before, after, slow, fast):
    traffic, bandwidth = split(Work(None, before, before), Work(None, after, after), slow, fast)
    assert traffic * bandwidth == pytest.approx(slow / fast)


def test_a_copy_above_the_data_sheet_is_impossible_and_the_arithmetic_is_shown():
    problem = impossible(Work(None, 8.59e9, 8.59e9), 1e-3, H200)
    assert "8.59e+09 bytes in 1000 µs are 8.59 TB/s" in problem and "4.8 TB/s" in problem
    assert "\n" not in problem


def test_so_are_more_operations_than_there_are():
    assert "7.13e+03 TFLOP/s" in impossible(Work(7.134e12, None, None), 1e-3, H200)


def test_what_is_possible_is_not_refused_nor_is_what_nothing_is_known_about():
    assert impossible(Work(1e9, 4.7e9, 4.7e9), 1e-3, H200) == ""
    assert impossible(Work(1e15, 1e15, 1e15), 1e-9, Rates(None, None)) == ""
    assert impossible(Work(None, 8e9, 0.0), 1e-3, H200) == "", "all of it may come from the cache"
