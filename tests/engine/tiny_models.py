"""Models of a few thousand random weights in double precision, where two orders of summation give the same tokens."""

import random
from functools import cache

import torch

from perfproof.engine.architecture import Architecture, architecture_of
from perfproof.engine.engine import Engine, Settings
from perfproof.engine.plain_decoder import decode_greedily
from perfproof.engine.request import Request, Sampling
from perfproof.engine.weights import Weights, random_weights

VOCABULARY = 61
BASE = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 64,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 160,
}
FAMILIES = {
    "llama": {},
    "qwen2": {},
    "qwen3": {"head_dim": 16},
    "mixtral": {"num_local_experts": 4, "num_experts_per_tok": 2},
}


@cache
def model(family: str = "llama", **other: int) -> tuple[Architecture, Weights]:
    made = architecture_of({"model_type": family, **BASE, **FAMILIES[family], **other})
    return made, random_weights(made, torch.float64, seed=7)


def prompts(count: int, seed: int = 0, longest: int = 30) -> list[list[int]]:
    """Every third begins as the first one does."""
    drawn = random.Random(seed)
    made = [[drawn.randrange(VOCABULARY) for _ in range(drawn.randrange(1, longest))] for _ in range(count)]
    return [made[0][:12] + one if number and number % 3 == 0 else one for number, one in enumerate(made)]


@cache
def expected(family: str, prompt: tuple[int, ...], count: int, int8_cache: bool = False) -> list[int]:
    return decode_greedily(*model(family), list(prompt), count, int8_cache)


def greedy(name: str, prompt: list[int], count: int = 10) -> Request:
    return Request(name, prompt, Sampling(temperature=0, max_tokens=count))


def finish_all(engine: Engine, requests: list[Request], arrivals: list[int] | None = None) -> None:
    """Add each request at its step, and go on until all have ended."""
    arrivals = arrivals or [0] * len(requests)
    for step in range(5000):
        for request, arrival in zip(requests, arrivals, strict=True):
            if arrival == step:
                engine.add(request)
        if step >= max(arrivals) and not engine.is_busy:
            return
        engine.step()
    raise AssertionError("the engine does not come to an end")


def small(**other) -> Settings:
    return Settings(**{"blocks": 60, "block_size": 4, "token_budget": 24, "most_running": 5, "seed": 3} | other)
