"""One request as it was measured: a line of requests.jsonl, written when the request ends.

All times are seconds after the start of the test. `intended` is when the request should have arrived, `released` when
a cap let it through, `sent` when its bytes were handed to the socket.
"""

import json
from dataclasses import dataclass, field, fields
from typing import Any, Literal

Outcome = Literal["ok", "error", "timeout", "shed", "cancelled", "unfinished"]
NOT_FAILED = ("ok", "cancelled")
MICRO = 1_000_000
encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


@dataclass(slots=True)
class Record:
    index: int
    intended: float
    released: float = 0.0
    sent: float | None = None
    first_byte: float | None = None
    first_token: float | None = None  # the first event with text: of the answer or of the reasoning
    first_answer: float | None = None  # the first event with text of the answer
    last_token: float | None = None
    end: float | None = None
    outcome: Outcome = "unfinished"
    status: int = 0
    error: str = ""
    new_connection: bool = False
    resent: bool = False  # a kept connection was closed by the server before it answered: sent once more
    asked_prompt: int = 0  # tokens, estimated by words
    asked_output: int = 0
    shared: int = 0  # tokens of the prompt that an earlier request had too, as the workload declares
    begins_with: int = 0  # tokens at the beginning of the prompt that are those of its group
    group: int = 0
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None  # by the server's usage
    tokens_by: str = ""  # how the tokens of each event are known
    finish: str = ""
    garbage: int = 0
    conversation: int = 0
    turn: int = 0
    times: list[float] = field(default_factory=list)  # of events with text
    tokens: list[int] = field(default_factory=list)  # of each of them

    @property
    def made(self) -> int:
        """Tokens that came: by the server's usage, else by counting events."""
        return sum(self.tokens) if self.output_tokens is None else self.output_tokens

    @property
    def computed_prompt(self) -> int:
        """Tokens of the prompt that did not come from a cache; a server computes at least the last one."""
        return max(1, (self.prompt_tokens or self.asked_prompt) - (self.cached_tokens or 0))

    @property
    def ttft(self) -> float | None:
        return None if self.first_token is None else self.first_token - self.intended

    @property
    def latency(self) -> float | None:
        """From the intended arrival to the last token."""
        return None if self.last_token is None else self.last_token - self.intended

    @property
    def groups(self) -> list[tuple[float, int]]:
        """When tokens came, and how many at once. Events that were read together have one time."""
        found: list[tuple[float, int]] = []
        for time, tokens in zip(self.times, self.tokens, strict=True):
            if found and found[-1][0] == time:
                tokens += found.pop()[1]
            found.append((time, tokens))
        return found

    @property
    def tpot(self) -> float | None:
        """Seconds per token after those that came first; None if nothing came after them."""
        if self.last_token is None or self.first_token is None:
            return None
        later = sum(tokens for _, tokens in self.groups[1:])
        return (self.last_token - self.first_token) / later if later else None

    @property
    def ntpot(self) -> float | None:
        """The whole latency per token."""
        return self.latency / self.made if self.latency is not None and self.made else None

    @property
    def client_wait(self) -> float | None:
        return None if self.sent is None else self.sent - self.intended

    @property
    def send_lag(self) -> float | None:
        """How late the client sent what it was free to send: its own fault, unlike a cap."""
        return None if self.sent is None else self.sent - max(self.intended, self.released)


STAMPS = ("intended", "released", "sent", "first_byte", "first_token", "first_answer", "last_token", "end")
_DEFAULTS = {one.name: one.default for one in fields(Record)}
_PLAIN = [one.name for one in fields(Record) if one.name not in (*STAMPS, "index", "outcome", "times", "tokens")]


def to_line(record: Record) -> str:
    """Times as whole microseconds; fields at their default value are left out."""
    said: dict[str, Any] = {"index": record.index, "outcome": record.outcome}
    for name in STAMPS:
        value = getattr(record, name)
        if value is not None:
            said[name] = round(value * MICRO)
    for name in _PLAIN:
        value = getattr(record, name)
        if value != _DEFAULTS[name]:
            said[name] = value
    if record.times:
        said["times"] = [round(time * MICRO) for time in record.times]
        if record.tokens.count(1) != len(record.tokens):
            said["tokens"] = record.tokens
    return encode(said) + "\n"


def from_line(line: str) -> Record:
    """Raises ValueError if the line is no record."""
    said = json.loads(line)
    if not isinstance(said, dict) or "index" not in said or "intended" not in said:
        raise ValueError("no record of a request")
    unknown = set(said) - set(_DEFAULTS)
    if unknown:
        raise ValueError(f"unknown fields {', '.join(sorted(unknown))}")
    for name in STAMPS:
        if said.get(name) is not None:
            said[name] = said[name] / MICRO
    times = [time / MICRO for time in said.get("times", [])]
    said["times"] = times
    said["tokens"] = said.get("tokens", [1] * len(times))
    return Record(**said)
