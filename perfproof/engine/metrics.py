"""Counters of the server in the text form of Prometheus, under the names that vLLM uses.

Dashboards and load tools that know vLLM therefore read them without a change. What vLLM does not have begins with
`perfproof:`. `server/alert_rules.yml` has alerts on them.
"""

import math
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

from perfproof.engine.engine import Step
from perfproof.engine.request import Request

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
FIRST_TOKEN = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0)
PER_TOKEN = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0)
WHOLE = (0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0)
TOKENS = (1.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0, 16384.0)
REASONS = ("stop", "length", "abort")
REFUSALS = (400, 429, 500, 503)  # shown from the start, so that a rate of them exists


@dataclass
class Histogram:
    bounds: tuple[float, ...]
    counts: list[int] = field(default_factory=list)
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value


class Metrics:
    def __init__(self, model: str, blocks: int) -> None:
        self.model, self.blocks = model, blocks
        self.running = self.waiting = self.used = 0
        self.counters: Counter[str] = Counter()
        self.finished: Counter[str] = Counter(dict.fromkeys(REASONS, 0))
        self.refused: Counter[int] = Counter(dict.fromkeys(REFUSALS, 0))
        self.first_token, self.per_token = Histogram(FIRST_TOKEN), Histogram(PER_TOKEN)
        self.whole, self.step_tokens = Histogram(WHOLE), Histogram(TOKENS)

    def note_step(self, step: Step) -> None:
        self.running, self.waiting, self.used = step.running, step.waiting, step.blocks_used
        self.counters["num_preemptions"] += step.preempted
        self.counters["spec_decode_num_draft_tokens"] += step.drafted
        self.counters["spec_decode_num_accepted_tokens"] += step.accepted
        self.counters["generation_tokens"] += step.sampled
        if step.tokens:
            self.step_tokens.add(step.tokens)

    def note_tokens(self, count: int, seconds_since_last: float) -> None:
        """Several tokens of one step share the time since the step before."""
        for _ in range(count):
            self.per_token.add(seconds_since_last / count)

    def note_first(self, request: Request) -> None:
        assert request.first_token is not None
        self.first_token.add(request.first_token - request.arrived)
        self.counters["prompt_tokens"] += len(request.prompt)
        self.counters["prefix_cache_queries"] += len(request.prompt)
        self.counters["prefix_cache_hits"] += request.cached

    def note_end(self, request: Request, now: float) -> None:
        self.finished[request.finish if request.finish in REASONS else "abort"] += 1  # type: ignore[index]
        self.whole.add(now - request.arrived)

    def note_refusal(self, status: int) -> None:
        self.refused[status] += 1

    def text(self, held_back: dict[int, bool] | None = None) -> str:
        """`held_back` is whether heat or its hardware slows a GPU now, by its number."""
        label = f'model_name="{_escaped(self.model)}"'
        lines: list[str] = []
        for name, value, help in (
            ("num_requests_running", self.running, "Requests that have blocks of the cache."),
            ("num_requests_waiting", self.waiting, "Requests in the queue."),
            ("kv_cache_usage_perc", self.used / self.blocks, "Share of the cache in use; 1 is full."),
        ):
            lines += [f"# HELP vllm:{name} {help}", f"# TYPE vllm:{name} gauge", f"vllm:{name}{{{label}}} {value}"]
        for name, help in (
            ("prompt_tokens", "Tokens of prompts."),
            ("generation_tokens", "Tokens of answers."),
            ("num_preemptions", "Requests that gave their blocks back to be computed again."),
            ("prefix_cache_queries", "Prompt tokens that were looked up in the cache."),
            ("prefix_cache_hits", "Prompt tokens that were found in the cache."),
            ("spec_decode_num_draft_tokens", "Guessed tokens."),
            ("spec_decode_num_accepted_tokens", "Guessed tokens that were right."),
        ):
            lines += _counter(name, help, [(label, self.counters[name])])
        ends = [(f'{label},finished_reason="{why}"', count) for why, count in sorted(self.finished.items())]
        lines += _counter("request_success", "Requests that ended, by reason.", ends)
        for name, histogram, help in (
            ("time_to_first_token_seconds", self.first_token, "From arrival to the first token."),
            ("inter_token_latency_seconds", self.per_token, "Time per token after the first."),
            ("e2e_request_latency_seconds", self.whole, "From arrival to the end."),
            ("iteration_tokens_total", self.step_tokens, "Tokens per step."),
        ):
            lines += _histogram(name, help, label, histogram)
        codes = [(f'{label},code="{status}"', count) for status, count in sorted(self.refused.items())]
        lines += _counter("requests_refused", "Requests that got an error, by its code.", codes, "perfproof")
        restarts = [(label, self.counters["prefill_restarts"])]
        lines += _counter("prefill_restarts", "Prefill processes that died and were replaced.", restarts, "perfproof")
        if held_back:
            name = "perfproof:gpu_clocks_held_back"
            lines += [f"# HELP {name} 1 if heat or its hardware slows the GPU.", f"# TYPE {name} gauge"]
            lines += [f'{name}{{gpu="{number}"}} {int(is_slow)}' for number, is_slow in held_back.items()]
        return "\n".join(lines) + "\n"


def _counter(name: str, help: str, values: list[tuple[str, int]], family: str = "vllm") -> list[str]:
    head = [f"# HELP {family}:{name}_total {help}", f"# TYPE {family}:{name}_total counter"]
    return head + [f"{family}:{name}_total{{{label}}} {value}" for label, value in values]


def _histogram(name: str, help: str, label: str, histogram: Histogram) -> list[str]:
    lines = [f"# HELP vllm:{name} {help}", f"# TYPE vllm:{name} histogram"]
    below = 0
    for bound, count in zip((*histogram.bounds, math.inf), histogram.counts, strict=True):
        below += count
        end = "+Inf" if bound == math.inf else f"{bound:g}"
        lines.append(f'vllm:{name}_bucket{{{label},le="{end}"}} {below}')
    return [*lines, f"vllm:{name}_sum{{{label}}} {histogram.total}", f"vllm:{name}_count{{{label}}} {below}"]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
