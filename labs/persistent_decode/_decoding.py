"""One decode step of a small Llama on a cache of fixed size, in torch operations, and the loop around it."""

import torch
import torch.nn.functional as F
from torch import Tensor

from perfproof.engine.architecture import Architecture
from perfproof.engine.model import turn_tables
from perfproof.engine.offline import llama_of
from perfproof.engine.weights import Weights

HEAD = 64  # values of a head


class State:
    """The cache and the tables of all rows; every row is at the same place of its text."""

    def __init__(self, weights: Weights, rows: int, longest: int) -> None:
        self.model, self.weights, self.longest = llama_of(weights), weights, longest
        shape = self.model.shape
        self.turns = turn_tables(self.model, longest, weights.dtype, weights.device)
        room = (len(shape.layers), 2, rows, shape.kv_heads, longest, HEAD)
        self.cache = torch.zeros(room, dtype=weights.dtype, device=weights.device)
        self.token = torch.zeros(rows, dtype=torch.int64, device=weights.device)
        self.place = torch.zeros(1, dtype=torch.int64, device=weights.device)


def decode(step, state: State, prompts: Tensor, answer: int) -> Tensor:
    """(rows, length) to (rows, answer). Tokens of the prompt go through the same step as those of the answer.

    `step` computes the state's token at the state's place, and gets the number of the place as well.
    """
    length, found = prompts.shape[1], []
    for place in range(length + answer - 1):
        state.token.copy_(prompts[:, place] if place < length else found[-1])
        state.place.fill_(place)
        following = step(place)
        if place >= length - 1:
            found.append(following.clone())
    return torch.stack(found, 1)


def eager_step(state: State, context: int):
    """The step as a function of tensors; it looks at the first `context` places of the cache."""
    model, weights, (cosines, sines) = state.model, state.weights, state.turns

    def step(token: Tensor, place: Tensor, cache: Tensor) -> Tensor:
        hidden = weights.embedding[token]
        turn = cosines[place], sines[place]
        later = torch.arange(context, device=token.device) > place
        for layer, kept in zip(weights.layers, cache, strict=True):
            inner = F.rms_norm(hidden, hidden.shape[-1:], layer.attention_norm, model.eps)
            hidden = hidden + F.linear(attend(model, F.linear(inner, layer.qkv), turn, place, kept, later), layer.out)
            inner = F.rms_norm(hidden, hidden.shape[-1:], layer.mlp_norm, model.eps)
            gate, up = F.linear(inner, layer.gate_up).chunk(2, -1)
            hidden = hidden + F.linear(F.silu(gate) * up, layer.down)
        hidden = F.rms_norm(hidden, hidden.shape[-1:], weights.norm, model.eps)
        return F.linear(hidden, weights.head).argmax(-1)

    return step


def attend(model: Architecture, qkv: Tensor, turn, place: Tensor, kept: Tensor, later: Tensor) -> Tensor:
    shape = model.shape
    heads = qkv.view(*qkv.shape[:-1], -1, HEAD)
    query, key, value = heads.split([shape.heads, shape.kv_heads, shape.kv_heads], 1)
    kept[0].index_copy_(2, place, turned(key, turn).unsqueeze(2))
    kept[1].index_copy_(2, place, value.unsqueeze(2))
    keys, values = kept[:, :, :, : len(later)]
    query = turned(query, turn)
    grouped = query.view(len(query), shape.kv_heads, -1, HEAD)
    scores = (grouped @ keys.transpose(-1, -2) * HEAD**-0.5).masked_fill(later, -torch.inf)
    return (scores.softmax(-1) @ values).flatten(1)


def turned(x: Tensor, turn) -> Tensor:
    first, second = x.chunk(2, -1)
    cosine, sine = turn
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1)


def captured(step, state: State):
    """A CUDA graph of one step on the state's own tensors; a call replays it and gives the tokens that follow."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step(state.token, state.place, state.cache)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        following = step(state.token, state.place, state.cache)

    def replay(place: int) -> Tensor:
        graph.replay()
        return following

    return replay


def weight_count(layers: int, hidden: int, ffn: int, vocab: int) -> float:
    """Values that a step reads: four heads share a key, and the embedding is not read as a whole."""
    return layers * (2.5 * hidden**2 + 3 * hidden * ffn) + hidden * vocab
