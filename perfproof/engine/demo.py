"""A small model that is trained on this machine, on a text that comes with perfproof: no download, no GPU.

It learns to write sentences like those of its text, and nothing more. It exists so that the server and the load tools
can be tried on a laptop.
"""

from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from perfproof.engine.architecture import Architecture, architecture_of
from perfproof.engine.plain_decoder import logits_of
from perfproof.engine.tokenizer import BYTE_VOCABULARY, END_OF_TEXT
from perfproof.engine.weights import Weights, matrices, random_weights

TEXT = Path(__file__).with_name("demo_text.txt")
STEPS, SEQUENCES, LENGTH, RATE = 300, 8, 48, 8e-3
NAME = "perfproof-demo"


def demo_architecture() -> Architecture:
    return architecture_of(
        {
            "model_type": "llama",
            "hidden_size": 64,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "intermediate_size": 192,
            "vocab_size": BYTE_VOCABULARY,
            "max_position_embeddings": 2048,
            "tie_word_embeddings": True,
            "eos_token_id": END_OF_TEXT,
        }
    )


def train_demo(
    steps: int = STEPS, seed: int = 0, after_step: Callable[[int, int], None] = lambda done, of: None
) -> tuple[Architecture, Weights, float]:
    """The model, its weights, and the loss of the last step in nats per byte."""
    model = demo_architecture()
    weights = random_weights(model, torch.float32, seed=seed)
    weights.embedding.mul_(0.1)
    parameters = trained_parts(weights)
    for one in parameters:
        one.requires_grad_(True)
    optimiser = torch.optim.AdamW(parameters, lr=RATE, weight_decay=0.01)
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=max(2, steps), pct_start=0.1)
    text = demo_tokens()
    generator = torch.Generator().manual_seed(seed)
    loss = torch.zeros(())
    for step in range(1, steps + 1):
        sequences = _draw(text, generator)
        logits = logits_of(model, weights, sequences[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), sequences[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        rate.step()
        after_step(step, steps)
    for one in parameters:
        one.requires_grad_(False)
    return model, weights, float(loss.detach())


def trained_parts(weights: Weights) -> list[Tensor]:
    """Every tensor that training changes. The head is the embedding, so it is listed once."""
    return [weights.embedding, weights.norm, *(one for layer in weights.layers for one in matrices(layer))]


def demo_tokens() -> Tensor:
    """Every paragraph ends with the token for the end of a text."""
    tokens: list[int] = []
    for paragraph in TEXT.read_text().split("\n\n"):
        tokens += [*" ".join(paragraph.split()).encode(), END_OF_TEXT]
    return torch.tensor(tokens)


def _draw(text: Tensor, generator: torch.Generator) -> Tensor:
    starts = torch.randint(len(text) - LENGTH - 1, (SEQUENCES,), generator=generator)
    return text[starts[:, None] + torch.arange(LENGTH + 1)]
