"""One request: what was asked, and how far it is."""

import time
from dataclasses import dataclass, field

MOST_STOPS = 16
LARGEST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Sampling:
    temperature: float = 1.0  # 0 takes the most likely token
    top_k: int = 0  # 0 is all
    top_p: float = 1.0
    seed: int | None = None
    max_tokens: int = 16
    stop: tuple[str, ...] = ()
    stop_ids: tuple[int, ...] = ()
    ignore_eos: bool = False

    @property
    def is_greedy(self) -> bool:
        return self.temperature == 0


@dataclass(eq=False, slots=True)
class Request:
    id: str
    prompt: list[int]
    sampling: Sampling = Sampling()
    salt: bytes = b""  # requests with different salts share no blocks
    tokens: list[int] = field(default_factory=list)  # of the prompt and of the answer, as far as they are known
    seed: int = 0
    slot: int = -1  # its row in the runner's tables
    blocks: list[int] = field(default_factory=list)
    names: list[bytes] = field(default_factory=list)  # of its full blocks
    computed: int = 0  # tokens whose keys and values are in the cache, or on the way there
    in_flight: int = 0  # sampled on the device, not yet read by the host
    cached: int = 0  # prompt tokens that were found in the cache
    finish: str | None = None  # stop, length, cancelled or error
    preemptions: int = 0
    arrived: float = field(default_factory=time.monotonic)
    first_token: float | None = None
    last_token: float | None = None

    longest: int = field(init=False)  # tokens at its end, if nothing stops it before

    def __post_init__(self) -> None:
        self.tokens = list(self.prompt)
        self.longest = len(self.prompt) + self.sampling.max_tokens

    @property
    def length(self) -> int:
        """With the tokens that the host has not read yet."""
        return len(self.tokens) + self.in_flight

    @property
    def answer(self) -> list[int]:
        return self.tokens[len(self.prompt) :]

    @property
    def tokens_left(self) -> int:
        return self.longest - self.length
