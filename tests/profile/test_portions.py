"""How a table of events divides into kernels, operators or frames; numbers worked by hand."""

from pathlib import Path

import pytest

from perfproof.core.events import Events, Kind, Total
from perfproof.profile.manifest.roles import metrics_of
from perfproof.profile.ncu import csv as ncu_csv
from perfproof.profile.portions import a_call, counted_portions, portions

PAGE = Path(__file__).parent / "recorded" / "h200_three_kernels.csv"


def rows_of(found):
    return [(one.kind, one.name, one.launches, round((one.seconds or 0) * 1e9)) for one in found]


def test_kernels_are_added_up_by_name_grid_and_block():
    events = Events("kineto")
    for start, grid in ((0, 8), (100, 8), (200, 16)):
        shape = {"grid": [grid, 1, 1], "block": [128, 1, 1]}
        events.add(Kind.KERNEL, "void add<float>(float*)", start, start + 30, args=shape)
    events.add(Kind.COPY, "Memcpy HtoD", 300, 310)
    events.add(Kind.OPERATOR, "aten::add", 0, 5)
    found = portions(events)
    assert rows_of(found) == [("kernel", "add", 2, 60), ("kernel", "add", 1, 30), ("copy", "Memcpy HtoD", 1, 10)]
    assert (found[0].grid, found[0].block, found[0].template) == ("8x1x1", "128x1x1", "<float>")


def test_the_shape_that_nsys_tells_in_columns_is_the_same():
    events = Events("nsys")
    shape = {"gridX": 4, "gridY": 2, "gridZ": 1, "blockX": 64, "blockY": 1, "blockZ": 1}
    events.add(Kind.KERNEL, "k", 0, 1, args=shape)
    events.add(Kind.KERNEL, "unshaped", 0, 1, args={"gridX": 4})
    assert {one.name: (one.grid, one.block) for one in portions(events)} == {
        "k": ("4x2x1", "64x1x1"),
        "unshaped": ("", ""),
    }


def test_an_operator_counts_without_those_it_calls():
    events = Events("kineto")
    for name, start, end, thread in (
        ("outer", 0, 100, 1),
        ("inner", 10, 40, 1),
        ("innermost", 20, 25, 1),
        ("inner", 50, 60, 1),
        ("elsewhere", 0, 100, 2),
    ):
        events.add(Kind.OPERATOR, name, start, end, thread=thread)
    assert rows_of(portions(events)) == [
        ("operator", "elsewhere", 1, 100),
        ("operator", "outer", 1, 60),
        ("operator", "inner", 2, 35),
        ("operator", "innermost", 1, 5),
    ]


def test_stacks_count_where_they_end():
    events = Events("stacks")
    events.totals = [
        Total(("a", "b"), {"samples": 3.0}),
        Total(("b",), {"samples": 2.0}),
        Total(("a",), {"samples": 1.0}),
    ]
    found = portions(events)
    assert rows_of(found) == [("frame", "b", 5, 0), ("frame", "a", 1, 0)]
    assert found[0].seconds is None  # no times were told, and none are made up


def test_kernels_of_a_proton_tree_are_kernels_of_which_a_call_has_its_part():
    events = Events("proton")
    events.totals = [
        Total(("layer",), {"count": 0, "time_ns": 0}),
        Total(("layer", "rmsnorm_row"), {"count": 20, "time_ns": 1000}),
        Total(("head", "rmsnorm_row"), {"count": 20, "time_ns": 600}),
        Total(("head", "void add<4>(int)"), {"count": 20, "time_ns": 400}),
    ]
    assert rows_of(portions(events)) == [("kernel", "rmsnorm_row", 40, 1600), ("kernel", "add", 20, 400)]
    assert rows_of(a_call(portions(events), 20))[0] == ("kernel", "rmsnorm_row", 2, 80)


def test_what_is_added_up_of_memory_is_no_share_of_time():
    events = Events("memory snapshot")
    events.totals = [Total(("gpu0", "segment"), {"bytes": 4096.0}), Total((), {"samples": 1.0})]
    assert portions(events) == []


def test_the_counters_of_ncu_are_those_of_a_launch():
    kernels = ncu_csv.read_file(PAGE).kernels
    found = counted_portions([*kernels, kernels[0]])
    assert sum(one.launches for one in found) == 4
    twice = next(one for one in found if one.launches == 2)
    once = next(one for one in counted_portions(kernels) if one.name == twice.name)
    assert twice.seconds == pytest.approx(2 * once.seconds)
    assert twice.counters and twice.counters == pytest.approx(once.counters)
    assert "gpu__time_duration.sum" not in twice.counters


def test_of_a_whole_page_what_was_asked_for_is_kept_and_the_facts_of_the_launch():
    page = ncu_csv.read_file(PAGE.with_name("h200_shortened_names.csv"))
    asked = ("gpu__time_duration.sum", "dram__bytes.sum", "device__attribute_display_name")
    for one in counted_portions(page.kernels, asked):
        assert one.counters.keys() - {"dram__bytes.sum"} == set(metrics_of(["LAUNCH"], "GH100"))
        assert one.unknown == {"device__attribute_display_name": "'NVIDIA H200' is not a number"}
        assert one.counters["launch__registers_per_thread"] == 32 or one.name == "reduce_kernel"


def test_a_counter_that_one_launch_lacks_is_unknown_and_no_mean():
    whole = ncu_csv.CountedKernel("k", readings={"a__b.sum": ncu_csv.Reading(4.0)})
    found = counted_portions([whole, ncu_csv.CountedKernel("k")])[0]
    assert found.counters == {} and found.unknown == {"a__b.sum": "not collected"} and found.seconds is None


def test_a_call_is_its_share_of_the_captured_ones():
    events = Events("kineto")
    for start in (0, 100, 200, 300):
        events.add(Kind.KERNEL, "k", start, start + 10)
    found = a_call(portions(events), 2)[0]
    assert found.launches == 2 and found.seconds == pytest.approx(20e-9)
