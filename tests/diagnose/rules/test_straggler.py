"""A rank that comes late: 200 µs of 1000, half of it beside computation."""

import contextlib
import sqlite3

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence, gather
from perfproof.diagnose.rules.straggler import find
from perfproof.profile.nsys_tables import IN_GRAPHS, WHOLE_GRAPHS
from tests.diagnose.building import Program, evidence_of

NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"

KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
SINCE_1970 = 1_700_000_000_000_000_000
APART = 300_000_000


def rank(number, *comes, computes=400, leaves=700):
    """`comes`: when it comes, in the steps in turn."""
    program = Program(rank=number)
    program.busy(0, computes, "gemm")
    for place, base in enumerate(program.starts()):
        at = base + comes[place % len(comes)]
        program.kernel(at, base + leaves, NCCL, launched=at - 50, stream=20)
    return program


def test_the_others_wait_for_the_rank_that_comes_last():
    finding = find(evidence_of(rank(0, 300), rank(1, 500)))
    assert finding.title == "the others wait for rank 1" and finding.confidence == "medium"
    assert finding.share == pytest.approx(0.10)  # from 400, where it has nothing to compute, to 500
    assert finding.evidence[0].values["skew_seconds"] == pytest.approx(200e-6)


def test_the_share_is_that_of_the_median_of_the_others():
    finding = find(evidence_of(rank(0, 400), rank(1, 450), rank(2, 650)))
    assert finding.share == pytest.approx((0.25 + 0.20) / 2) and finding.confidence == "high"


def export(path, comes, began, sooner):
    """What nsys exports of a rank with four steps of a millisecond; its session began at `began`, so much `sooner`."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE StringIds (id, value)")
        database.executemany("INSERT INTO StringIds VALUES (?, ?)", [(1, NCCL), (2, "gemm")])
        database.execute("CREATE TABLE NVTX_EVENTS (start, end, text, globalTid)")
        database.execute(f"CREATE TABLE {KERNELS} (start, end, deviceId, streamId, globalPid, shortName)")
        for base in range(sooner, sooner + 4_000_000, 1_000_000):
            database.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 'step', ?)", (base, base + 1_000_000, 77 << 24))
            for start, end, name in ((0, 400, 2), (comes, 700, 1)):
                row = (base + start * 1000, base + end * 1000, 0, name, 77 << 24, name)
                database.execute(f"INSERT INTO {KERNELS} VALUES (?, ?, ?, ?, ?, ?)", row)
        if began is not None:
            database.execute("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs)")
            database.execute("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (?)", (began,))
        database.commit()
    return path


@pytest.mark.parametrize("began", [(None, None), (SINCE_1970, SINCE_1970 + APART), (SINCE_1970, None)])
def test_sessions_of_nsys_that_began_apart_make_no_straggler_and_hide_none(tmp_path, began):
    def of(name, *comes):
        ranks = [(comes[0], began[0], APART), (comes[1], began[1], 0)]
        return gather([export(tmp_path / f"{name}{place}.sqlite", *one) for place, one in enumerate(ranks)])

    assert find(of("alike", 400, 400)) is None
    late = find(of("late", 400, 600))
    assert late.title == "the others wait for rank 1" and late.share == pytest.approx(0.20)


def test_it_leaves_exposed_communication_to_the_network():
    rules = [one.rule for one in diagnose(evidence_of(rank(0, 400), rank(1, 650))).findings]
    assert "straggler" in rules and "comm_exposed" not in rules


def test_ranks_that_take_turns_are_a_low_suspicion():
    finding = find(evidence_of(rank(0, 400, 600), rank(1, 600, 400)))
    assert finding.confidence == "low" and finding.title == "ranks take turns in coming late"


def test_ranks_that_come_together_are_silent():
    assert find(evidence_of(rank(0, 400), rank(1, 401))) is None


def test_ranks_that_never_meet_are_silent_and_ones_with_other_steps_abstain():
    alone = Program(rank=1)
    alone.busy(0, 400, "gemm")
    assert isinstance(find(evidence_of(rank(0, 400), alone)), Abstained)
    assert find(evidence_of(alone, alone)) is None
    alone.events.unknown[IN_GRAPHS] = WHOLE_GRAPHS
    assert isinstance(find(evidence_of(alone, alone)), Abstained)


def test_a_single_rank_abstains_where_there_are_others():
    assert isinstance(find(Evidence()), Abstained)
    assert isinstance(find(evidence_of(rank(0, 400))), Abstained)
    alone = Program()
    alone.busy(0, 400, "gemm")
    assert find(alone.evidence()) is None
