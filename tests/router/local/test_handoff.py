"""Blocks that are handed over give the answer of one engine; blocks that are wrong or missing are seen or computed."""

import pytest
import torch

from perfproof.engine.engine import Engine, Settings
from perfproof.engine.request import Request, Sampling
from perfproof.router.local.handoff import hand_over, take_over
from perfproof.router.local.model import as_tensor, plain_answers, small_model, small_weights

PROMPT = [(7 * number) % 500 for number in range(45)]  # two full blocks and a part of a third
SALT = b"salt"


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def engine(blocks: int = 8) -> Engine:
    return Engine(small_model(), small_weights(), Settings(blocks=blocks, overlap=False))


def answer(one: Engine, count: int) -> Request:
    request = Request("r", PROMPT, Sampling(temperature=0, max_tokens=count, ignore_eos=True), salt=SALT)
    one.add(request)
    while one.is_busy:
        one.step()
    return request


@pytest.fixture
def handed():
    first = engine()
    answer(first, 1)
    return hand_over(first, PROMPT, SALT)


def test_the_second_engine_goes_on_where_the_first_one_ended(handed):
    second = engine()
    take_over(second, handed)
    request = answer(second, 4)
    assert request.cached == 32 == len(handed.tokens)
    assert request.answer == plain_answers([PROMPT], [4])[0]
    assert second.blocks.used == 0


def test_a_layer_with_other_values_changes_the_answer(handed):
    second = engine()
    handed.values[0][:] = 100.0
    take_over(second, handed)
    assert answer(second, 4).answer != plain_answers([PROMPT], [4])[0]


def test_another_salt_finds_nothing_and_a_full_cache_computes_again(handed):
    other = engine()
    handed.salt = b"another"
    take_over(other, handed)
    assert answer(other, 1).cached == 0
    small = engine(blocks=4)
    small.blocks.free.clear()
    take_over(small, handed)  # no block is free: nothing is written, nothing fails
    assert not small.blocks.by_name


def test_answers_of_different_lengths_are_filled_up():
    assert as_tensor([[1], [2, 3]]).tolist() == [[1, -1], [2, 3]]
