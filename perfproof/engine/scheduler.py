"""What the next step computes: which tokens of which requests, within a budget of tokens.

Requests that decode come first, then prompts in the order of their arrival; a long prompt is cut into chunks, so that
other requests do not wait for all of it. If the cache is full, the request that was admitted last gives its blocks
back. It is computed again later. The first request of a step can always make room for itself, so every step makes
progress.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from perfproof.engine.blocks import Blocks
from perfproof.engine.request import Request

Guesses = Mapping[str, Sequence[int]]  # the next tokens, by the id of a request
NONE: list[int] = []  # drafts of a piece without any; never written to


@dataclass(slots=True)
class Piece:
    """Some tokens of a request: those from `start` on, and guesses of what follows them."""

    request: Request
    start: int
    count: int  # with the drafts
    drafts: list[int]
    samples: bool  # the last token is new: the step gives the one that follows


@dataclass
class Plan:
    pieces: list[Piece] = field(default_factory=list)
    preempted: list[Request] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        return sum(piece.count for piece in self.pieces)


class Scheduler:
    def __init__(self, blocks: Blocks, token_budget: int = 2048, most_running: int = 64, chunked: bool = True) -> None:
        self.blocks, self.token_budget, self.most_running, self.chunked = blocks, token_budget, most_running, chunked
        self.waiting: deque[Request] = deque()
        self.running: list[Request] = []  # by admission
        self.slots = list(range(most_running - 1, -1, -1))

    def plan(self, guesses: Guesses | None = None) -> Plan:
        plan = Plan()
        budget = self._continue(plan, self.token_budget, guesses or {})
        if not plan.preempted:
            self._admit(plan, budget)
        return plan

    def _continue(self, plan: Plan, budget: int, guesses: Guesses) -> int:
        """Requests that decode are most of a full step: while there is a block for each, little is asked of them."""
        pieces, size, is_roomy = plan.pieces, self.blocks.size, not guesses and self.blocks.can_take(len(self.running))
        decoding: list[Request] = []
        prompts: list[Request] = []
        for request in self.running:
            length, computed = len(request.tokens) + request.in_flight, request.computed
            if length >= request.longest or length == computed:
                continue  # the last token of the answer is in flight
            if length > computed + 1:
                prompts.append(request)
            elif not is_roomy:
                decoding.append(request)
            elif budget:
                if computed == len(request.blocks) * size:
                    request.blocks.append(self.blocks.take())
                pieces.append(Piece(request, computed, 1, NONE, True))
                request.computed = computed + 1
                request.in_flight += 1
                budget -= 1
        for request in decoding + prompts:
            if request.slot < 0 or budget == 0:
                continue  # preempted above
            count = min(request.length - request.computed, budget)
            drafts = self._drafts(request, guesses, budget) if guesses else []
            if self._make_room(request, count + len(drafts), plan):
                self._add(plan, request, count, drafts)
                budget -= count + len(drafts)
        return budget

    def _drafts(self, request: Request, guesses: Guesses, budget: int) -> list[int]:
        """Guesses for a request that decodes and whose tokens are all known; none that would need a preemption."""
        if request.length - request.computed > 1 or request.in_flight:
            return []
        drafts = list(guesses.get(request.id, ())[: min(budget - 1, request.tokens_left - 1)])
        return drafts if self._has_room(request, 1 + len(drafts)) else []

    def _admit(self, plan: Plan, budget: int) -> None:
        while self.waiting and budget and len(self.running) < self.most_running:
            request = self.waiting[0]
            shared = self.blocks.find(request.tokens, request.salt)
            start = len(shared) * self.blocks.size
            left = len(request.tokens) - start
            if not self.chunked and left > budget and (plan.pieces or left <= self.token_budget):
                return  # a whole prompt waits for a step with room for it
            count = min(left, budget) if self.chunked or left > self.token_budget else left
            if not self.blocks.can_take(self._blocks_for(start + count) - len(shared), shared):
                return
            self.waiting.popleft()
            for block in shared:
                self.blocks.share(block)
            request.blocks, request.computed, request.slot = shared, start, self.slots.pop()
            request.names = [name for block in shared if (name := self.blocks.names[block]) is not None]
            if not request.preemptions:
                request.cached = start
            self.running.append(request)
            self._grow(request, start + count)
            self._add(plan, request, count, [])
            budget -= count

    def adopt(self, request: Request) -> bool:
        """Room for a request whose prompt was computed elsewhere: a slot, and blocks for its keys and values."""
        needed = self._blocks_for(len(request.prompt))
        if len(self.running) >= self.most_running or not self.blocks.can_take(needed):
            return False
        request.slot, request.computed = self.slots.pop(), len(request.prompt)
        self._grow(request, request.computed)
        self.running.append(request)
        return True

    def _add(self, plan: Plan, request: Request, count: int, drafts: list[int]) -> None:
        samples = request.computed + count == request.length
        plan.pieces.append(Piece(request, request.computed, count + len(drafts), drafts, samples))
        if not drafts:  # with guesses, the number of tokens is known only when the answer is read
            request.computed += count
            request.in_flight += samples

    def _blocks_for(self, tokens: int) -> int:
        return -(-tokens // self.blocks.size)

    def _has_room(self, request: Request, count: int) -> bool:
        return self.blocks.can_take(self._blocks_for(request.computed + count) - len(request.blocks))

    def _make_room(self, request: Request, count: int, plan: Plan) -> bool:
        """Blocks for `count` more tokens; later requests give theirs back, in the end this one itself."""
        if request.computed + count <= len(request.blocks) * self.blocks.size:
            return True
        while not self._has_room(request, count):
            last = next(one for one in reversed(self.running) if not any(piece.request is one for piece in plan.pieces))
            self.preempt(last)
            plan.preempted.append(last)
            if last is request:
                return False
        self._grow(request, request.computed + count)
        return True

    def _grow(self, request: Request, tokens: int) -> None:
        while len(request.blocks) * self.blocks.size < tokens:
            request.blocks.append(self.blocks.take())

    def preempt(self, request: Request) -> None:
        self.release(request)
        request.preemptions += 1
        self.waiting.appendleft(request)

    def release(self, request: Request) -> None:
        """Give back blocks and slot at once, whether the request runs or waits."""
        self.blocks.give_back(request.blocks)
        request.blocks, request.names, request.computed = [], [], 0
        if request in self.running:
            self.running.remove(request)
            self.slots.append(request.slot)
            request.slot = -1
        elif request in self.waiting:
            self.waiting.remove(request)

    def name_full_blocks(self, request: Request) -> None:
        """Blocks whose tokens are all computed and known get their names, so that others can find them."""
        known = min(request.computed, len(request.tokens)) // self.blocks.size
        for number in range(len(request.names), min(known, len(request.blocks))):
            start = number * self.blocks.size
            before = request.names[-1] if request.names else request.salt
            tokens = request.tokens[start : start + self.blocks.size]
            request.names.append(self.blocks.name(request.blocks[number], before, tokens))
