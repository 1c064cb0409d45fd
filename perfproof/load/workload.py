"""The requests of a test, made one after the other just before they are sent: bodies, salts, turns, what is shared."""

import json
import random
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, count
from typing import Any

from perfproof.load.driver import Planned
from perfproof.load.http_client import Address, request_bytes
from perfproof.load.profile import Profile
from perfproof.load.prompts import Texts
from perfproof.load.traces import Arrival

encode = json.JSONEncoder(separators=(",", ":")).encode
CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"


@dataclass(frozen=True)
class Service:
    """How requests to a server look: found by a few requests before the test."""

    address: Address
    model: str
    path: str = CHAT
    usage: bool = True  # it takes stream_options.include_usage
    continuous: bool = False  # it says the usage in every event
    ignore_eos: bool = False  # it can be told to answer at full length
    limit: str = "max_tokens"  # the name of the field for the length of an answer
    tokens_per_word: float = 1.0
    template_tokens: float = 0.0  # what its template and our salt add to every prompt
    key: str | None = field(default=None, repr=False)
    extra: dict[str, Any] = field(default_factory=dict)  # of --body

    def request(self, messages: Sequence[dict[str, str]], tokens: int) -> bytes:
        if self.path == CHAT:
            said = ",".join([f'{{"role":"{one["role"]}","content":{encode(one["content"])}}}' for one in messages])
            said = f"[{said}]"
        else:
            said = encode("\n".join(one["content"] for one in messages))
        body = f'{self._before}{said},"{self.limit}":{tokens}}}'  # all of it is ASCII
        return f"{self._head}{len(body)}\r\n\r\n{body}".encode()

    @cached_property
    def _head(self) -> str:
        """The request up to its length."""
        head, _, _ = request_bytes(self.address, self.path, b"", self.key).decode().rpartition("0")
        return head

    @cached_property
    def _before(self) -> str:
        """The body up to what differs between requests: it is written once."""
        body: dict[str, Any] = {"model": self.model, "stream": True}
        if self.usage:
            body["stream_options"] = {"include_usage": True}
            if self.continuous:
                body["stream_options"]["continuous_usage_stats"] = True
        if self.ignore_eos:
            body["ignore_eos"] = True
        name = "messages" if self.path == CHAT else "prompt"
        return encode(body | self.extra)[:-1] + f',"{name}":'


@dataclass
class Workload:
    """Makes the requests of one test. The same seed draws the same lengths; the salt makes the texts new."""

    service: Service
    profile: Profile
    salt: str
    seed: int
    texts: Texts = field(init=False)
    used: set[Any] = field(default_factory=set)  # shared beginnings that were already sent
    numbers: Iterator[int] = field(default_factory=count)
    nothing_drawn: random.Random | None = field(init=False)  # of a profile of equal requests: one for all of them

    def __post_init__(self) -> None:
        self.nothing_drawn = random.Random(self.seed) if self.profile.is_constant else None
        self.texts = Texts(self.salt, self.service.tokens_per_word)

    def arriving(self, times: Sequence[float]) -> Iterator[Planned]:
        """A conversation begins at each of the times."""
        for number, at in enumerate(times):
            yield self._conversation(number, float(at))

    def endless(self) -> Iterator[Planned]:
        """Conversations for closed loops, which take what they need."""
        for number in count():
            yield self._conversation(number, 0.0)

    def replaying(self, arrivals: Sequence[Arrival]) -> Iterator[Planned]:
        for number, one in enumerate(arrivals):
            text, shared = self._recorded_text(number, one)
            yield self._planned(
                [{"role": "user", "content": text}],
                one.output,
                at=one.at,
                conversation=number,
                shared=shared,
                asked=one.prompt,
            )

    def _conversation(self, number: int, at: float) -> Planned:
        rng = self.nothing_drawn or random.Random(f"{self.seed} {number}")
        turns = self.profile.turns.whole(rng)
        messages: list[dict[str, str]] = []
        shared, group = 0, 0
        if self.profile.shared_tokens:
            group = self._group(rng)
            messages.append(
                {"role": "system", "content": self.texts.unique(f"group {group}", self.profile.shared_tokens)}
            )
            shared = self.profile.shared_tokens if group in self.used else 0
            self.used.add(group)
        return self._turn(number, 0, turns, messages, shared, group, rng, at)

    def _turn(
        self,
        number: int,
        turn: int,
        turns: int,
        messages: list[dict[str, str]],
        shared: int,
        group: int,
        rng: random.Random,
        at: float = 0.0,
        before: int = 0,
    ) -> Planned:
        """`before` are tokens of the conversation so far, which the server has seen."""
        prompt, output = self.profile.prompt.whole(rng), self.profile.output.whole(rng)
        wanted = prompt - self.service.template_tokens
        messages = [*messages, {"role": "user", "content": self.texts.unique(f"{number} {turn}", max(1.0, wanted))}]
        asked = prompt + (before if turn else self.profile.shared_tokens)
        follow: Callable[[str], Planned | None] | None = None
        if turn + 1 < turns:

            def follow(answer: str) -> Planned:
                longer = [*messages, {"role": "assistant", "content": answer}]
                told = asked + output
                return self._turn(number, turn + 1, turns, longer, told, group, rng, before=told)

        cancels = self.profile.cancel_share > 0 and rng.random() < self.profile.cancel_share
        return self._planned(
            messages,
            output,
            at=at,
            conversation=number,
            turn=turn,
            shared=shared,
            begins_with=self.profile.shared_tokens,
            group=group,
            asked=asked,
            think=self.profile.think.draw(rng) if turn else 0.0,
            cancel_after=self.profile.cancel_after.draw(rng) if cancels else None,
            follow=follow,
        )

    def _planned(self, messages: list[dict[str, str]], output: int, *, asked: int, **fields: Any) -> Planned:
        request = self.service.request(messages, output)
        at = fields.pop("at")
        return Planned(next(self.numbers), at, request, asked_prompt=asked, asked_output=output, **fields)

    def _group(self, rng: random.Random) -> int:
        """One of the groups; with zipf the first are more popular."""
        return bisect_left(self._popularity, rng.random() * self._popularity[-1])

    @cached_property
    def _popularity(self) -> list[float]:
        return list(accumulate(1 / number**self.profile.zipf for number in range(1, self.profile.groups + 1)))

    def _recorded_text(self, number: int, one: Arrival) -> tuple[str, int]:
        """Blocks that the trace says are shared get the same text each time; the rest is new."""
        full = one.blocks[: one.prompt // one.block_tokens] if one.block_tokens else ()
        known, chain, matches = 0, 0, True
        for block in full:  # a prefix is shared as far as all blocks before it are
            chain = hash((chain, block))
            matches = matches and chain in self.used
            known += matches
            self.used.add(chain)
        parts = [self.texts.unique(f"block {block}", one.block_tokens) for block in full]
        rest = one.prompt - len(full) * one.block_tokens - self.service.template_tokens
        if rest > 0 or not parts:
            parts.append(self.texts.unique(f"rest {number}", max(1.0, rest)))
        return " ".join(parts), known * one.block_tokens
