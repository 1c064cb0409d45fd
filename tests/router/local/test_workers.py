"""Worker processes give the answers of the plain decoder under every policy, and one call finds nothing of another."""

import os
import time
from pathlib import Path

import pytest
import torch

from perfproof.engine.engine import Settings
from perfproof.router.local.model import plain_answers
from perfproof.router.local.workers import LocalWorkers, Wanted


@pytest.fixture(scope="module")
def workers():
    torch.set_num_threads(1)
    made = LocalWorkers(2, Settings(blocks=64, token_budget=64, overlap=False))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def wanted():
    return [Wanted([(number % 2 + place) % 500 for place in range(37)] + [number], 3) for number in range(5)]


@pytest.fixture(scope="module")
def right(wanted):
    return plain_answers([one.prompt for one in wanted], [one.answer for one in wanted])


@pytest.mark.parametrize("policy", ["round-robin", "least-loaded", "kv-aware"])
def test_every_policy_gives_the_right_answers(workers, wanted, right, policy):
    router = workers.router(policy)
    assert [one.tokens for one in workers.answer(wanted, router)] == right
    assert sum(worker.placed for worker in router.workers) == 5 and not any(one.jobs for one in router.workers)


def test_calls_with_other_prompts_get_their_own_answers(workers, wanted):
    for call in range(1, 6):
        other = [Wanted([token + call for token in one.prompt], 2) for one in wanted]
        right = plain_answers([one.prompt for one in other], [2] * len(other))
        assert [one.tokens for one in workers.answer(other, workers.router("round-robin"))] == right


def test_two_pools_give_the_right_answers(workers, wanted, right):
    assert [one.tokens for one in workers.answer_in_pools(wanted)] == right


def test_large_blocks_cross_the_pipe_while_more_are_on_their_way(workers):
    long = [Wanted([(number * place) % 500 for place in range(300)], 2) for number in range(1, 4)]
    answers = workers.answer_in_pools(long)
    assert [one.tokens for one in answers] == plain_answers([one.prompt for one in long], [2] * 3)


def test_a_refused_request_costs_nothing_and_the_others_are_answered(workers, wanted, right):
    router = workers.router("least-loaded", 0.001)
    for worker in router.workers:
        worker.started_blocks, worker.busy_seconds = 1, 1.0
    found = workers.answer_once(wanted, router)
    assert [one is None for one in found] == [False, False, True, True, True]  # an idle worker takes one
    assert found[0].tokens == right[0] and 0 < found[0].first <= found[0].end


def test_the_processes_end_when_they_are_told_to():
    made = LocalWorkers(1, Settings(blocks=8, overlap=False))
    (process,) = made.processes
    made.stop()
    assert process.exitcode == 0


def test_the_processes_end_with_their_parent(tmp_path):
    told = tmp_path / "pid"
    parent = os.fork()
    if not parent:
        made = LocalWorkers(1, Settings(blocks=8, overlap=False))
        told.write_text(str(made.processes[0].pid))
        os._exit(0)  # without a word to its worker
    os.waitpid(parent, 0)
    status = Path(f"/proc/{told.read_text()}/status")
    for _ in range(500):
        if not status.exists() or "zombie" in status.read_text():
            return
        time.sleep(0.02)
    raise AssertionError("the worker lives on")
