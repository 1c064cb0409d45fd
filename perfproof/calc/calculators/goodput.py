"""Goodput: requests and tokens that meet the SLO, the concurrency they need, and the GPUs of prefill and decode.

goodput       rate·share of requests within every limit (from --requests, with a 95 % Wilson interval, or --attained)
concurrency   λ·E2E (Little), E2E = TTFT + (n - 1)·TPOT
prefill GPUs  λ·t_prefill/ρ; decode GPUs λ·n·TPOT/(B·ρ), B sequences in a batch, ρ how busy a GPU may be
KV transfer   S·kv/bw, which must be shorter than the slack of the TTFT

λ requests per second, n output tokens, S prompt tokens. The tail of a queue needs a simulation, not a formula.
"""

import math
from collections.abc import Sequence
from typing import Annotated

from perfproof.calc.answer import Answer, Flag, Value
from perfproof.calc.request_table import Request
from perfproof.core.errors import UsageError

Z95 = 1.959963984540054


def calculate(
    requests: list[Request] | None,
    rate: Annotated[float, Flag("Requests per second, λ.", "R/S", above=0)],
    output: Annotated[float, Flag("Output tokens per request.", "N", least=1)] = 256,
    ttft_ms: Annotated[float | None, Flag("Limit on the time to the first token (TTFT).", "MS", above=0)] = None,
    tpot_ms: Annotated[float | None, Flag("Limit on the time per further token (TPOT).", "MS", above=0)] = None,
    e2e_ms: Annotated[float | None, Flag("Limit on the time of a whole request.", "MS", above=0)] = None,
    attained: Annotated[
        float | None, Flag("Share of requests that meets the limits, if known.", "SHARE", least=0, most=1)
    ] = None,
    prefill_ms: Annotated[float | None, Flag("GPU time for the prefill of one prompt, in ms.", "MS", above=0)] = None,
    batch: Annotated[int, Flag("Sequences in a decode batch.", "B", least=1)] = 32,
    busy: Annotated[float, Flag("Share of the time that a GPU may be busy, ρ.", "SHARE", above=0, most=1)] = 0.75,
    kv_bytes: Annotated[
        float | None, Flag("Size of one prompt's KV cache in bytes, if it is transferred.", "B", above=0)
    ] = None,
    link_gb_s: Annotated[
        float | None, Flag("Bandwidth of the link that the KV cache is sent over.", "GB/S", above=0)
    ] = None,
) -> Answer:
    limits = tuple(one / 1e3 if one is not None else None for one in (ttft_ms, tpot_ms, e2e_ms))
    values = _attained(requests, attained, limits, rate, output)
    values += _little(rate, output, limits, requests)
    values += _pools(rate, output, prefill_ms, tpot_ms, batch, busy)
    if kv_bytes is not None:
        values.append(_transfer(kv_bytes, link_gb_s, ttft_ms, prefill_ms))
    if not values:
        raise UsageError("nothing to compute: give --requests or --attained, limits such as --ttft-ms, or --prefill-ms")
    first = values[0]
    return Answer(f"{first.name.replace('_', ' ')} {_short(first)}", tuple(values))


def _short(value: Value) -> str:
    return f"{value.value:.4g} {value.unit}".strip() if isinstance(value.value, float) else str(value.value)


Limits = tuple[float | None, ...]


def _attained(
    requests: Sequence[Request] | None, attained: float | None, limits: Limits, rate: float, output: float
) -> list[Value]:
    if requests is not None and attained is not None:
        raise UsageError("--requests and --attained both say which share meets the SLO: give one")
    if requests is None:
        if attained is None:
            return []
        return [
            Value("request_goodput", rate * attained, "req/s", f"{attained:.1%} of {rate:g} per second"),
            Value("token_goodput", rate * attained * output, "tok/s"),
        ]
    if all(limit is None for limit in limits):
        raise UsageError("--requests needs limits to be held against: --ttft-ms, --tpot-ms or --e2e-ms")
    good = [one for one in requests if within(one, limits)]
    share = len(good) / len(requests)
    low, high = wilson(len(good), len(requests))
    tokens = sum(output if one.tokens is None else one.tokens for one in good) / len(requests)
    return [
        Value("request_goodput", rate * share, "req/s", f"{len(good)} of {len(requests)} requests meet every limit"),
        Value("attained", share, "share", f"95 % interval {low:.1%} to {high:.1%}"),
        Value("attained_low", low, "share"),
        Value("attained_high", high, "share"),
        Value("token_goodput", rate * tokens, "tok/s", "tokens of requests that meet them"),
    ]


def within(one: Request, limits: Limits) -> bool:
    """A request without a value that is limited, or that failed, is not within."""
    seen = (one.ttft, one.tpot, one.e2e)
    return one.ok and all(
        limit is None or (value is not None and value <= limit) for value, limit in zip(seen, limits, strict=True)
    )


def wilson(good: int, count: int) -> tuple[float, float]:
    share, square = good / count, Z95 * Z95
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = Z95 * math.sqrt(share * (1 - share) / count + square / (4 * count * count)) / (1 + square / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def _little(rate: float, output: float, limits: Limits, requests: Sequence[Request] | None) -> list[Value]:
    whole = [one.e2e for one in requests or [] if one.e2e is not None]
    if whole:
        return [Value("concurrency", rate * sum(whole) / len(whole), "", "λ·E2E by Little, from the requests' mean")]
    first, each, end = limits
    if first is not None and each is not None:
        seconds = first + (output - 1) * each
    elif end is not None:
        seconds = end
    else:
        return []
    return [Value("concurrency", rate * seconds, "", f"λ·E2E by Little, at the limits: {seconds:.3g} s a request")]


def _pools(
    rate: float, output: float, prefill_ms: float | None, tpot_ms: float | None, batch: int, busy: float
) -> list[Value]:
    found = []
    if prefill_ms is not None:
        need = rate * prefill_ms / 1e3 / busy
        found.append(Value("prefill_gpus", math.ceil(need), "", f"{need:.2f} by λ·t/ρ, at most {busy:.0%} busy"))
    if tpot_ms is not None:
        need = rate * output * tpot_ms / 1e3 / (batch * busy)
        found.append(Value("decode_gpus", math.ceil(need), "", f"{need:.2f} by λ·n·TPOT/(B·ρ), batch {batch}"))
    return found


def _transfer(kv_bytes: float, link: float | None, ttft_ms: float | None, prefill_ms: float | None) -> Value:
    if link is None:
        raise UsageError("--kv-bytes needs --link-gb-s, the link that the cache travels on")
    seconds = kv_bytes / (link * 1e9)
    if ttft_ms is None or prefill_ms is None:
        return Value(
            "kv_transfer", seconds, "s", "S·kv/bw; with --ttft-ms and --prefill-ms it is held against the slack"
        )
    slack = (ttft_ms - prefill_ms) / 1e3
    word = "within" if seconds <= slack else "longer than"
    return Value("kv_transfer", seconds, "s", f"{word} the slack of {1e3 * slack:.0f} ms")
