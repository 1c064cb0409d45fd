"""Two captures side by side: every portion stands in one row, and nothing is lost or counted twice."""

import math

from hypothesis import given
from hypothesis import strategies as st

from perfproof.core.profile_record import Portion
from perfproof.profile.diff import diff, moved

portion = st.builds(
    Portion,
    kind=st.sampled_from(["kernel", "operator"]),
    name=st.sampled_from("abc"),
    template=st.sampled_from(["", "<1>"]),
    grid=st.sampled_from(["", "8x1x1"]),
    launches=st.integers(1, 5).map(float),
    seconds=st.none() | st.floats(0, 10),
    counters=st.dictionaries(st.sampled_from(["x__y.sum"]), st.floats(-1e6, 1e6)),
)
captures = st.lists(portion, max_size=5)


def kernel(name, seconds, **fields):
    return Portion(kind="kernel", name=name, launches=fields.pop("launches", 1.0), seconds=seconds, **fields)


def total(portions):
    return math.fsum(one.seconds or 0.0 for one in portions)


@given(captures, captures)
def test_every_portion_stands_in_exactly_one_row(before, after):
    rows = diff(before, after)
    key = str
    assert sorted((row.before for row in rows if row.before), key=key) == sorted(before, key=key)
    assert sorted((row.after for row in rows if row.after), key=key) == sorted(after, key=key)


@given(captures, captures)
def test_the_rows_add_up_to_the_difference_of_the_whole(before, after):
    assert math.isclose(math.fsum(map(moved, diff(before, after))), total(after) - total(before), abs_tol=1e-9)


@given(captures)
def test_a_capture_does_not_differ_from_itself(one):
    assert {row.change for row in diff(one, one)} <= {"same"}


@given(captures, captures)
def test_the_other_way_round_gone_is_added(before, after):
    there, back = diff(before, after), diff(after, before)
    for change, opposite in (("gone", "added"), ("added", "gone"), ("same", "same"), ("changed", "changed")):
        assert sum(row.change == change for row in there) == sum(row.change == opposite for row in back)


@given(captures, captures)
def test_joined_rows_are_of_one_kind_and_name(before, after):
    for row in diff(before, after):
        if row.before and row.after:
            assert (row.before.kind, row.before.name) == (row.after.kind, row.after.name) == (row.kind, row.name)
        else:
            assert row.change in ("gone", "added")


def test_gone_added_changed_and_same():
    before = [kernel("add", 2.0), kernel("gemm", 4.0), kernel("copy", 1.0)]
    after = [kernel("fused", 1.0), kernel("gemm", 1.0), kernel("copy", 1.01)]
    found = [(row.change, row.name, row.what) for row in diff(before, after)]
    assert found[:3] == [("changed", "gemm", "time"), ("gone", "add", ""), ("added", "fused", "")]
    assert found[3] == ("same", "copy", "")


def test_the_same_kernel_with_another_template_and_grid_is_changed_not_gone():
    before = kernel("gemm", 1.0, template="<128>", grid="8x1x1")
    (row,) = diff([before], [kernel("gemm", 1.0, template="<256>", grid="4x1x1")])
    assert (row.change, row.what) == ("changed", "template, grid")


def test_the_exact_shape_is_joined_before_the_name():
    small, large = kernel("gemm", 1.0, grid="8x1x1"), kernel("gemm", 5.0, grid="64x1x1")
    rows = diff([small, large], [large, small])
    assert {(row.before.grid, row.after.grid) for row in rows} == {("8x1x1", "8x1x1"), ("64x1x1", "64x1x1")}


def test_counters_that_moved_are_named():
    before = kernel("k", 1.0, counters={"dram__bytes.sum": 100.0, "sm__cycles.sum": 7.0})
    (row,) = diff([before], [kernel("k", 1.0, counters={"dram__bytes.sum": 50.0, "sm__cycles.sum": 7.0})])
    assert (row.change, row.what) == ("changed", "dram__bytes.sum")


def test_the_number_of_samples_is_no_difference():
    before = Portion(kind="frame", name="f", launches=100, seconds=1.0)
    (row,) = diff([before], [before.model_copy(update={"launches": 140.0})])
    assert row.change == "same"


def test_a_kernel_that_lost_its_namespace_is_still_that_kernel():
    before = [kernel("at::k", 1.0, template="<4, at::F<char*, 2ul> >"), kernel("at::k", 2.0, template="<8>")]
    after = [kernel("k", 2.0, template="<(int)8>"), kernel("k", 1.0, template="<(int)4, F<char *, 2>>")]
    assert [(row.change, row.what) for row in diff(before, after)] == [("same", "")] * 2
    assert {row.change for row in diff(after, before)} == {"same"}


def test_kernels_of_two_namespaces_and_operators_are_not_joined_by_their_last_part():
    rows = diff([kernel("a::k", 1.0)], [kernel("b::k", 1.0)])
    assert sorted(row.change for row in rows) == ["added", "gone"]
    operators = [Portion(kind="operator", name=name, launches=1.0, seconds=1.0) for name in ("aten::mm", "mm")]
    assert sorted(row.change for row in diff(operators[:1], operators[1:])) == ["added", "gone"]


def test_casts_in_a_template_are_no_change():
    rows = diff([kernel("k", 1.0, template="<(int)4>")], [kernel("k", 1.0, template="<4>")])
    assert [row.change for row in rows] == ["same"]
