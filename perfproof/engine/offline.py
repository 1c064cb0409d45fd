"""Answers to a list of prompts without a server: for programs, lessons and tests."""

import os
from collections.abc import Sequence

import torch
from torch import Tensor

from perfproof.engine.architecture import Architecture, architecture_of
from perfproof.engine.batch import Batch
from perfproof.engine.cache import Cache
from perfproof.engine.engine import Engine, Settings
from perfproof.engine.model import logits_of as logits_of_step
from perfproof.engine.plain_decoder import logits_of
from perfproof.engine.request import Request, Sampling
from perfproof.engine.runner import Runner
from perfproof.engine.weights import Weights, random_weights

CLEAR = 2e-4  # of two logits: single precision rounds those of random weights at about 1e-5


def answers(engine: Engine, prompts: Sequence[Sequence[int]], counts: Sequence[int]) -> list[list[int]]:
    """Greedy answers of `counts` tokens. All requests wait at the start; nothing is found of an earlier call."""
    requests = greedy_requests(prompts, counts)
    for request in requests:
        engine.add(request)
    finish(engine)
    return [request.answer for request in requests]


def greedy_requests(prompts: Sequence[Sequence[int]], counts: Sequence[int]) -> list[Request]:
    salt = os.urandom(8)
    return [
        Request(str(number), list(prompt), Sampling(temperature=0, max_tokens=count, ignore_eos=True), salt)
        for number, (prompt, count) in enumerate(zip(prompts, counts, strict=True))
    ]


def finish(engine: Engine) -> None:
    while engine.is_busy:
        engine.step()


def random_llama(
    layers: int, hidden: int, ffn: int, vocab: int, dtype: torch.dtype, head_dim: int = 64, **others: int
) -> Weights:
    """Random weights on the default device, other ones for each state of torch's generator. Four heads share a key."""
    heads = hidden // head_dim
    model = _llama(layers, hidden, heads, max(1, heads // 4), head_dim, ffn, vocab, **others)
    seed = int(torch.randint(2**62, (), device="cpu"))
    return random_weights(model, dtype, str(torch.get_default_device()), seed)


def llama_of(weights: Weights, head_dim: int = 64, active: int = 2) -> Architecture:
    """The architecture that these weights belong to, read from their shapes."""
    first = weights.layers[0]
    hidden, queries = first.out.shape
    keys = (first.qkv.shape[0] - queries) // 2
    experts = dict(experts=first.router.shape[0], active=active) if first.router is not None else {}
    vocab = weights.embedding.shape[0]
    heads, kv_heads = queries // head_dim, keys // head_dim
    return _llama(len(weights.layers), hidden, heads, kv_heads, head_dim, first.down.shape[-1], vocab, **experts)


def _llama(
    layers: int, hidden: int, heads: int, kv_heads: int, head_dim: int, ffn: int, vocab: int,
    experts: int = 0, active: int = 2,
) -> Architecture:  # fmt: skip
    family = {"model_type": "mixtral", "num_local_experts": experts, "num_experts_per_tok": active}
    return architecture_of(
        {
            "model_type": "llama",
            "num_hidden_layers": layers,
            "hidden_size": hidden,
            "num_attention_heads": heads,
            "num_key_value_heads": kv_heads,
            "head_dim": head_dim,
            "intermediate_size": ffn,
            "vocab_size": vocab,
            "tie_word_embeddings": False,
            "max_position_embeddings": 65_536,
        }
        | (family if experts else {})
    )


def plain_answers(weights: Weights, prompts: Tensor, count: int) -> Tensor:
    """(requests, length) to (requests, count): the plain decoder in double precision, everything computed again."""
    model, wide, tokens = llama_of(weights), weights.to(torch.float64), prompts
    with torch.no_grad():
        for _ in range(count):
            tokens = torch.cat([tokens, logits_of(model, wide, tokens)[:, -1].argmax(-1, keepdim=True)], 1)
    return tokens[:, prompts.shape[1] :]


def runner_for(text: Tensor, weights: Weights) -> Runner:
    """A runner whose cache holds just these rows of ids, in blocks of 16."""
    model, (rows, longest), block = llama_of(weights), text.shape, 16
    return Runner(
        model, weights, Cache(model, rows * -(-longest // block), block, weights.dtype, weights.device), longest, rows
    )


def forced_logits(runner: Runner, text: Tensor) -> Tensor:
    """(rows, length) ids, one decode step per place whatever the model would say; logits of the last step.

    The runner's cache has as many blocks per row as its longest request.
    """
    rows, length = text.shape
    size, device = runner.cache.size, text.device
    tables = torch.arange(rows * runner.width, device=device).view(rows, runner.width)
    logits = torch.empty(0)
    with torch.inference_mode():
        for place in range(length):
            batch = Batch(
                tokens=text[:, place],
                positions=torch.full((rows,), place, device=device),
                slots=tables[:, place // size] * size + place % size,
                contexts=torch.full((rows,), place + 1, device=device),
                tables=tables,
            )
            logits = logits_of_step(runner.model, runner.weights, runner.cache, batch, runner.turns, runner.kernels)
    return logits.clone()


def clear_prompts(weights: Weights, count: int, length: int, answer: int, shared: int = 0) -> Tensor:
    """(count, length) random prompts whose greedy answers do not depend on rounding; the first `shared` tokens are one.

    In double precision equal logits do not happen. In single precision they do, once in some ten thousand tokens; a
    prompt on whose way two logits are closer than CLEAR is drawn again.
    """
    model, device = llama_of(weights), weights.device
    beginning = torch.randint(model.shape.vocab, (1, shared), device=device)

    def draw() -> Tensor:
        own = torch.randint(model.shape.vocab, (count, length - shared), device=device)
        return torch.cat([beginning.expand(count, -1), own], 1)

    if weights.dtype == torch.float64:
        return draw()
    most = -(-(length + answer) // 16)
    engine = Engine(model, weights, Settings(blocks=count * most, most_running=count, graphs=False))
    kept = torch.empty(0, length, dtype=torch.int64, device=device)
    while len(kept) < count:
        drawn = draw()
        found = torch.tensor(answers(engine, drawn.tolist(), [answer] * count), device=device)
        with torch.no_grad():
            logits = logits_of(model, weights, torch.cat([drawn, found], 1))[:, length - 1 : -1]
        best = logits.topk(2, -1).values
        kept = torch.cat([kept, drawn[((best[..., 0] - best[..., 1]) > CLEAR).all(-1)]])
    return kept[:count]
