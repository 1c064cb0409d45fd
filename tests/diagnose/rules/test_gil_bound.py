"""Who held the interpreter's lock: lines as py-spy writes them with --gil --threads -f raw."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.diagnose import diagnose
from perfproof.diagnose.evidence import Evidence, gather
from perfproof.diagnose.rules.gil_bound import find
from tests.diagnose.test_sampled import stacks

STARTING = "thread (7): MainThread;<module> (train.py:1);_find_and_load (<frozen importlib._bootstrap>:1176) 900"
FEEDER = "thread (8): feeder;Thread._bootstrap (threading.py:1002);Thread.run (threading.py:982);parse (train.py:6)"


@pytest.fixture
def held(tmp_path):
    def write(main, feeder, name="gil.txt"):
        lines = [
            STARTING,
            f"thread (7): MainThread;<module> (train.py:13);step (train.py:8) {main}",
            f"{FEEDER} {feeder}",
        ]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
        return gather([tmp_path / name])

    return write


def test_a_thread_that_keeps_the_lock_is_named(held):
    finding = find(held(main=20, feeder=180))
    assert "'feeder'" in finding.title and finding.confidence == "high"
    assert finding.evidence[0].values == {"others": pytest.approx(0.9), "samples": 200}  # imports do not count


def test_a_main_thread_that_holds_it_itself_is_silent(held):
    assert find(held(main=150, feeder=50)) is None


def test_too_few_samples_or_stacks_of_another_kind_abstain(held):
    assert isinstance(find(held(main=2, feeder=30)), Abstained)
    answer = find(held(main=20, feeder=180, name="stacks.txt"))
    assert isinstance(answer, Abstained) and "--tool gil" in answer.missing


def pool(*lines):
    """Four threads with the same lines; the main thread waits for them."""
    own = [f"thread:pool-{number};threading:run;{line}" for number in range(4) for line in lines]
    return Evidence(stacks=stacks("main (a.py:9);concurrent.futures._base:result;[waits] 1000", *own))


def test_threads_that_run_python_in_turns_come_before_the_lines_that_they_run():
    found = diagnose(pool("count (a.py:3);[python] 240", "count (a.py:3);[waits] 760")).findings
    assert found[0].rule == "gil_bound" and "4 threads" in found[0].title and found[0].confidence == "high"
    assert found[0].share == pytest.approx(0.96 * 3 / 4) and all(one.confidence == "low" for one in found[1:])


@pytest.mark.parametrize(
    "lines",
    [
        ("multiply (a.py:3) 900", "multiply (a.py:4);[python] 100"),  # arrays: the lock is free
        ("load (a.py:3);[waits] 900", "parse (a.py:4);[python] 100"),  # a line that only waits waits for a disk
        ("serve (a.py:3);socket:readinto;[waits] 900", "serve (a.py:3);[python] 100"),
    ],
)
def test_threads_that_compute_on_arrays_or_wait_for_something_else_do_not_contend(lines):
    assert find(pool(*lines)) is None


def test_one_thread_that_runs_python_has_nobody_to_contend_with():
    assert find(Evidence(stacks=stacks("main (a.py:3);[python] 700", "main (a.py:3);[waits] 300"))) is None


QUEUED = "[waits for the interpreter's lock]"


def with_feeder(*main, feeder=("pack (a.py:3);[python] 900", "pack (a.py:3) 100")):
    return Evidence(stacks=stacks(*main, *(f"thread:feeder;threading:run;{line}" for line in feeder)))


def test_a_thread_that_keeps_the_lock_from_the_main_one_is_named_before_the_wait():
    evidence = with_feeder(f"{QUEUED};work (a.py:9);[waits] 700", "work (a.py:9) 300")
    found = diagnose(evidence).findings
    assert found[0].rule == "gil_bound" and "'feeder'" in found[0].title and found[0].confidence == "high"
    assert found[0].share == pytest.approx(0.7) and "pack (a.py:3)" in found[0].evidence[0].text
    assert all(one.confidence == "low" for one in found[1:])


@pytest.mark.parametrize(
    ("main", "feeder"),
    [
        (["work (a.py:9);[waits] 700", "work (a.py:9) 300"], ["pack (a.py:3);[python] 1000"]),  # for something else
        ([f"{QUEUED};work (a.py:9);[waits] 100", "work (a.py:9) 900"], ["pack (a.py:3);[python] 1000"]),
        ([f"{QUEUED};work (a.py:9);[waits] 700", "work (a.py:9) 300"], ["multiply (a.py:3) 1000"]),  # the lock is free
        ([f"{QUEUED};ask (a.py:9);socket:readinto;[waits] 900", "work (a.py:9) 100"], ["pack (a.py:3);[python] 1000"]),
    ],
)
def test_a_thread_that_waits_for_something_else_or_hardly_at_all_is_not_starved(main, feeder):
    assert find(with_feeder(*main, feeder=feeder)) is None
