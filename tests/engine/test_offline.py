"""Answers without a server, and the inputs that lessons on tokens need."""

import pytest
import torch

from perfproof.engine.cache import Cache
from perfproof.engine.engine import Engine
from perfproof.engine.offline import answers, clear_prompts, forced_logits, llama_of, plain_answers, random_llama
from perfproof.engine.plain_decoder import logits_of
from perfproof.engine.runner import Runner
from perfproof.engine.weights import dequantise_weights, quantise_weights
from tests.engine.tiny_models import small


def made(dtype=torch.float64, **others):
    torch.manual_seed(5)
    return random_llama(1, 64, 40, 31, dtype, head_dim=16, **others)


def test_the_architecture_is_read_back_from_the_weights():
    model = llama_of(made(), head_dim=16)
    assert (model.shape.heads, model.shape.kv_heads, model.shape.ffn, model.shape.vocab) == (4, 1, 40, 31)
    experts = llama_of(made(experts=6, active=1), head_dim=16, active=1).shape.experts
    assert (experts.count, experts.active, experts.width) == (6, 1, 40)


def test_other_states_of_the_generator_give_other_weights():
    assert not torch.equal(
        random_llama(1, 64, 40, 31, torch.float32).head, random_llama(1, 64, 40, 31, torch.float32).head
    )


def test_prompts_share_the_beginning_that_was_asked_for_and_no_more():
    torch.manual_seed(1)
    weights = random_llama(1, 64, 40, 31, torch.float32)
    prompts = clear_prompts(weights, 4, 12, 3, shared=7)
    assert prompts.shape == (4, 12) and (prompts[:, :7] == prompts[0, :7]).all()
    assert len({tuple(one) for one in prompts[:, 7:].tolist()}) > 1


def test_single_precision_gives_the_tokens_of_double_precision_on_clear_prompts():
    torch.manual_seed(2)
    weights = random_llama(1, 64, 40, 31, torch.float32)
    prompts = clear_prompts(weights, 6, 9, 8)
    engine = Engine(llama_of(weights), weights, small(blocks=60))
    assert answers(engine, prompts.tolist(), [8] * 6) == plain_answers(weights, prompts, 8).tolist()


def test_prompts_on_whose_way_two_logits_are_close_are_drawn_again(monkeypatch):
    torch.manual_seed(3)
    weights = random_llama(1, 64, 40, 31, torch.float32)
    monkeypatch.setattr("perfproof.engine.offline.CLEAR", 0.05)
    prompts = clear_prompts(weights, 8, 6, 2)
    tokens = torch.cat([prompts, plain_answers(weights, prompts, 2)], 1)
    best = logits_of(llama_of(weights), weights, tokens)[:, 5:-1].topk(2, -1).values
    assert (best[..., 0] - best[..., 1] > 0.049).all()


@pytest.mark.parametrize("length", [1, 4, 9])
def test_forced_steps_give_the_logits_of_the_whole_text(length):
    torch.manual_seed(4)
    weights = random_llama(2, 64, 40, 31, torch.float64)
    model, text = llama_of(weights), torch.randint(31, (3, length))
    cache = Cache(model, 3 * -(-length // 4), 4, torch.float64, torch.device("cpu"))
    found = forced_logits(Runner(model, weights, cache, length, 3), text)
    torch.testing.assert_close(found, logits_of(model, weights, text)[:, -1], rtol=1e-9, atol=1e-9)


def test_numbers_that_fit_8_bits_are_quantised_without_a_loss():
    once = dequantise_weights(quantise_weights(made(), 8, 8))
    again = dequantise_weights(quantise_weights(once, 8, 8))
    torch.testing.assert_close(again.layers[0].down, once.layers[0].down, rtol=1e-14, atol=0)
    assert not torch.equal(once.layers[0].down, made().layers[0].down)


def test_weights_in_another_format_keep_a_shared_head():
    weights = made()
    weights.head = weights.embedding
    moved = weights.to(torch.float32)
    assert moved.head is moved.embedding and moved.dtype == torch.float32


def test_the_engine_does_not_depend_on_the_default_device():
    weights = made(torch.float32)
    prompts = torch.randint(31, (2, 9))
    right = answers(Engine(llama_of(weights, 16), weights, small(blocks=60)), prompts.tolist(), [5, 5])
    with torch.device("meta"):
        engine = Engine(llama_of(weights, 16), weights, small(blocks=60))
        assert answers(engine, prompts.tolist(), [5, 5]) == right


def test_memory_for_copies_to_a_device_is_the_hosts_whatever_the_default_device(monkeypatch):
    weights = made(torch.float32)
    runner = Engine(llama_of(weights, 16), weights, small(blocks=60)).runner
    asked = []
    monkeypatch.setattr(torch, "empty", lambda *size, **options: asked.append(options) or torch.zeros(*size))
    runner.pinned(5)
    assert [(one["device"], one["pin_memory"]) for one in asked] == [("cpu", True)]
