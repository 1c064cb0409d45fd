"""The loop: plan a step, launch it, read what the step before it sampled.

With `overlap`, step n + 1 is planned and launched before the tokens of step n are read. The host then works
while the device does. A request that ends with step n has already a row in step n + 1; its result is dropped.
Speculation needs the tokens at once, so it does not overlap.
"""

import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from perfproof.core.errors import UsageError
from perfproof.engine.architecture import Architecture
from perfproof.engine.blocks import Blocks
from perfproof.engine.cache import Cache
from perfproof.engine.handover import Prefilled, place
from perfproof.engine.request import Request
from perfproof.engine.runner import Launch, Runner
from perfproof.engine.scheduler import Plan, Scheduler
from perfproof.engine.speculation import Speculator, accepted
from perfproof.engine.weights import Weights

MOST_GRAPH_ROWS = 128  # a step with more rows is launched kernel by kernel


@dataclass(frozen=True)
class Settings:
    blocks: int = 512
    block_size: int = 16
    token_budget: int = 2048
    most_running: int = 64
    longest: int | None = None  # tokens of a request; None is the model's own limit, or that of the cache
    prefix_cache: bool = True
    chunked: bool = True
    int8_cache: bool = False
    overlap: bool = True
    graphs: bool = True  # on a GPU
    seed: int | None = None  # of requests that bring none


@dataclass
class Step:
    """What the log says of a step; `host_seconds` is planning, sending and reading, without waiting for the device."""

    number: int
    tokens: int
    requests: int
    sampled: int
    running: int
    waiting: int
    blocks_used: int
    preempted: int
    drafted: int
    accepted: int
    seconds: float
    host_seconds: float


@dataclass(slots=True)
class Progress:
    request: Request
    tokens: list[int]  # new ones


StopCheck = Callable[[Request, int], bool]


class Engine:
    def __init__(
        self, model: Architecture, weights: Weights, settings: Settings, speculator: Speculator | None = None
    ) -> None:
        self.model, self.settings, self.speculator = model, settings, speculator
        self.longest = min(settings.longest or model.longest, model.longest, settings.blocks * settings.block_size)
        self.blocks = Blocks(settings.blocks, settings.block_size, settings.prefix_cache)
        cache = Cache(
            model, settings.blocks, settings.block_size, weights.dtype, weights.device, int8=settings.int8_cache
        )
        self.runner = Runner(model, weights, cache, self.longest, settings.most_running)
        self.scheduler = Scheduler(self.blocks, settings.token_budget, settings.most_running, settings.chunked)
        self.seeds = random.Random(settings.seed)
        self.arrived: deque[tuple[Request, Tensor]] = deque()  # with their keys and values, from another process
        self.launched: Launch | None = None
        self.steps = 0
        self.last_step: Step | None = None
        if settings.graphs and weights.device.type == "cuda":
            rows = settings.most_running * (1 + (speculator.count if speculator else 0))
            self.runner.capture(min(rows, max(MOST_GRAPH_ROWS, settings.most_running)))
            # Experts are shared out by counts that the host reads, and ranks wait for each other: no graph holds that.
            if weights.ranks == 1 and weights.layers[0].router is None:
                self.runner.capture_mixed(settings.token_budget, rows)

    @property
    def is_busy(self) -> bool:
        return bool(self.scheduler.running or self.scheduler.waiting or self.arrived or self.launched)

    def check(self, request: Request) -> None:
        """UsageError if the request can never be served here."""
        if not request.prompt:
            raise UsageError("the prompt is empty; send at least one token")
        if min(request.prompt) < 0 or max(request.prompt) >= self.model.shape.vocab:
            raise UsageError(f"a token is outside of the vocabulary of {self.model.shape.vocab} entries")
        if request.sampling.max_tokens < 1:
            raise UsageError("max_tokens must be at least 1")
        if len(request.prompt) + request.sampling.max_tokens > self.longest:
            raise UsageError(
                f"{len(request.prompt)} prompt tokens and max_tokens {request.sampling.max_tokens} are more than the "
                f"{self.longest} tokens that a request may have here; shorten the prompt or lower max_tokens"
            )

    def add(self, request: Request) -> None:
        self.check(request)
        request.seed = request.sampling.seed if request.sampling.seed is not None else self.seeds.getrandbits(63)
        self.scheduler.waiting.append(request)

    def adopt(self, request: Request, prefilled: Prefilled, stops: StopCheck | None = None) -> None:
        """Go on with a request that another process has prefilled, after the first token that it sampled."""
        self.check(request)
        request.seed = prefilled.seed
        self._append(request, [prefilled.first], stops, time.monotonic())
        if request.finish is None and prefilled.sent is not None:
            self.arrived.append((request, prefilled.sent))

    def cancel(self, request: Request) -> None:
        """Its blocks are free at once; a step that is under way no longer counts for it."""
        if request.finish is None:
            self._finish(request, "cancelled")

    def step(self, stops: StopCheck | None = None) -> list[Progress]:
        """Plan and launch a step, then read one; the tokens that were read come back."""
        started = time.perf_counter()
        self._place_arrived()
        plan = self.scheduler.plan(self._guesses())
        before = self.launched
        self.launched = self.runner.launch(plan.pieces) if plan.pieces else None
        if not self.settings.overlap or self.speculator:
            before, self.launched = self.launched, None
        waited = time.perf_counter()
        results = before.read() if before else []
        read = time.perf_counter()
        progress = self._collect(before, results, stops) if before else []
        ended = time.perf_counter()
        self._note(plan, before, progress, results, ended - started, ended - started - (read - waited))
        return progress

    def _place_arrived(self) -> None:
        while self.arrived:
            request, sent = self.arrived[0]
            if request.finish is None:
                if not self.scheduler.adopt(request):
                    return
                place(self.runner.cache, request.blocks, request.computed, sent)
            self.arrived.popleft()

    def _guesses(self) -> dict[str, list[int]]:
        if self.speculator is None:
            return {}
        decoding = [one for one in self.scheduler.running if one.length - one.computed == 1]
        return {id: list(guess) for id, guess in self.speculator.guess(decoding).items()}

    def _collect(self, launch: Launch, results: list[list[int]], stops: StopCheck | None) -> list[Progress]:
        progress, size, now = [], self.blocks.size, time.monotonic()
        for piece, new in zip(launch.pieces, results, strict=True):
            request = piece.request
            if request.finish is not None:
                continue
            if piece.drafts:
                new = accepted(piece.drafts, new)
                request.computed += len(new)
            elif new:
                request.in_flight -= 1
            kept = self._append(request, new, stops, now) if new else new
            if request.computed >= (len(request.names) + 1) * size and request.finish is None:
                self.scheduler.name_full_blocks(request)
            if kept:
                progress.append(Progress(request, kept))
        return progress

    def _append(self, request: Request, new: list[int], stops: StopCheck | None, now: float) -> list[int]:
        """Tokens up to the one that ends the answer."""
        asked, tokens = request.sampling, request.tokens
        ends = asked.stop_ids if asked.ignore_eos else (*self.model.eos, *asked.stop_ids)
        for number, token in enumerate(new, start=1):
            tokens.append(token)
            if token in ends or (stops is not None and stops(request, token)):
                self._finish(request, "stop")
            elif len(tokens) == request.longest:
                self._finish(request, "length")
            else:
                continue
            new = new[:number]
            break
        request.last_token = now
        if request.first_token is None:
            request.first_token = now
        return new

    def _finish(self, request: Request, why: str) -> None:
        request.finish = why
        if request in self.scheduler.running:
            self.scheduler.name_full_blocks(request)
        self.scheduler.release(request)
        if self.speculator is not None:
            self.speculator.forget(request)

    def _note(
        self,
        plan: Plan,
        read: Launch | None,
        progress: list[Progress],
        results: list[list[int]],
        seconds: float,
        host_seconds: float,
    ) -> None:
        self.steps += 1
        read_pieces = read.pieces if read and self.speculator else []
        guesses = [(piece, found) for piece, found in zip(read_pieces, results, strict=False) if piece.drafts]
        self.last_step = Step(
            number=self.steps,
            tokens=plan.tokens,
            requests=len(plan.pieces),
            sampled=sum([len(one.tokens) for one in progress]),
            running=len(self.scheduler.running),
            waiting=len(self.scheduler.waiting),
            blocks_used=self.blocks.used,
            preempted=len(plan.preempted),
            drafted=sum(len(piece.drafts) for piece, _ in guesses),
            accepted=sum(len(accepted(piece.drafts, found)) - 1 for piece, found in guesses),
            seconds=seconds,
            host_seconds=host_seconds,
        )
