"""What a server counts about its prefix cache, from the text that it serves to Prometheus.

vLLM: prompt tokens looked up and found. SGLang: prompt tokens and cached tokens. Counters only grow, so what one test
did is the difference between two readings.
"""

import re

from perfproof.load.http_client import HttpClient
from perfproof.load.reply import BrokenReply

PAIRS = (
    ("vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total"),
    ("vllm:gpu_prefix_cache_queries_total", "vllm:gpu_prefix_cache_hits_total"),
    ("sglang:prompt_tokens_total", "sglang:cached_tokens_total"),
)
LINE = re.compile(r"^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{[^\n]*\})?\s+([0-9.eE+-]+)\s*(?:[0-9]+)?$", re.MULTILINE)
Counters = tuple[float, float]  # tokens looked up, tokens found


def read_counters(text: str) -> Counters | None:
    """Summed over labels; None if the server counts no such thing."""
    sums: dict[str, float] = {}
    for name, value in LINE.findall(text):
        try:
            sums[name] = sums.get(name, 0.0) + float(value)
        except ValueError:
            continue
    return next(((sums[all_], sums[hits]) for all_, hits in PAIRS if all_ in sums and hits in sums), None)


async def ask_counters(client: HttpClient) -> Counters | None:
    try:
        reply = await client.ask("/metrics", timeout=5.0)
    except (OSError, TimeoutError, BrokenReply):
        return None
    return read_counters(reply.body.decode(errors="replace")) if reply.status == 200 else None


def between(before: Counters | None, after: Counters | None) -> Counters | None:
    if before is None or after is None or after[0] < before[0]:
        return None
    return after[0] - before[0], after[1] - before[1]
