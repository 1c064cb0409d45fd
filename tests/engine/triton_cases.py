"""Compare the Triton kernels with the torch ones, in Triton's interpreter: `python -m tests.engine.triton_cases`.

The interpreter is chosen when Triton is imported, so this is a program of its own. It prints one line per case.
"""

import os
from copy import deepcopy
from types import SimpleNamespace

os.environ["TRITON_INTERPRET"] = "1"

import torch

from perfproof.engine import torch_kernels, triton_kernels
from perfproof.engine.architecture import architecture_of
from perfproof.engine.batch import Batch, Chunk
from perfproof.engine.cache import Cache
from perfproof.engine.graphs import mixed_batch, padded, tiles_of
from perfproof.engine.model import logits_of
from perfproof.engine.quantised import quantise
from perfproof.engine.request import Request, Sampling
from perfproof.engine.runner import Runner
from perfproof.engine.scheduler import Piece
from perfproof.engine.weights import random_weights
from tests.engine.tiny_models import BASE
from tests.triton_interpreter import replace_once_per_launch

SHAPE = {"model_type": "qwen3", **BASE, "hidden_size": 48, "head_dim": 24}
MODEL = architecture_of(SHAPE)
EXPERTS = architecture_of({**SHAPE, "model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 2})
SIZE = 4


def same(name: str, ours: torch.Tensor, theirs: torch.Tensor, tolerance: float = 1e-4) -> None:
    assert torch.isfinite(theirs).all() and theirs.abs().max() > 0
    torch.testing.assert_close(ours, theirs, rtol=tolerance, atol=tolerance, msg=lambda text: f"{name}: {text}")
    print(name)


def check_linears() -> None:
    """One row, rows that fill a tile in part, and more rows than the streaming kernel takes."""
    layer = random_weights(MODEL, torch.float32, seed=1).layers[0]
    norm, bias = torch.rand(48) + 0.5, torch.randn(layer.qkv.shape[0])
    for rows, bits in ((1, 16), (3, 16), (6, 16), (1, 8), (3, 4), (6, 4)):
        x = torch.randn(rows, 48)
        qkv, gate_up, down = (
            matrix if bits == 16 else quantise(matrix, bits, 16) for matrix in (layer.qkv, layer.gate_up, layer.down)
        )
        for call, arguments in (
            ("norm_linear", (x, norm, qkv, 1e-5, bias)),
            ("norm_gated", (x, norm, gate_up, 1e-5)),
            ("linear_add", (torch.randn(rows, 64), down, x)),
        ):
            # `linear_add` may write into what it adds to.
            answers = (
                getattr(module, call)(*(one.clone() if one is x else one for one in arguments))
                for module in (triton_kernels, torch_kernels)
            )
            same(f"{call} {rows} {bits}", *answers)


def check_experts() -> None:
    layer = random_weights(EXPERTS, torch.float32, seed=2).layers[0]
    x = torch.randn(5, 48)
    same("experts", *(module.add_experts(x, layer, EXPERTS) for module in (triton_kernels, torch_kernels)))


def check_attention(int8: bool, parts: int) -> None:
    """Rows with contexts of 1, 4 and 50 tokens, whose blocks lie in any order."""
    triton_kernels._parts = lambda *_: parts
    layer = random_weights(MODEL, torch.float32, seed=3).layers[0]
    layer.query_norm, layer.key_norm = torch.rand(24) + 0.5, torch.rand(24) + 0.5
    contexts, rows = torch.tensor([1, 4, 50]), torch.arange(3)
    tables = torch.randperm(39).view(3, 13)
    slots = (tables[:, :, None] * SIZE + torch.arange(SIZE)).flatten(1)
    angles = torch.rand(52, 12)
    turns = angles.cos(), angles.sin()
    cache = Cache(MODEL, 39, SIZE, torch.float32, torch.device("cpu"), int8).layers[0]
    positions = torch.arange(52).repeat(3)
    filling = Batch(positions, positions, slots.flatten(), contexts[:0], tables[:0])
    drawn, again = torch.randn(156, layer.qkv.shape[0]), deepcopy(cache)
    same(
        f"many queries int8={int8}",
        triton_kernels.rotate_and_store(drawn, layer, MODEL, turns, filling, again),
        torch_kernels.rotate_and_store(drawn, layer, MODEL, turns, filling, cache),
    )
    same(f"many keys int8={int8}", again.keys.float(), cache.keys.float())
    same(f"many values int8={int8}", again.values.float(), cache.values.float())
    new = torch.randn(3, layer.qkv.shape[0])
    last = Batch(contexts, contexts - 1, slots[rows, contexts - 1], contexts, tables)
    answers = []
    for module in (triton_kernels, torch_kernels):
        kept = deepcopy(cache)
        query = module.rotate_and_store(new, layer, MODEL, turns, last, kept)
        attended = module.attend_rows(query, last, kept, SIZE)
        many = torch.randn(100, 4, 24, generator=torch.Generator().manual_seed(1))
        chunks = [module.attend_chunk(many[: 2 * n], Chunk(0, n, 50, slots[1:, :50]), kept) for n in (50, 9)]
        answers.append((query, kept.keys.float(), kept.values.float(), attended, *chunks))
    names = ("query", "keys", "values", "rows", "whole chunk", "later chunk")
    for name, ours, theirs in zip(names, *answers, strict=True):
        same(f"{name} int8={int8}", ours, theirs)


def check_mixed_step(int8: bool) -> None:
    """Two answers, a whole prompt and the end of another, once as rows and chunks and once as one line of tiles."""
    weights = random_weights(MODEL, torch.float32, seed=4)
    runner = Runner(MODEL, weights, Cache(MODEL, 40, SIZE, torch.float32, torch.device("cpu"), int8), 64, 4)
    draw = torch.Generator().manual_seed(2)
    asked = []
    for slot, length in enumerate((9, 4, 21, 40)):
        prompt = torch.randint(MODEL.shape.vocab, (length,), generator=draw).tolist()
        blocks = list(range(10 * slot, 10 * slot + 10))[::-1]
        asked.append(Request(str(slot), prompt, Sampling(0), slot=slot, blocks=blocks))
    for number, done in ((0, 8), (1, 3), (3, 22)):  # what the cache holds of them already
        runner.launch([Piece(asked[number], 0, done, [], samples=False)])
    pieces = [Piece(asked[number], at, len(asked[number].prompt) - at, [], True) for number, at in ((0, 8), (1, 3))]
    pieces += [Piece(asked[2], 0, 21, [], True), Piece(asked[3], 22, 18, [], True)]
    line, places = runner._numbers(pieces), [0, 1, 22, 40]
    theirs, _ = runner._eager(line, pieces[2:], places)
    room = SimpleNamespace(tokens=64, tiles=8, sampled=6)
    flat = torch.from_numpy(padded(runner, line, tiles_of(pieces), places, room))
    batch = mixed_batch(flat, 64, 8, runner)
    ours = logits_of(MODEL, weights, runner.cache, batch, runner.turns, triton_kernels)
    assert len(ours) == 6
    same(f"mixed step int8={int8}", ours[:4], theirs, 1e-3 if int8 else 1e-4)


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    replace_once_per_launch()
    triton_kernels.TILE = 16  # more than one part and more than one turn of the loop
    check_linears()
    check_experts()
    check_attention(int8=False, parts=3)
    check_attention(int8=True, parts=1)
    check_mixed_step(int8=False)
    check_mixed_step(int8=True)
