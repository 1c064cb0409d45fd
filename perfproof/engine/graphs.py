"""Steps as CUDA graphs: captured once, and replayed on fixed buffers.

A step that only has rows is a graph per number of rows. A step with some prompt tokens is a graph per number of tokens:
launched kernel by kernel, it takes the host longer than the device.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from perfproof.engine.architecture import Architecture
from perfproof.engine.batch import TILE_TOKENS, Batch
from perfproof.engine.cache import Cache
from perfproof.engine.model import Turns, logits_of
from perfproof.engine.request import Request
from perfproof.engine.scheduler import Piece
from perfproof.engine.weights import Weights

PER_TOKEN = 4  # integers: token (-1 is the latest one on the device), position, cache slot, request slot
MIXED_TOKENS = (64, *range(128, 1024, 128), *range(1024, 2048 + 1, 256))


class Holder(Protocol):
    """Who holds what a step reads and writes: the runner."""

    model: Architecture
    weights: Weights
    cache: Cache
    device: torch.device
    turns: Turns
    kernels: ModuleType
    tables: Tensor
    latest: Tensor
    owners: list[Request | None]

    def pinned(self, count: int) -> Tensor: ...


def captured(compute: Callable[[], Any], pool: Any) -> "tuple[torch.cuda.CUDAGraph, Any]":
    """A graph of the kernels of `compute`, and what it returned: the memory that a replay writes to."""
    with torch.inference_mode():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # kernels are compiled and workspaces made outside of the capture
            for _ in range(2):
                compute()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            return graph, compute()


def padding_of(runner: Holder, tokens: int) -> np.ndarray:
    """(4, tokens): tokens that are not needed write to the last block of the cache."""
    one = np.array([0, 0, runner.cache.blocks * runner.cache.size, len(runner.latest) - 1], np.int64)
    return np.repeat(one[:, None], tokens, 1)


class Graph:
    """A step of `rows` rows as one CUDA graph."""

    def __init__(self, runner: Holder, rows: int, pool: Any) -> None:
        self.rows, self.runner = rows, runner
        self.line = padding_of(runner, rows)
        self.input = torch.from_numpy(self.line.ravel()).to(runner.device)
        self.graph, (self.logits, self.ids) = captured(self._compute, pool)

    def _compute(self) -> tuple[Tensor, Tensor]:
        runner = self.runner
        batch = batch_of(self.input, self.rows, runner, rows=self.rows)
        logits = logits_of(runner.model, runner.weights, runner.cache, batch, runner.turns, runner.kernels)
        ids = most_likely(logits)
        runner.latest[self.input.view(PER_TOKEN, self.rows)[3]] = ids  # a row that is not greedy is written again later
        return logits, ids

    def replay(self, line: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
        """Logits, most likely tokens and the slot of its request, per row."""
        count = line.shape[1]
        sent = self.runner.pinned(PER_TOKEN * self.rows)
        whole = sent.numpy().reshape(PER_TOKEN, self.rows)
        whole[:, :count], whole[:, count:] = line, self.line[:, count:]
        self.input.copy_(sent, non_blocking=True)
        self.graph.replay()
        return self.logits, self.ids, self.input.view(PER_TOKEN, self.rows)[3]


class MixedGraph:
    """A step of `tokens` tokens, of rows and prompts in any mixture, as one CUDA graph."""

    def __init__(self, runner: Holder, tokens: int, sampled: int, pool: Any) -> None:
        self.tokens, self.sampled, self.runner = tokens, sampled, runner
        self.tiles = -(-tokens // TILE_TOKENS) + len(runner.owners)  # a request's last tile may not be full
        self.unused = padded(runner, np.empty((PER_TOKEN, 0), np.int64), np.empty((4, 0), np.int64), [], self)
        self.input = torch.from_numpy(self.unused).to(runner.device)
        self.graph, (self.logits, self.ids, self.slots) = captured(self._compute, pool)

    def _compute(self) -> tuple[Tensor, Tensor, Tensor]:
        runner = self.runner
        batch = mixed_batch(self.input, self.tokens, self.tiles, runner)
        logits = logits_of(runner.model, runner.weights, runner.cache, batch, runner.turns, runner.kernels)
        return logits, most_likely(logits), self.input[3 * self.tokens : 4 * self.tokens][batch.sampled]

    def replay(self, line: np.ndarray, tiles: np.ndarray, places: list[int]) -> tuple[Tensor, Tensor, Tensor]:
        """Logits, most likely tokens and the slot of its request, per place."""
        sent = self.runner.pinned(len(self.unused))
        sent.numpy()[:] = padded(self.runner, line, tiles, places, self)
        self.input.copy_(sent, non_blocking=True)
        self.graph.replay()
        count = len(places)
        return self.logits[:count], self.ids[:count], self.slots[:count]


def padded(runner: Holder, line: np.ndarray, tiles: np.ndarray, places: list[int], room: MixedGraph) -> np.ndarray:
    """The integers of a mixed step in one line: tokens, tiles and places, each filled up to the room that there is."""
    whole, all_tiles = padding_of(runner, room.tokens), np.zeros((4, room.tiles), np.int64)
    whole[:, : line.shape[1]], all_tiles[:, : tiles.shape[1]] = line, tiles
    all_places = np.zeros(room.sampled, np.int64)
    all_places[: len(places)] = places
    return np.concatenate([whole.ravel(), all_tiles.ravel(), all_places])


def mixed_batch(flat: Tensor, tokens: int, tiles: int, runner: Holder) -> Batch:
    """The integers of `padded` as a batch."""
    end = PER_TOKEN * tokens
    batch = batch_of(flat[:end], tokens, runner, rows=0)
    batch.tables, batch.tiles = runner.tables, flat[end : end + 4 * tiles].view(4, tiles)
    batch.sampled = flat[end + 4 * tiles :]
    return batch


def tiles_of(pieces: list[Piece]) -> np.ndarray:
    """(4, tiles): see Batch.tiles; the pieces stand in the order of the line."""
    found, begin = [], 0
    for piece in pieces:
        for at in range(0, piece.count, TILE_TOKENS):
            found.append((begin + at, min(TILE_TOKENS, piece.count - at), piece.start + at, piece.request.slot))
        begin += piece.count
    return np.array(found, np.int64).T


def most_likely(logits: Tensor) -> Tensor:
    """The place of the largest number of each row, in two steps: the first fills a GPU that has few rows to read."""
    rows, vocab = logits.shape
    parts = min(vocab & -vocab, 256)  # a power of two that divides it
    if parts < 16:
        return logits.argmax(-1)
    best, at = logits.view(rows, parts, -1).max(-1)
    part = best.argmax(-1, keepdim=True)
    return (part * (vocab // parts) + at.gather(1, part))[:, 0]


def batch_of(flat: Tensor, count: int, runner: Holder, rows: int) -> Batch:
    """The integers of `count` tokens that came from the host; the first `rows` of them are rows.

    Each token's own block is entered in the table of its request.
    """
    tokens, positions, slots, requests = flat.view(PER_TOKEN, count)
    size = runner.cache.size
    runner.tables[requests, positions // size] = slots // size
    return Batch(
        tokens=torch.where(tokens >= 0, tokens, runner.latest[requests]),
        positions=positions,
        slots=slots,
        contexts=positions[:rows] + 1,
        tables=runner.tables[requests[:rows]],
    )
