"""Prefill and decode in two processes: the same tokens, from keys and values that were sent."""

import queue
from multiprocessing import Pipe

import pytest
import torch

from perfproof.core.errors import DocumentError
from perfproof.engine.engine import Engine
from perfproof.engine.handover import bytes_per_token, place, taken
from perfproof.engine.offline import finish
from perfproof.engine.prefill_process import _take_requests, prefill_forever, prefill_step
from perfproof.engine.request import Request, Sampling
from tests.engine.tiny_models import expected, greedy, model, prompts, small


def failing_engine():
    raise RuntimeError("no such model")


def asked():
    """Greedy ones, and two that draw."""
    drawn = [Request(f"d{number}", one, Sampling(1.0, max_tokens=8)) for number, one in enumerate(prompts(2, seed=5))]
    return [greedy(str(number), one) for number, one in enumerate(prompts(7))] + drawn


def prefilled(requests, **changed):
    engine, found = Engine(*model(), small(**changed)), []
    for request in requests:
        engine.add(request)
    while engine.is_busy:
        prefill_step(engine, found.append)
    assert engine.blocks.used == 0
    return {one.id: one for one in found}


def decode(engine, requests, sent):
    for request in requests:
        engine.adopt(request, sent[request.id])
    finish(engine)


@pytest.mark.parametrize("changed", [{}, {"blocks": 15, "block_size": 8}, {"overlap": False}, {"most_running": 1}])
def test_a_decode_engine_goes_on_where_the_prefill_engine_ended(changed):
    requests = asked()[:7]
    engine = Engine(*model(), small(**changed))
    decode(engine, requests, prefilled(asked()[:7]))
    for request in requests:
        assert request.answer == expected("llama", tuple(request.prompt), 10)
    assert engine.blocks.used == 0 and len(engine.scheduler.slots) == engine.settings.most_running


def test_the_decode_engine_computes_no_prompt():
    requests, engine, tokens = asked()[:3], Engine(*model(), small()), []
    for request, one in zip(requests, prefilled(asked()[:3]).values(), strict=True):
        engine.adopt(request, one)
    while engine.is_busy:
        engine.step()
        tokens.append(engine.last_step.tokens)
    assert max(tokens) <= 3


def test_an_8_bit_cache_is_sent_with_its_scales():
    requests = asked()[:3]
    decode(Engine(*model(), small(int8_cache=True)), requests, prefilled(asked()[:3], int8_cache=True))
    assert [one.answer for one in requests] == [expected("llama", tuple(one.prompt), 10, True) for one in requests]


def test_draws_go_on_with_the_seed_of_the_prefill_process():
    alone, requests = asked()[-1], asked()[-1:]
    engine = Engine(*model(), small())
    engine.add(alone)
    finish(engine)
    sent = prefilled(asked()[-1:])
    assert sent[alone.id].seed == alone.seed
    decode(Engine(*model(), small(seed=99)), requests, sent)
    assert requests[0].answer == alone.answer


def test_an_answer_of_one_token_needs_no_keys():
    first = expected("llama", tuple(prompts(1)[0]), 1)
    made = [Request("a", prompts(1)[0], Sampling(0, max_tokens=10, stop_ids=(first[0],))) for _ in range(2)]
    sent = prefilled(made[:1])
    assert sent["a"].sent is None
    engine = Engine(*model(), small())
    engine.adopt(made[1], sent["a"])
    assert made[1].finish == "stop" and made[1].answer == first and not engine.is_busy


def test_a_request_that_is_cancelled_before_it_has_room_takes_none():
    requests = asked()[:3]
    engine = Engine(*model(), small(most_running=1))
    for request, one in zip(requests, prefilled(asked()[:3]).values(), strict=True):
        engine.adopt(request, one)
    engine.step()
    engine.cancel(requests[1])
    finish(engine)
    assert requests[1].finish == "cancelled" and requests[2].finish == "length" and engine.blocks.used == 0


def test_keys_and_values_with_the_wrong_sign_change_the_answers():
    requests, sent = asked()[:7], prefilled(asked()[:7])
    for one in sent.values():
        one.sent.view(torch.float64).mul_(-1)
    decode(Engine(*model(), small()), requests, sent)
    assert any(one.answer != expected("llama", tuple(one.prompt), 10) for one in requests)


def test_bytes_of_another_cache_are_refused():
    wide, narrow = (Engine(*model(), small(int8_cache=int8)).runner.cache for int8 in (False, True))
    sent = taken(wide, [3, 1], 6)
    assert sent.numel() == 6 * bytes_per_token(wide)
    with pytest.raises(DocumentError, match="same model"):
        place(narrow, [0, 1], 6, sent)


@pytest.mark.parametrize("steps", [0, 1])
def test_a_cancelled_prompt_is_not_computed_any_more(steps):
    asked_for, engine = queue.SimpleQueue(), Engine(*model(), small(token_budget=4))
    asked_for.put(greedy("gone", prompts(1, longest=40)[0] * 2))
    asked_for.put(greedy("stays", [1, 2, 3]))
    assert _take_requests(engine, asked_for)
    found = []
    for _ in range(steps):
        prefill_step(engine, found.append)
    asked_for.put("gone")
    asked_for.put("never heard of")
    assert _take_requests(engine, asked_for)
    while engine.is_busy:
        prefill_step(engine, found.append)
    assert [one.id for one in found] == ["stays"] and engine.blocks.used == 0


def test_a_prefill_process_says_why_it_fails():
    theirs, ours = Pipe(duplex=False)
    prefill_forever(failing_engine, queue.SimpleQueue(), ours)
    assert "no such model" in theirs.recv()
