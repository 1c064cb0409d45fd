"""Run the steps of a plan on a device, and hand over what was sampled.

On a GPU, a step that only has rows is one CUDA graph, and so may be one with some prompt tokens (graphs.py). The host
sends four integers per token and reads the sampled ids later, from pinned memory: nothing inside a step waits for
the device. A row whose token the host has not read yet takes it from `latest` on the device. The tables of blocks stay
on the device: a token's own block is in its four integers, so the step itself enters it; the host sends blocks only for
a request that begins with some, found in the cache.
"""

from dataclasses import dataclass
from itertools import groupby
from types import ModuleType

import numpy as np
import torch
from torch import Tensor

from perfproof.core.errors import UsageError
from perfproof.engine import torch_kernels
from perfproof.engine.architecture import Architecture
from perfproof.engine.batch import Chunk
from perfproof.engine.cache import Cache
from perfproof.engine.graphs import MIXED_TOKENS, PER_TOKEN, Graph, MixedGraph, batch_of, tiles_of
from perfproof.engine.model import logits_of, turn_tables
from perfproof.engine.request import Request
from perfproof.engine.sampler import sample
from perfproof.engine.scheduler import Piece
from perfproof.engine.weights import Weights

MOST_ROWS_OF_A_PIECE = 8  # a longer piece is a chunk
TURNS = 3  # steps in a row with pinned memory of their own; the engine reads a step before it launches the next but one


@dataclass
class Launch:
    """A step on its way: the ids come to the host while the next step is planned."""

    pieces: list[Piece]
    ids: Tensor  # on the host, filled when `done` has happened
    counts: list[int]  # sampled ids per piece
    done: "torch.cuda.Event | None"

    def read(self) -> list[list[int]]:
        if self.done is not None:
            self.done.synchronize()
        ids, end = self.ids.tolist(), 0
        return [ids[end : (end := end + count)] for count in self.counts]


class Runner:
    def __init__(self, model: Architecture, weights: Weights, cache: Cache, longest: int, most_running: int) -> None:
        self.model, self.weights, self.cache = model, weights, cache
        self.device = weights.device
        self.turns = turn_tables(model, longest, weights.dtype, self.device)
        self.width = -(-longest // cache.size)  # blocks of the longest request
        # One more table than requests, for padding. Block number `cache.blocks` belongs to no request.
        shape = most_running + 1, self.width
        self.tables = torch.full(shape, cache.blocks, dtype=torch.int64, device=self.device)
        self.owners: list[Request | None] = [None] * most_running
        self.owner_preemptions = [0] * most_running  # how often the owner had been preempted
        self.latest = torch.zeros(most_running + 1, dtype=torch.int64, device=self.device)  # the last is for padding
        self.rings = [torch.empty(0, dtype=torch.int64, device="cpu")] * (2 * TURNS)  # pinned: numbers and ids of steps
        self.turn = 0
        self.kernels: ModuleType = torch_kernels
        self.graphs: dict[int, Graph] = {}
        self.mixed_graphs: dict[int, MixedGraph] = {}
        if self.device.type == "cuda":
            from perfproof.engine import triton_kernels

            self.kernels = triton_kernels

    @torch.inference_mode()
    def launch(self, pieces: list[Piece]) -> Launch:
        """First the tokens of requests that decode, then guesses, then chunks: the order of the line."""
        owners, is_plain, is_greedy = self.owners, True, True
        for piece in pieces:
            request = piece.request
            is_plain = is_plain and piece.count == 1 and piece.samples  # each row gives one token
            is_greedy = is_greedy and not request.sampling.temperature
            if owners[request.slot] is not request or self.owner_preemptions[request.slot] != request.preemptions:
                self._send_table(request)
        ordered = pieces if is_plain else sorted(pieces, key=_place_in_line)
        line = self._numbers(ordered)
        chunks = [] if is_plain else [piece for piece in ordered if piece.count > MOST_ROWS_OF_A_PIECE]
        graph = self._graph_for(line.shape[1]) if not chunks else None
        if is_plain and is_greedy and graph is not None:
            return self._hand_over(graph.replay(line)[1], pieces, [1] * len(pieces))  # `latest` is written in the graph
        places, counts = _sampled_places(ordered)
        greedy: Tensor | None = None
        mixed = self._mixed_graph_for(line.shape[1], len(places)) if chunks else None
        if mixed is not None:
            logits, greedy, slots = mixed.replay(line, tiles_of(ordered), places)
        elif graph is None:
            logits, slots = self._eager(line, chunks, places)
        else:
            logits, greedy, slots = graph.replay(line)
            chosen = slice(len(places)) if is_plain else self._send(np.array(places, np.int64))
            logits, greedy, slots = logits[chosen], greedy[chosen], slots[chosen]
        ids = self._sample(logits, greedy, ordered, counts)
        if not any(piece.drafts for piece in ordered):  # after a guess the host knows the tokens
            self.latest[slots] = ids
        return self._hand_over(ids, ordered, counts)

    def _send_table(self, request: Request) -> None:
        """Send the blocks that a request begins with: no step enters those."""
        # The request itself is kept, not its id: two may have one id, one after the other.
        self.owners[request.slot], self.owner_preemptions[request.slot] = request, request.preemptions
        self.tables[request.slot, : len(request.blocks)] = self._send(np.array(request.blocks, np.int64))

    def _numbers(self, pieces: list[Piece]) -> np.ndarray:
        """(4, tokens): see PER_TOKEN."""
        size = self.cache.size
        singles: list[int] = []
        for piece in pieces:
            if piece.count == 1:
                request, at = piece.request, piece.start
                token = request.tokens[at] if at < len(request.tokens) else -1
                singles += (token, at, request.blocks[at // size] * size + at % size, request.slot)
        parts = [self._numbers_of(piece) for piece in pieces if piece.count > 1]
        parts = [np.array(singles, np.int64).reshape(-1, PER_TOKEN).T, *parts] if singles else parts
        return parts[0] if len(parts) == 1 else np.concatenate(parts, 1)

    def _numbers_of(self, piece: Piece) -> np.ndarray:
        request, size, end = piece.request, self.cache.size, piece.start + piece.count
        found = np.empty((PER_TOKEN, piece.count), np.int64)
        own = request.tokens[piece.start : end] + piece.drafts
        found[0] = own + [-1] * (piece.count - len(own))
        found[1] = positions = np.arange(piece.start, end)
        found[2] = np.array(request.blocks[: -(-end // size)], np.int64)[positions // size] * size + positions % size
        found[3] = request.slot
        return found

    def _eager(self, line: np.ndarray, chunks: list[Piece], places: list[int]) -> tuple[Tensor, Tensor]:
        """Logits of the places that are sampled, and the slots of their requests."""
        count = line.shape[1]
        begin = count - sum(piece.count for piece in chunks)
        sent = self._send(np.concatenate([line.ravel(), np.array(places, np.int64)]))
        batch = batch_of(sent[: PER_TOKEN * count], count, self, rows=begin)
        batch.sampled = sent[PER_TOKEN * count :]
        for (each, context), alike in groupby(chunks, _size_of_chunk):
            owners = [piece.request.slot for piece in alike]
            batch.chunks.append(Chunk(begin, each, context, self._slots_of(owners, context)))
            begin = batch.chunks[-1].end
        logits = logits_of(self.model, self.weights, self.cache, batch, self.turns, self.kernels)
        return logits, sent[PER_TOKEN * count - count : PER_TOKEN * count][batch.sampled]

    def _slots_of(self, owners: list[int], context: int) -> Tensor:
        """(requests, context): the places of their tokens in the cache."""
        size = self.cache.size
        tables = torch.stack([self.tables[owner, : -(-context // size)] for owner in owners])
        places = torch.arange(size, device=self.device)
        return (tables[:, :, None] * size + places).flatten(1)[:, :context]

    def _sample(self, logits: Tensor, greedy: Tensor | None, pieces: list[Piece], counts: list[int]) -> Tensor:
        """Rows that all take the most likely token need no noise and no sorting."""
        chosen = [(piece, count) for piece, count in zip(pieces, counts, strict=True) if count]
        if all(piece.request.sampling.is_greedy for piece, _ in chosen):
            return logits.argmax(-1) if greedy is None else greedy
        floats, integers = [], []
        for piece, count in chosen:
            asked = piece.request.sampling
            end = piece.start + piece.count
            floats += [(asked.temperature, asked.top_p)] * count
            integers += [(asked.top_k, piece.request.seed, end - count + number) for number in range(count)]
        shares = self._send(np.array(floats, np.float64).T.copy())
        whole = self._send(np.array(integers, np.int64).T.copy())
        return sample(logits, shares[0], whole[0], shares[1], whole[1], whole[2])

    def _hand_over(self, ids: Tensor, pieces: list[Piece], counts: list[int]) -> Launch:
        if self.device.type == "cpu":
            return Launch(pieces, ids, counts, None)
        there = self.pinned(sum(counts))
        there.copy_(ids[: len(there)], non_blocking=True)
        done = torch.cuda.Event()
        done.record()
        return Launch(pieces, there, counts, done)

    def pinned(self, count: int) -> Tensor:
        """Memory of the host that a device can read and write meanwhile; it is used again a few steps later."""
        self.turn = (self.turn + 1) % len(self.rings)
        if len(self.rings[self.turn]) < count:
            room = max(count, PER_TOKEN * len(self.latest))
            self.rings[self.turn] = torch.empty(room, dtype=torch.int64, device="cpu", pin_memory=True)
        return self.rings[self.turn][:count]

    def _send(self, numbers: np.ndarray) -> Tensor:
        tensor = torch.from_numpy(numbers)
        return tensor if self.device.type == "cpu" else tensor.pin_memory().to(self.device, non_blocking=True)

    def capture(self, most_rows: int) -> None:
        """One graph per number of rows: 1, 4 and multiples of 8. Larger ones first, so that they share memory."""
        if self.device.type != "cuda":
            raise UsageError("CUDA graphs need a CUDA device")
        sizes = sorted({1, 4, *range(8, most_rows + 8, 8)}, reverse=True)
        pool = None
        for rows in sizes:
            graph = Graph(self, rows, pool)
            pool = graph.graph.pool()
            self.graphs[rows] = graph

    def capture_mixed(self, most_tokens: int, most_sampled: int) -> None:
        """One graph per number of tokens, of which so many are sampled at most. Larger ones first, as above."""
        sizes = {*(one for one in MIXED_TOKENS if one < most_tokens), min(most_tokens, max(MIXED_TOKENS))}
        pool = next((graph.graph.pool() for graph in self.graphs.values()), None)
        for tokens in sorted(sizes, reverse=True):
            graph = MixedGraph(self, tokens, most_sampled, pool)
            pool = graph.graph.pool()
            self.mixed_graphs[tokens] = graph

    def _mixed_graph_for(self, tokens: int, sampled: int) -> MixedGraph | None:
        fit = [one for one in self.mixed_graphs.values() if one.tokens >= tokens and one.sampled >= sampled]
        return min(fit, key=lambda one: one.tokens, default=None)

    def _graph_for(self, rows: int) -> Graph | None:
        return min(
            (graph for graph in self.graphs.values() if graph.rows >= rows), key=lambda one: one.rows, default=None
        )


def _place_in_line(piece: Piece) -> tuple[int, ...]:
    """Chunks that are alike stand side by side."""
    if piece.count > MOST_ROWS_OF_A_PIECE:
        return 2, *_size_of_chunk(piece)
    return (0,) if piece.count == 1 else (1,)


def _size_of_chunk(piece: Piece) -> tuple[int, int]:
    return piece.count, piece.start + piece.count


def _sampled_places(pieces: list[Piece]) -> tuple[list[int], list[int]]:
    """Places in the line that need logits, and their number per piece: the last token, and one per guess."""
    places: list[int] = []
    counts: list[int] = []
    begin = 0
    for piece in pieces:
        count = 1 + len(piece.drafts) if piece.samples else 0
        places += range(begin + piece.count - count, begin + piece.count)
        counts.append(count)
        begin += piece.count
    return places, counts
