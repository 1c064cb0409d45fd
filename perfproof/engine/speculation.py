"""Guess the next tokens, so that one step of the model can confirm several of them.

Acceptance is exact. The model samples its own token at every guessed position, with the noise that this position has
anyway (sampler.py). Guesses are kept as long as they equal those tokens; the first different token replaces the guess.
The output is therefore the same, token for token, as without guesses, also at a temperature above 0. A draft model
draws its guesses with the same noise, which makes them agree far more often than independent draws.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from perfproof.engine.request import Request
from perfproof.engine.runner import Runner
from perfproof.engine.scheduler import Piece

LONGEST_NGRAM, SHORTEST_NGRAM = 4, 2
LOOKED_AT = 4096  # tokens of the text, so that a step stays short


class Speculator(Protocol):
    count: int  # most guesses of a request

    def guess(self, requests: Sequence[Request]) -> Mapping[str, Sequence[int]]: ...

    def forget(self, request: Request) -> None: ...


class NgramSpeculator:
    """Look for the last few tokens earlier in the same text, and guess that what followed there follows again."""

    def __init__(self, count: int) -> None:
        self.count = count

    def guess(self, requests: Sequence[Request]) -> dict[str, list[int]]:
        return {request.id: followers(request.tokens[-LOOKED_AT:], self.count) for request in requests}

    def forget(self, request: Request) -> None:
        pass


def followers(tokens: list[int], count: int) -> list[int]:
    for length in range(LONGEST_NGRAM, SHORTEST_NGRAM - 1, -1):
        wanted = tokens[-length:]
        for start in range(len(tokens) - length - 1, -1, -1):
            if tokens[start : start + length] == wanted:
                return tokens[start + length : start + length + count]
    return []


class DraftSpeculator:
    """A smaller model of the same vocabulary. It has a cache of its own, a fixed part of it for each slot."""

    def __init__(self, runner: Runner, count: int) -> None:
        self.runner, self.count = runner, count
        self.own: dict[str, Request] = {}

    def guess(self, requests: Sequence[Request]) -> dict[str, list[int]]:
        drafts = [self._follow(request) for request in requests if request.tokens_left > 1]
        known = {draft.id: len(draft.tokens) for draft in drafts}
        for _ in range(self.count):
            going = [draft for draft in drafts if len(draft.tokens) < self.runner.width * self.runner.cache.size]
            pieces = [
                Piece(draft, draft.computed, len(draft.tokens) - draft.computed, [], samples=True) for draft in going
            ]
            if not pieces:
                break
            launch = self.runner.launch(pieces)
            for piece, found in zip(launch.pieces, launch.read(), strict=True):
                piece.request.computed = len(piece.request.tokens)
                piece.request.tokens += found
        return {draft.id: draft.tokens[known[draft.id] :] for draft in drafts}

    def _follow(self, request: Request) -> Request:
        """The draft's own state of a request, cut back to what was confirmed."""
        draft = self.own.get(request.id)
        if draft is None or draft.slot != request.slot:
            draft = Request(request.id, request.tokens, request.sampling, seed=request.seed, slot=request.slot)
            draft.blocks = list(range(request.slot * self.runner.width, (request.slot + 1) * self.runner.width))
            self.own[request.id] = draft
        same = next(
            (at for at, (ours, theirs) in enumerate(zip(draft.tokens, request.tokens, strict=False)) if ours != theirs),
            min(len(draft.tokens), len(request.tokens)),
        )
        draft.tokens = list(request.tokens)
        draft.computed = min(draft.computed, same, len(draft.tokens) - 1)
        return draft

    def forget(self, request: Request) -> None:
        self.own.pop(request.id, None)


def accepted(drafts: Sequence[int], sampled: Sequence[int]) -> list[int]:
    """The tokens that a step gives: the guesses that were right, and one more."""
    count = 0
    while count < len(drafts) and drafts[count] == sampled[count]:
        count += 1
    return list(sampled[: count + 1])
