"""The engine's answers are those of the plain decoder, token for token, with every feature on and off."""

import random

import pytest
import torch

from perfproof.core.errors import UsageError
from perfproof.engine.cache import Cache
from perfproof.engine.engine import Engine
from perfproof.engine.plain_decoder import decode_greedily, logits_of
from perfproof.engine.request import Request, Sampling
from perfproof.engine.runner import Runner
from perfproof.engine.speculation import DraftSpeculator, NgramSpeculator
from perfproof.engine.weights import quantise_weights, random_weights
from tests.engine.tiny_models import expected, finish_all, greedy, model, prompts, small

FEATURES = {
    "all on": {},
    "no prefix cache": {"prefix_cache": False},
    "whole prompts": {"chunked": False},
    "tiny chunks": {"token_budget": 5},
    "no overlap": {"overlap": False},
    "one at a time": {"most_running": 1},
    "few blocks": {"blocks": 15},
    "few blocks, no overlap, no prefix cache": {"blocks": 15, "overlap": False, "prefix_cache": False},
    "blocks of one token": {"block_size": 1, "blocks": 200},
}


@pytest.mark.parametrize("changed", FEATURES.values(), ids=FEATURES)
def test_answers_equal_the_plain_decoder(changed):
    engine = Engine(*model(), small(**changed))
    requests = [greedy(str(number), prompt) for number, prompt in enumerate(prompts(9))]
    drawn = random.Random(1)
    finish_all(engine, requests, [drawn.randrange(12) for _ in requests])
    for request in requests:
        assert request.answer == expected("llama", tuple(request.prompt), 10)
    assert engine.blocks.used == 0
    if changed.get("blocks") == 15:
        assert sum(request.preemptions for request in requests) > 0
    if not changed:
        assert sum(request.cached for request in requests) > 0


@pytest.mark.parametrize("family", ["qwen2", "qwen3", "mixtral"])
def test_other_families_equal_the_plain_decoder(family):
    engine = Engine(*model(family), small(blocks=15))
    requests = [greedy(str(number), prompt, 6) for number, prompt in enumerate(prompts(5))]
    finish_all(engine, requests)
    assert [request.answer for request in requests] == [expected(family, tuple(one), 6) for one in prompts(5)]


@pytest.mark.parametrize("bits", [8, 4])
def test_quantised_weights_equal_the_plain_decoder_of_the_dequantised_ones(bits):
    made, weights = model()
    small_weights = quantise_weights(weights, bits, group=16)
    engine = Engine(made, small_weights, small())
    requests = [greedy(str(number), prompt, 6) for number, prompt in enumerate(prompts(4))]
    finish_all(engine, requests)
    wanted = [decode_greedily(made, small_weights, prompt, 6) for prompt in prompts(4)]
    assert [request.answer for request in requests] == wanted
    assert bits == 8 or wanted != [expected("llama", tuple(one), 6) for one in prompts(4)]  # it does change something


def test_an_int8_cache_equals_a_plain_decoder_that_rounds_keys_and_values():
    engine = Engine(*model(), small(int8_cache=True, blocks=15))
    requests = [greedy(str(number), prompt, 8) for number, prompt in enumerate(prompts(5))]
    finish_all(engine, requests)
    assert [one.answer for one in requests] == [expected("llama", tuple(one), 8, True) for one in prompts(5)]


def draft(engine_settings, count=3):
    """A model of one layer, with other weights."""
    made, _ = model("llama", num_hidden_layers=1)
    weights = random_weights(made, torch.float64, seed=99)
    width = -(-made.longest // engine_settings.block_size)
    cache = Cache(made, width * engine_settings.most_running, engine_settings.block_size, torch.float64, weights.device)
    return DraftSpeculator(Runner(made, weights, cache, made.longest, engine_settings.most_running), count)


def own_draft(settings):
    """The model itself as its draft: every guess is right."""
    made, weights = model()
    width = -(-made.longest // settings.block_size)
    cache = Cache(made, width * settings.most_running, settings.block_size, torch.float64, weights.device)
    return DraftSpeculator(Runner(made, weights, cache, made.longest, settings.most_running), 3)


@pytest.mark.parametrize("speculator", [lambda _: NgramSpeculator(4), draft, own_draft], ids=["ngram", "draft", "own"])
@pytest.mark.parametrize("blocks", [60, 15])
@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_speculation_changes_no_token(speculator, blocks, temperature):
    def answers(guesses):
        engine = Engine(*model(), small(blocks=blocks), guesses)
        asked = [
            Request(str(number), prompt * 2, Sampling(temperature, max_tokens=14, seed=number, top_p=0.9))
            for number, prompt in enumerate(prompts(5, longest=12))
        ]
        counted = [0, 0]
        for request in asked:
            engine.add(request)
        while engine.is_busy:
            engine.step()
            counted = [counted[0] + engine.last_step.drafted, counted[1] + engine.last_step.accepted]
        assert engine.blocks.used == 0
        return [request.answer for request in asked], counted

    plain, _ = answers(None)
    guessed, (drafted, right) = answers(speculator(small(blocks=blocks)))
    assert guessed == plain
    assert drafted > 0
    if speculator is own_draft:
        assert right == drafted


def test_a_seed_gives_the_same_answer_alone_and_in_a_crowd():
    def asked(number, prompt):
        return Request(str(number), prompt, Sampling(1.0, top_k=20, max_tokens=8, seed=5))

    alone, crowd = asked("x", prompts(1)[0]), [asked(number, one) for number, one in enumerate(prompts(6))]
    finish_all(Engine(*model(), small()), [alone])
    finish_all(Engine(*model(), small(blocks=15)), crowd)
    assert crowd[0].answer == alone.answer
    other = Request("y", prompts(1)[0], Sampling(1.0, top_k=20, max_tokens=8, seed=6))
    finish_all(Engine(*model(), small()), [other])
    assert other.answer != alone.answer


def test_an_answer_ends_with_eos_a_stop_id_or_its_length():
    wanted = expected("llama", tuple(prompts(1)[0]), 10)
    stop = wanted[4]
    first = wanted.index(stop)
    request = Request("a", prompts(1)[0], Sampling(0, max_tokens=10, stop_ids=(stop,)))
    finish_all(Engine(*model(), small()), [request])
    assert request.answer == wanted[: first + 1] and request.finish == "stop"
    other = greedy("b", prompts(1)[0], 3)
    finish_all(Engine(*model(), small()), [other])
    assert other.answer == wanted[:3] and other.finish == "length"


@pytest.mark.parametrize("steps", [0, 1, 2, 4])
def test_cancelling_frees_the_blocks_at_once_and_the_others_go_on(steps):
    engine = Engine(*model(), small(prefix_cache=False))
    gone, stays = greedy("gone", prompts(2)[0] * 3), greedy("stays", prompts(2)[1])
    engine.add(gone)
    engine.add(stays)
    for _ in range(steps):
        engine.step()
    held = len(gone.blocks)
    before = engine.blocks.used
    engine.cancel(gone)
    assert engine.blocks.used == before - held and gone.finish == "cancelled"
    while engine.is_busy:
        engine.step()
    assert stays.answer == expected("llama", tuple(stays.prompt), 10) and engine.blocks.used == 0


def test_an_id_may_be_used_again_after_its_request_has_ended():
    engine = Engine(*model(), small())
    for seed in range(4):
        shared = prompts(1, seed=seed, longest=60)[0] + [seed] * 9
        asked = [greedy(str(number), [*shared, number]) for number in range(4)]
        finish_all(engine, asked[:1])
        finish_all(engine, asked[1:])
        assert [one.answer for one in asked] == [expected("llama", tuple(one.prompt), 10) for one in asked]
        assert asked[-1].cached > 0


def test_requests_with_different_salts_share_nothing():
    engine = Engine(*model(), small())
    prompt = prompts(1, longest=60)[0]
    first, same, other = (Request(name, prompt, Sampling(0, max_tokens=2)) for name in ("first", "same", "other"))
    other.salt = b"tenant"
    for request in (first, same, other):
        finish_all(engine, [request])
    assert same.cached > 0 and other.cached == 0 and same.answer == other.answer


@pytest.mark.parametrize(
    "prompt, sampling, word",
    [
        ([], Sampling(), "empty"),
        ([61], Sampling(), "vocabulary"),
        ([-1], Sampling(), "vocabulary"),
        ([1], Sampling(max_tokens=0), "at least 1"),
        ([1], Sampling(max_tokens=10**9), "160"),
        ([1] * 160, Sampling(max_tokens=1), "160"),
    ],
)
def test_what_can_never_be_served_is_refused_at_once(prompt, sampling, word):
    engine = Engine(*model(), small())
    with pytest.raises(UsageError, match=word):
        engine.add(Request("a", prompt, sampling))
    assert not engine.is_busy


@pytest.mark.parametrize("seed", range(5))
def test_random_prompts_under_random_settings_equal_the_plain_decoder(seed):
    """40 prompts per draw of all switches at once: 200 in all, with random arrivals, lengths and cancellations."""
    drawn = random.Random(seed)
    settings = small(
        blocks=drawn.choice([40, 60, 200]),
        block_size=drawn.choice([1, 3, 4, 16]),
        token_budget=drawn.choice([6, 24, 400]),
        most_running=drawn.choice([3, 8, 20]),
        prefix_cache=drawn.random() < 0.7,
        chunked=drawn.random() < 0.7,
        overlap=drawn.random() < 0.7,
        int8_cache=drawn.random() < 0.3,
    )
    speculator = drawn.choice([None, NgramSpeculator(3), draft(settings), own_draft(settings)])
    engine = Engine(*model(), settings, speculator)
    longest = min(40, engine.longest - 12)
    requests = [greedy(str(n), one, drawn.randrange(1, 8)) for n, one in enumerate(prompts(40, seed, longest))]
    requests = [one for one in requests if len(one.prompt) + 12 <= engine.longest]
    gone = set(drawn.sample(requests, 3))
    arrivals = {request: drawn.randrange(25) for request in requests}
    for step in range(4000):
        for request in (one for one in requests if arrivals[one] == step):
            engine.add(request)
        for request in (one for one in gone if arrivals[one] + 2 == step):
            engine.cancel(request)
        engine.step()
        if step > 30 and not engine.is_busy:
            break
    assert engine.blocks.used == 0 and len(engine.scheduler.slots) == settings.most_running
    for request in requests:
        assert request.finish == "length" or (request in gone and request.finish == "cancelled")
        assert request.answer == most_likely(request, settings.int8_cache)


def most_likely(request, int8_cache):
    """What the plain decoder says after each token of the answer, in one pass."""
    if not request.answer:
        return []
    with torch.no_grad():
        logits = logits_of(*model(), torch.tensor([request.tokens[:-1]]), int8_cache)
    return logits[0, len(request.prompt) - 1 :].argmax(-1).tolist()
