"""Who held the interpreter's lock: lines as py-spy writes them with --gil --threads -f raw."""

import pytest

from perfproof.core.diagnosis import Abstained
from perfproof.diagnose.evidence import gather
from perfproof.diagnose.rules.gil_bound import find

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
