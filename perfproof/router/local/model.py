"""A small model in double precision for workers on a CPU core: real prefill and decode, exact answers."""

import torch
from torch import Tensor

from perfproof.engine.architecture import Architecture, architecture_of
from perfproof.engine.plain_decoder import decode_greedily
from perfproof.engine.weights import Weights, random_weights

VOCABULARY = 512


def small_model() -> Architecture:
    return architecture_of(
        {
            "model_type": "llama",
            "hidden_size": 128,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "intermediate_size": 384,
            "vocab_size": VOCABULARY,
            "max_position_embeddings": 1024,
        }
    )


def small_weights(seed: int = 0) -> Weights:
    """Double precision: the order of a sum changes no token."""
    return random_weights(small_model(), torch.float64, seed=seed)


def plain_answers(prompts: list[list[int]], answers: list[int]) -> list[list[int]]:
    """Every token computed again from the whole text, without cache, batch or worker: the reference."""
    model, weights = small_model(), small_weights()
    return [decode_greedily(model, weights, prompt, count) for prompt, count in zip(prompts, answers, strict=True)]


def as_tensor(answers: list[list[int]]) -> Tensor:
    """One row per request, filled up with -1."""
    rows = torch.full((len(answers), max(map(len, answers))), -1, dtype=torch.int64, device="cpu")
    for row, answer in zip(rows, answers, strict=True):
        row[: len(answer)] = torch.tensor(answer, device="cpu")
    return rows
