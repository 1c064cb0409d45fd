"""Ranks that meet in collectives: who came last, who waited, on clocks that agree and on clocks that do not."""

import pytest

from perfproof.core.events import ABSENT, Kind
from perfproof.diagnose.collectives import (
    buffer_bytes,
    collectives,
    communicating,
    communication_rows,
    computing,
    exposed_waits,
    rank_times,
)
from perfproof.profile.intervals import total
from tests.diagnose.building import US, Program, evidence_of

NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"


def rank(number, comes, leaves=700, computes=400, host="one", later=0, first=0):
    """Computes from 0, is in an all-reduce from `comes` to `leaves`, in every step; its clock is `later` µs on."""
    program = Program(rank=number, first=first)
    program.busy(0, computes, "gemm")
    program.busy(comes, leaves, NCCL, stream=20)
    program.events.about["host_name"] = host
    program.events.shift(later * US)
    return program


def traces_of(*programs):
    return evidence_of(*programs).traces


def test_the_last_to_come_is_known_and_the_others_wait_for_it():
    met = collectives(traces_of(rank(0, comes=300), rank(1, comes=500)))
    assert [one.last_rank for one in met] == [1, 1]
    assert [one.skew_ns for one in met] == [200 * US, 200 * US]
    assert [one.transfer_ns for one in met] == [200 * US, 200 * US]


def test_collectives_of_steps_with_other_numbers_are_not_the_same():
    assert collectives(traces_of(rank(0, comes=300), rank(1, comes=500, first=7))) == []


def test_a_wait_beside_computation_costs_nothing():
    traces = traces_of(rank(0, comes=300, computes=400), rank(1, comes=500))
    waits = exposed_waits(traces, collectives(traces))
    assert [total(wait) / len(traces[0].steps) for wait in waits] == [100 * US, 0]


def test_clocks_of_two_hosts_are_set_by_the_ends_of_their_collectives():
    far = traces_of(rank(0, comes=300), rank(1, comes=500, host="two", later=5_000_000))
    met = collectives(far)
    assert [one.skew_ns for one in met] == [200 * US, 200 * US]
    assert [total(wait) for wait in exposed_waits(far, met)] == [200 * US, 0]


@pytest.mark.parametrize("hosts", [(None, None), (None, "one"), ("one", None)])
def test_ranks_that_do_not_name_their_host_are_not_on_the_same_one(hosts):
    apart = traces_of(rank(0, 300, host=hosts[0]), rank(1, 500, host=hosts[1], later=300_000))
    assert [one.skew_ns for one in collectives(apart)] == [200 * US, 200 * US]
    alike = traces_of(rank(0, 300, host=hosts[0]), rank(1, 300, host=hosts[1], later=300_000))
    assert [one.skew_ns for one in collectives(alike)] == [0, 0]


def test_on_one_host_clocks_agree_however_late_a_rank_leaves():
    met = collectives(traces_of(rank(0, comes=300), rank(1, comes=300, leaves=900)))
    assert met[0].shifts == (0, 0)


def test_a_transfer_begins_when_the_last_has_come_on_each_ranks_own_clock():
    far = traces_of(rank(0, comes=300), rank(1, comes=500, host="two", later=5_000_000))
    met = collectives(far)
    assert met[0].transfer(0) == (1_500 * US, 1_700 * US)
    assert met[0].transfer(1) == (5_001_500 * US, 5_001_700 * US)


def test_a_ranks_time_falls_into_parts():
    traces = traces_of(rank(0, comes=300), rank(1, comes=500))
    first, second = rank_times(traces, exposed_waits(traces, collectives(traces)))
    parts = [(one.computing, one.waiting, one.moving, one.rest) for one in (first, second)]
    assert parts == [pytest.approx((0.4, 0.1, 0.2, 0.3)), pytest.approx((0.4, 0.0, 0.2, 0.4))]


def test_the_skew_of_many_is_against_the_median_of_the_others():
    met = collectives(traces_of(rank(0, 300), rank(1, 310), rank(2, 320), rank(3, 500)))
    assert met[0].last_rank == 3 and met[0].skew_ns == 190 * US


def test_collectives_that_a_rank_lacks_are_no_meetings():
    alone = Program(rank=1)
    alone.busy(0, 400, "gemm")
    assert collectives(traces_of(rank(0, comes=300), alone)) == []
    assert collectives(traces_of(rank(0, comes=300))) == []


def test_groups_are_kept_apart():
    one, other = Program(rank=0), Program(rank=1)
    for program, first, second in ((one, "a", "b"), (other, "b", "a")):
        program.busy(100, 200, NCCL, args={"Process Group Name": first, "Collective name": "allreduce"})
        program.busy(400, 500, NCCL, args={"Process Group Name": second, "Collective name": "allreduce"})
    skews = [meeting.skew_ns for meeting in collectives(traces_of(one, other))]
    assert skews == [300 * US] * 4


def test_on_a_host_the_backends_ranges_are_communication_and_operators_elsewhere_computation():
    program = Program(rank=0)
    program.each_step(Kind.RANGE, "gloo:all_reduce", 200, 800, thread=9)
    program.each_step(Kind.OPERATOR, "aten::mm", 100, 400)
    program.each_step(Kind.OPERATOR, "c10d::allreduce_", 150, 900)
    program.each_step(Kind.OPERATOR, "aten::copy_", 200, 800, thread=9)
    (trace,) = traces_of(program)
    assert len(communication_rows(trace)) == 4
    assert total(communicating(trace)) == 2 * 600 * US and total(computing(trace)) == 2 * 300 * US


@pytest.mark.parametrize(
    ("args", "size"),
    [
        ({"dtype": "BFloat16", "In msg nelems": 1000}, 2000),
        ({"Input Dims": [[65536]], "Input type": ["float"]}, 262_144),
        ({"Input Dims": [[2, 3], [4]], "Input type": ["double", "float"]}, 64),
        ({"Input Dims": [[2, 3]], "Input type": ["something"]}, ABSENT),
        ({"Input Dims": "none", "Input type": None}, ABSENT),
        ({"dtype": "Float", "In msg nelems": "many"}, ABSENT),
        ({}, ABSENT),
    ],
)
def test_the_size_of_a_buffer_is_what_the_trace_says_or_unknown(args, size):
    assert buffer_bytes(args) == size
