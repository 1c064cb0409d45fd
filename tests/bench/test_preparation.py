"""Processes are got ready together where that takes long: all are told before one is waited for; none is timed then."""

import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from perfproof.bench import preparation
from perfproof.bench.comparison import couples
from perfproof.bench.comparison.comparison import Comparison
from perfproof.bench.comparison.couples import measure
from perfproof.bench.job import IN_TURN, PLAIN
from perfproof.bench.preparation import MOST_AT_ONCE, WORTH_SECONDS, at_once, begin, wait
from perfproof.bench.record import ProcessRecord
from perfproof.core.errors import WorkerCrashed
from perfproof.core.options import EFFORTS, Effort
from tests.bench.comparison.recorded import job, quiet, record

SLOW = 10 * WORTH_SECONDS


def first_of(ready_seconds=SLOW, room=100.0):
    return ProcessRecord(
        0, 0, 1, call_seconds={"baseline": 1.0, "optimized": 2.0}, ready_seconds=ready_seconds, room=room
    )


# how many at once


@pytest.mark.parametrize(
    ("ready_seconds", "room", "cores", "left", "count"),
    [
        (SLOW, 100, 8, 15, 8),  # as many as have a core
        (SLOW, 100, 64, 15, 15),  # as many as are left
        (SLOW, 100, 64, 40, MOST_AT_ONCE),
        (SLOW, 7.9, 8, 15, 3),  # half of what fits into memory
        (SLOW, 0.4, 8, 15, 1),  # a model that fills the device
        (0.9 * WORTH_SECONDS, 100, 8, 15, 1),  # not worth it
        (SLOW, 100, 1, 15, 1),
        (2 * SLOW, 100, 1, 15, 2),  # much of it may be waiting
        (2 * SLOW, 3.9, 1, 15, 1),
    ],
)
def test_as_many_as_have_cores_and_memory_if_it_takes_long(ready_seconds, room, cores, left, count):
    own = replace(job(), cpus=tuple(range(cores)))
    assert at_once(own, PLAIN, first_of(ready_seconds, room), left) == count


def test_sides_in_workers_of_their_own_take_more_memory():
    own = replace(job(variants=("optimized", "optimized_b")), cpus=tuple(range(64)))
    assert at_once(own, PLAIN, first_of(room=12), 15) == 6 and at_once(own, IN_TURN, first_of(room=12), 15) == 3


def test_ranks_and_interpreters_of_their_own_come_one_after_the_other():
    own = replace(job(), cpus=tuple(range(8)))
    assert at_once(replace(own, rank_cpus=((0,), (1,))), PLAIN, first_of(), 15) == 1
    assert at_once(replace(own, effort=EFFORTS["final"]), PLAIN, first_of(), 15) == 1


# one process


class Worker:
    """Remembers what it was told; ready in `seconds` per call."""

    def __init__(self, said, seconds=3.0, fails=""):
        self.said, self.seconds, self.fails = said, seconds, fails

    def tell(self, command, **fields):
        self.said.append(("tell", command, *fields.get("sides", ())))

    def hear(self, command, deadline):
        self.said.append(("hear", command))
        if command == self.fails:
            raise WorkerCrashed("no")
        figures = {name: {"baseline": self.seconds, "optimized": self.seconds} for name in preparation.SIDE_FIGURES}
        return {**figures, "waits": {}, "draw_seconds": 1.0, "floor": 0.0, "pool": {"set_bytes": 1}, "room": 50.0}

    def kill(self):
        self.said.append(("kill",))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.said.append(("close",))


@pytest.fixture
def launch(tmp_path):
    said = []
    return SimpleNamespace(scratch=tmp_path, said=said, fork=lambda: Worker(said))


def test_a_process_beside_others_is_told_everything_before_it_is_waited_for(launch):
    one = job()
    found = begin(one, launch, PLAIN, 0, 0, 1, first_of(), isolation=True, beside=True)
    assert [words[:2] for words in launch.said] == [("tell", "open")] * 2 + [("tell", "ready")] * 2
    wait(one, found, beside=True)
    assert [words for words in launch.said if words[0] == "hear"] == [("hear", "open")] * 2 + [("hear", "ready")] * 2
    assert found.clean is not None and found.is_ready and found.record.call_seconds["baseline"] == 3.0
    with found.stack:
        pass
    assert launch.said.count(("close",)) == 2


def test_workers_of_a_process_of_its_own_are_got_ready_one_after_the_other(launch):
    found = begin(job(), launch, IN_TURN, 0, 0, 1, isolation=True)
    wait(job(), found)
    ready = [words[:2] for words in launch.said if words[1:2] == ("ready",)]
    assert ready == [("tell", "ready"), ("hear", "ready")] * 4


def test_what_is_given_up_ends_at_once(launch):
    begin(job(), launch, PLAIN, 0, 0, 1, isolation=True).abandon()
    assert launch.said.count(("kill",)) == launch.said.count(("close",)) == 2


def test_sides_apart_have_a_worker_each(launch):
    found = begin(job(), launch, IN_TURN, 0, 0, 1)
    assert len({*found.workers.values()}) == len(found.sides) == 3


def test_what_was_read_beside_others_is_not_kept(launch):
    found = wait(job(), begin(job(), launch, PLAIN, 0, 0, 1, first_of(), beside=True), first_of(), beside=True)
    assert found.record.call_seconds == {"baseline": 1.0, "optimized": 2.0} and found.record.setup_seconds == {}


def test_no_process_without_the_variants_if_there_is_no_memory_for_it(launch):
    assert begin(job(), launch, PLAIN, 0, 0, 1, first_of(room=0.5), isolation=True).clean is None


# in a comparison


@pytest.fixture
def compared(monkeypatch):
    """A comparison at theta 0.05 whose processes are got ready `count` at a time; what happened, in order."""

    def run(count, fails=""):
        log = []

        def begun(job, launch, rung, number, couple, slot, before, isolation, beside):
            log.append(("begin", number, slot))
            stack = SimpleNamespace(close=lambda: log.append(("close", number, slot)))
            return SimpleNamespace(stack=stack, key=(number, slot), abandon=stack.close)

        def waited(job, one, first, beside):
            log.append(("wait", *one.key))
            if one.key == fails:
                raise WorkerCrashed("no")

        def run_process(job, launch, rung, number, couple, slot, *, before, isolation, sampled, prepared):
            assert prepared is None or prepared.key == (number, slot)
            log.append(("time" if prepared else "alone", number, slot))
            return record(number, couple, slot, theta=0.05)

        monkeypatch.setattr(couples, "begin", begun)
        monkeypatch.setattr(couples, "wait", waited)
        monkeypatch.setattr(couples, "run_process", run_process)
        monkeypatch.setattr(couples, "at_once", lambda job, rung, first, left: min(left, count))
        nothing = dict.fromkeys(("get", "begin", "fork_ahead"), lambda number: None)
        launches = SimpleNamespace(**nothing, no_room=False)
        try:
            measure(job(), PLAIN, launches, quiet)
        except WorkerCrashed:
            log.append("crashed")
        return log

    return run


def test_the_first_process_comes_alone_and_the_others_in_groups(compared):
    log = compared(4)
    assert log[0][0] == "alone" and [words[0] for words in log[1:13]] == ["begin"] * 4 + ["wait"] * 4 + ["time"] * 4
    begun = [words[1:] for words in log if words[0] == "begin"]
    assert len(begun) == len({*begun}) == 15  # eight launches of two, but for the first


def test_nothing_is_timed_while_another_is_got_ready(compared):
    waiting = set()
    for what, *key in compared(5):
        assert what not in ("time", "alone") or not waiting
        waiting ^= {tuple(key)} if what in ("begin", "wait") else set()


def test_a_process_that_fails_ends_those_that_were_begun_with_it(compared):
    log = compared(4)
    fails = next(words[1:] for words in log if words[0] == "begin")
    log = compared(4, fails=fails)
    assert log[-1] == "crashed" and len([words for words in log if words[0] == "close"]) == 4


def test_a_budget_does_not_end_what_is_ready_because_getting_it_ready_took_long():
    own = replace(job(), budget_end=time.monotonic() + 50)
    found = Comparison(own, PLAIN, preparing=420.0, prepared=14)  # half a minute each
    found.records = [replace(record(0, 0, slot), seconds=2.0) for slot in (1, -1)]
    assert couples._spent(found) and not couples._spent(found, next_is_ready=True)


def test_what_a_couple_takes_has_its_part_of_getting_ready_in_it():
    found = Comparison(job(), PLAIN, preparing=30.0, prepared=15)
    found.records = [replace(record(0, 0, slot), seconds=1.5) for slot in (1, -1)]
    assert found.couple_seconds == 7.0


def test_one_at_a_time_is_left_to_the_process_itself(compared):
    assert {words[0] for words in compared(1)} == {"alone"}


def test_processes_that_were_got_ready_together_are_measured_like_others(run_pair, monkeypatch):
    monkeypatch.setattr(couples, "at_once", lambda job, rung, first, left: min(left, 3))
    brief = Effort("standard", 2, 2, couples=1, quads=10, most_quads=40, seconds=0.04, new_interpreters=False)
    result = run_pair(Path(__file__).parents[2] / "chapters/ch01_goodput/batched_gemm.py", effort=brief, fast=True)
    assert result.status == "ok", result.reason
    assert len(run_pair.samples) > 0 and {row["launch"] for row in run_pair.samples} == {0, 1}
