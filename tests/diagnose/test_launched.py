"""Kernels are told by the operators around their launch, on the same thread, from the outermost in."""

import pytest

from perfproof.core.events import Kind
from perfproof.diagnose.launched import around_launches, covered_share, device_share, kernels_under
from tests.diagnose.building import Program


def program():
    one = Program()
    one.each_step(Kind.OPERATOR, "aten::unique", 0, 300)
    one.each_step(Kind.OPERATOR, "aten::sort", 50, 200)
    one.each_step(Kind.OPERATOR, "aten::mm", 300, 400)
    one.each_step(Kind.OPERATOR, "aten::elsewhere", 0, 1000, thread=9)
    for base in one.starts():
        one.kernel(base + 100, base + 300, "sorting", launched=base + 60)
        one.kernel(base + 300, base + 400, "counting", launched=base + 250)
        one.kernel(base + 400, base + 900, "gemm", launched=base + 310)
        one.kernel(base + 900, base + 950, "own", launched=base + 500)
    return one.evidence().traces[0]


def names_around(trace):
    events = trace.events
    found = {events.name(kernel): [events.name(row) for row in rows] for kernel, rows in around_launches(trace).items()}
    return {name: [one for one in rows if one.startswith("aten")] for name, rows in found.items()}


def test_the_operators_of_the_launching_thread_are_named_outermost_first():
    assert names_around(program()) == {
        "sorting": ["aten::unique", "aten::sort"],
        "counting": ["aten::unique"],
        "gemm": ["aten::mm"],
        "own": [],
    }


def test_the_devices_time_for_operators_is_that_of_the_kernels_under_them():
    trace = program()
    unique = [row for row in trace.rows(Kind.OPERATOR) if trace.events.name(row) == "aten::unique"]
    assert {trace.events.name(row) for row in kernels_under(trace, unique)} == {"sorting", "counting"}
    assert device_share(trace, unique) == covered_share(trace, unique) == pytest.approx(0.3)


def test_without_a_device_it_is_the_hosts_time():
    one = Program()
    one.each_step(Kind.OPERATOR, "aten::mm", 0, 250)
    trace = one.evidence().traces[0]
    assert covered_share(trace, trace.rows(Kind.OPERATOR)) == pytest.approx(0.25)
