"""Limits on latencies, as people write them, and how many requests of a step met them.

`ttft_p99<500ms tpot_p99<40ms`: 99 % of all requests must have their first token within 500 ms of the intended arrival,
and 99 % at most 40 ms per further token. A request that failed met nothing; one without a second token met the TPOT.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.core.errors import UsageError
from perfproof.core.load import SloTerm
from perfproof.load.measures import value_of
from perfproof.load.record import Record

NAMES = {
    "ttft": "TTFT",
    "ttfa": "TTFA",
    "tpot": "TPOT",
    "ntpot": "NTPOT",
    "stall": "stall",
    "e2e": "latency",
    "latency": "latency",
}
UNITS = {"us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
TERM = re.compile(r"([a-z0-9]+)(?:_p(\d+(?:\.\d+)?))?<=?(\d+(?:\.\d*)?|\.\d+)(us|µs|ms|s)")
DEFAULT_QUANTILE = 0.99
BLOCKS = 10  # of a step: longer than the memory of a queue
Z = 1.96  # 95 %


def parse_slo(text: str) -> list[SloTerm]:
    terms = []
    for part in re.sub(r"\s*(<=?)\s*", r"\1", text.lower().replace(",", " ")).split():
        found = TERM.fullmatch(part)
        if found is None or found[1] not in NAMES:
            known = ", ".join(NAMES)
            raise UsageError(f"--slo {part!r} is no limit: write ttft_p99<500ms, with one of {known}")
        quantile = float(found[2]) / 100 if found[2] else DEFAULT_QUANTILE
        if not 0 < quantile < 1:
            raise UsageError(f"--slo {part!r}: a percentile lies between 0 and 100")
        if not float(found[3]):
            raise UsageError(f"--slo {part!r}: a limit is above 0")
        terms.append(
            SloTerm(metric=NAMES[found[1]], quantile=quantile, limit=float(found[3]) * UNITS[found[4]], text=part)
        )
    if not terms:
        raise UsageError("--slo is empty: write ttft_p99<500ms")
    return terms


def meets(record: Record, term: SloTerm) -> bool:
    if record.outcome != "ok":
        return False
    value = value_of(record, term.metric)
    return value is None or value <= term.limit


def meets_all(record: Record, terms: Sequence[SloTerm]) -> bool:
    return all(meets(record, term) for term in terms)


def goodput(records: Sequence[Record], terms: Sequence[SloTerm], seconds: float) -> tuple[float, float]:
    """Requests and output tokens per second of requests that meet every limit."""
    good = [one for one in records if meets_all(one, terms)]
    return len(good) / seconds, sum(one.made for one in good) / seconds


@dataclass(frozen=True)
class Attained:
    """How one term fared in one step: misses and requests of each block of time."""

    quantile: float
    misses: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def share(self) -> float:
        return 1 - sum(self.misses) / max(1, sum(self.counts))

    def bounds(self) -> tuple[float, float]:
        """95 % interval of the share of requests that meet the limit, by the number of independent requests."""
        return wilson(self.share, self.independent())

    def independent(self) -> float:
        """As many independent requests would scatter between blocks as these do; never more than there are."""
        total = sum(self.counts)
        used = [(miss, count) for miss, count in zip(self.misses, self.counts, strict=True) if count]
        rate = sum(self.misses) / max(1, total)
        if len(used) < 5 or not 0 < rate < 1:
            return float(total)
        rests = sum((miss - rate * count) ** 2 for miss, count in used)
        expected = rate * (1 - rate) * total * (1 - 1 / len(used))
        return min(float(total), total * expected / rests) if rests > 0 else float(total)

    @property
    def verdict(self) -> str:
        low, high = self.bounds()
        return "meets" if low >= self.quantile else "misses" if high < self.quantile else "open"


def attained(records: Sequence[Record], term: SloTerm, start: float, end: float) -> Attained:
    misses, counts = [0] * BLOCKS, [0] * BLOCKS
    for one in records:
        if start <= one.intended < end:
            at = min(BLOCKS - 1, int((one.intended - start) / (end - start) * BLOCKS))
            counts[at] += 1
            misses[at] += not meets(one, term)
    return Attained(term.quantile, tuple(misses), tuple(counts))


def wilson(share: float, n: float) -> tuple[float, float]:
    if n <= 0:
        return 0.0, 1.0
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return max(0.0, centre - half), min(1.0, centre + half)
