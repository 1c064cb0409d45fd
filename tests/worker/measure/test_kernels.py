"""Device records are cut at the marks, streams that overlap count once, and what cannot be told apart is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.worker.measure.kernels import Activity, busy_seconds, cut_at_marks, paced_by_device, shares

MARKED = "at::cuda::(anonymous namespace)::spin_kernel(long)"


def kernel(start, end, name="add", stream=7):
    return Activity(name, start, end, stream)


def mark(start):
    return kernel(start, start + 1, MARKED)


def test_a_sample_is_what_lies_between_its_two_marks():
    fill = kernel(60, 70, "the harness's own")
    records = [mark(0), kernel(10, 20), kernel(30, 40), mark(50), fill, mark(100), kernel(110, 120, "mul"), mark(130)]
    first, second = cut_at_marks(records, 2)
    assert [one.start_ns for one in first] == [10, 30]
    assert [one.name for one in second] == ["mul"]


def test_records_come_in_any_order_and_what_ran_before_the_first_mark_is_nobodys():
    records = [mark(130), kernel(110, 120), mark(100), kernel(50, 60)]
    assert [[one.start_ns for one in sample] for sample in cut_at_marks(records, 1)] == [[110]]


@pytest.mark.parametrize("marks", [0, 1, 3, 5])
def test_marks_that_do_not_fit_the_samples_are_refused(marks):
    with pytest.raises(ValueError, match=f"{marks} marks were recorded for 2 samples"):
        cut_at_marks([mark(10 * number) for number in range(marks)], 2)


def test_streams_that_run_side_by_side_count_once():
    assert busy_seconds([kernel(0, 100), kernel(50, 150, stream=8), kernel(60, 70, stream=9)]) == pytest.approx(150e-9)
    assert busy_seconds([kernel(0, 100), kernel(200, 300)]) == pytest.approx(200e-9)
    assert busy_seconds([]) == 0.0


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 50)), max_size=20))
def test_busy_time_is_the_number_of_moments_at_which_something_ran(spans):
    covered = {moment for start, length in spans for moment in range(start, start + length)}
    records = [kernel(start, start + length) for start, length in spans]
    assert busy_seconds(records) == pytest.approx(len(covered) * 1e-9)


def test_copies_that_the_host_feeds_are_left_to_its_own_clock():
    names = (
        "Memcpy HtoD (Pageable -> Device)",
        "Memcpy DtoH (Device -> Pinned)",
        "Memcpy HtoD (Pinned -> Device)",
        "add",
    )
    records = [kernel(10 * place, 10 * place + 5, name) for place, name in enumerate(names)]
    assert [one.name for one in paced_by_device(records)] == list(names[1:])


@pytest.mark.parametrize(
    "name", ["Pageable", "hidden_Pageable_copy", "void Memcpy_Pageable(float*)", "Memcpy Pageable"]
)
def test_a_kernel_does_not_escape_by_calling_itself_a_pageable_copy(name):
    assert paced_by_device([kernel(0, 5, name)])


def test_kernels_are_told_by_name_with_their_launches_a_call():
    records = [kernel(0, 30, "add"), kernel(40, 50, "mul"), kernel(60, 90, "add"), kernel(95, 105, "mul")]
    add, mul = shares(records, calls=2)
    assert (add.name, add.count, add.seconds) == ("add", 1.0, pytest.approx(30e-9))
    assert (mul.name, mul.count, mul.seconds) == ("mul", 1.0, pytest.approx(10e-9))
