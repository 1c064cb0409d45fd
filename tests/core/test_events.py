"""The event table: rows, columns, series, joining."""

import pytest

from perfproof.core.events import ABSENT, Events, Kind, Total, joined, whole


def table(rank=ABSENT):
    events = Events("test")
    events.add(Kind.KERNEL, "gemm", 10, 30, stream=7, device=0, rank=rank, correlation=3, args={"grid": [1, 2, 3]})
    events.add(Kind.RUNTIME, "cudaLaunchKernel", 5, 8, thread=901, process=900, correlation=3)
    events.add(Kind.KERNEL, "gemm", 40, 50, stream=7, device=0, bytes=64, args={"grid": [1, 2, 3]})
    events.read("gpu0.power", 12, 350.5, "W")
    return events


def test_a_row_is_given_back_as_it_was_added():
    first, call, last = table().rows()
    assert (first.kind, first.name, first.start_ns, first.end_ns, first.duration_ns) == (
        Kind.KERNEL,
        "gemm",
        10,
        30,
        20,
    )
    assert (first.stream, first.device, first.correlation, first.args) == (7, 0, 3, {"grid": [1, 2, 3]})
    assert (call.thread, call.process, call.stream, call.args) == (901, 900, ABSENT, {})
    assert (last.bytes, last.correlation, last.external, last.rank) == (64, ABSENT, ABSENT, ABSENT)


def test_names_and_arguments_are_kept_once():
    events = table()
    assert events.names == ["gemm", "cudaLaunchKernel"]
    assert len(events.arguments) == 1


def test_rows_are_chosen_by_kind():
    events = table()
    assert events.where(Kind.KERNEL) == [0, 2]
    assert [row.name for row in events.rows(Kind.RUNTIME, Kind.COPY)] == ["cudaLaunchKernel"]


@pytest.mark.parametrize("value", [None, "7", 1.0, True, 2**63, -(2**63), [1], float("nan")])
def test_what_is_no_id_is_absent(value):
    assert whole(value) == ABSENT
    events = Events("test")
    events.add(Kind.COPY, "copy", 0, 1, stream=value, device=value, bytes=value)
    assert events.row(0).stream == ABSENT and len(events) == 1


def test_shifting_moves_rows_and_series():
    events = table()
    events.shift(100)
    assert (events.row(0).start_ns, events.row(0).end_ns) == (110, 130)
    assert list(events.series["gpu0.power"].times_ns) == [112]


def test_tables_of_ranks_are_joined_with_their_names_mapped():
    one, two = table(), Events("test")
    two.add(Kind.FILL, "Memset", 1, 2, args={"value": 0})
    two.add(Kind.KERNEL, "gemm", 3, 4)
    two.totals.append(Total(("main",), {"samples": 3.0}))
    two.warnings.append("odd")
    two.unknown["fills"] = "why"
    one.set_rank(0)
    two.set_rank(1)
    both = joined([one, two])
    assert [(row.rank, row.name, row.args) for row in both.rows()] == [
        (0, "gemm", {"grid": [1, 2, 3]}),
        (0, "cudaLaunchKernel", {}),
        (0, "gemm", {"grid": [1, 2, 3]}),
        (1, "Memset", {"value": 0}),
        (1, "gemm", {}),
    ]
    assert set(both.series) == {"rank0.gpu0.power"}
    assert (both.warnings, both.unknown, len(both.totals)) == (["rank1: odd"], {"rank1.fills": "why"}, 1)


def test_series_of_the_same_name_are_both_kept():
    assert set(joined([table(), table()]).series) == {"gpu0.power", "gpu0.power (2)"}


def test_joining_nothing_gives_nothing():
    assert len(joined([])) == 0
