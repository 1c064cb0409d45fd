"""The result of a load test: what was asked, what was measured over the run and its steady window, and the checks.

Times are seconds. A latency runs from the intended arrival of its request. `definitions` says what each name means.
"""

from typing import ClassVar, Literal

from pydantic import Field

from perfproof.core.documents import Check, Document

DEFINITIONS = {
    "intended arrival": "When the request should have been sent, by the schedule. All latencies begin here.",
    "client wait": "From the intended arrival to the moment the client sent it: a cap, or a client that is too slow.",
    "TTFR": "Time to first response: from the intended arrival to the first byte.",
    "TTFT": "Time to first token: from the intended arrival to the first event with text, also of reasoning.",
    "TTFA": "Time to first answer: to the first event with text of the answer; later than TTFT if it reasons.",
    "TPOT": "Time per output token: from the first event with text to the last, per token after the first event.",
    "NTPOT": "Normalised time per output token: the whole latency per token. Others call this TPOT as well.",
    "inter-token time": "The time between two events with text, divided by the tokens of the second.",
    "stall": "The longest time between two events with text of a request.",
    "latency": "From the intended arrival to the last event with text.",
    "tokens": "As the server's usage counts them. Without usage, events with text are counted, and a check says so.",
    "steady window": "Without the time before 90 % of the usual number were in flight, and without the end.",
    "goodput": "Requests (or their tokens) per second that meet every limit of the SLO. A failed request meets none.",
    "interval": "95 %, from resampling blocks of time: neighbouring requests are not independent.",
    "few": "Fewer than ten samples lie beyond this percentile; it may be far off.",
}


class Quantile(Document):
    value: float
    low: float | None = Field(None, description="ends of the 95 % interval; none with fewer than 10 blocks of time")
    high: float | None = None
    few: bool = Field(False, description="fewer than ten samples lie beyond it")


class Figure(Document):
    """One measure over many requests."""

    name: str
    n: int
    mean: float
    quantiles: dict[str, Quantile] = Field(description="p50, p90, p95, p99")


class Window(Document):
    """A stretch of the test. Requests belong to it by their intended arrival, tokens by when they came."""

    start: float
    end: float
    outcomes: dict[str, int]
    arrivals_per_second: float
    completed_per_second: float
    output_tokens_per_second: float
    prompt_tokens_per_second: float
    mean_in_flight: float
    figures: list[Figure]

    def figure(self, name: str) -> Figure | None:
        return next((one for one in self.figures if one.name == name), None)


class SloTerm(Document):
    metric: str
    quantile: float = Field(description="the share of requests that must be below the limit")
    limit: float = Field(description="seconds")
    text: str


class Energy(Document):
    """What the GPUs of this host used, from the start of a test to its last answer."""

    joules: float
    seconds: float
    output_tokens: int
    tokens_per_joule: float
    at: str = Field(description="which part of the test this is of")


class SloStep(Document):
    """One rate of a search."""

    rate: float
    seconds: float
    requests: int
    shares: list[float] = Field(description="of requests that met each term; failed ones met none")
    verdict: Literal["meets", "misses", "open"]
    aborted: str = Field("", description="why it was ended early")
    request_goodput: float
    token_goodput: float
    output_tokens_per_second: float
    figures: dict[str, float] = Field(default_factory=dict, description="the judged percentiles, in seconds")
    energy: Energy | None = None


class SloResult(Document):
    terms: list[SloTerm]
    rate: float | None = Field(None, description="requests per second within the SLO")
    low: float | None = None
    high: float | None = None
    sentence: str
    steps: list[SloStep]


class Cost(Document):
    dollars_per_hour: float
    dollars_per_million_output_tokens: float
    at: str = Field(description="the output rate that this holds at")


class Comparison(Document):
    """One measure of server A against server B over interleaved blocks; above 1, B is better."""

    metric: str
    verdict: str
    ratio: float
    low: float | None = None
    high: float | None = None
    blocks: int
    a: float
    b: float
    note: str = ""


class LoadResult(Document):
    schema_name: ClassVar[str] = "load"
    schema_version: int = 1
    perfproof_version: str
    made: str
    tool: str = Field(default="perfproof load", description="which load generator measured it")
    command: list[str]
    url: str
    model: str
    workload: str
    workload_sha256: str
    arrivals: str
    mode: Literal["open", "closed", "trace", "imported"]
    asked_rate: float | None = None
    seed: int
    salt: str
    seconds: float
    interrupted: bool = False
    headline: str = Field(description="empty if a check failed")
    checks: list[Check]
    whole: Window
    steady: Window | None = None
    no_steady: str = ""
    slo: SloResult | None = None
    against: list[Comparison] = Field(default_factory=list)
    against_url: str = ""
    cost: Cost | None = None
    energy: Energy | None = Field(None, description="none if the server is elsewhere or a GPU here has no counter")
    notes: list[str] = Field(default_factory=list)
    machine: dict[str, str] = Field(default_factory=dict)
    definitions: dict[str, str] = Field(default_factory=lambda: dict(DEFINITIONS))
