"""Interval arithmetic against sets of whole numbers, where nothing can go wrong."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from perfproof.profile.intervals import clip, difference, gaps, intersection, span, total, union

INTERVALS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12)
ONE = st.tuples(st.integers(0, 40), st.integers(0, 40)).filter(lambda one: one[0] <= one[1])


def points(intervals):
    return {point for start, end in intervals for point in range(start, end)}


def is_union(intervals):
    whole = all(start < end for start, end in intervals)
    return whole and all(before[1] < after[0] for before, after in pairwise(intervals))


@given(INTERVALS)
def test_a_union_covers_the_same_points_once(intervals):
    merged = union(intervals)
    assert is_union(merged) and points(merged) == points(intervals)
    assert total(merged) == len(points(intervals))


@given(INTERVALS, INTERVALS)
def test_intersection_and_difference_are_those_of_sets(first, second):
    one, other = union(first), union(second)
    assert points(intersection(one, other)) == points(first) & points(second)
    assert points(difference(one, other)) == points(first) - points(second)
    assert total(intersection(one, other)) + total(difference(one, other)) == total(one)


@given(INTERVALS, ONE)
def test_gaps_and_clipping_share_out_the_window(intervals, window):
    merged = union(intervals)
    free, kept = gaps(merged, window), clip(merged, window)
    assert points(free) == points([window]) - points(intervals)
    assert points(kept) == points([window]) & points(intervals)
    assert total(free) + total(kept) == window[1] - window[0]


def test_touching_intervals_become_one_and_empty_ones_none():
    assert union([(5, 9), (1, 5), (3, 3), (9, 2)]) == [(1, 9)]


def test_a_span_goes_from_the_first_start_to_the_last_end():
    assert span([(3, 4), (8, 9)]) == (3, 9) and span([]) == (0, 0)
