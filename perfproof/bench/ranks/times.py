"""What the samples say about the ranks: how far apart they end, who is last, how far apart they start."""

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from perfproof.bench.comparison.comparison import Comparison
from perfproof.bench.job import Job
from perfproof.core.documents import Ranks, RankTimes


def describe_ranks(job: Job, measured: Sequence[Comparison]) -> Ranks | None:
    """Nothing where the pair runs in one process."""
    if job.ranks < 2:
        return None
    skews = [row["skew_ns"] for found in measured for record in found.records for row in record.rows if row["valid"]]
    return Ranks(
        count=job.ranks,
        backend=job.backend,
        threads=job.threads,
        cpus=[list(own) for own in job.rank_cpus],
        started_by="torchrun" if job.effort.new_interpreters else "fork",
        skew_seconds=median(skews) * 1e-9 if skews else None,
    )


def rank_times(found: Comparison, side: str) -> RankTimes | None:
    rows = [row for record in found.records for row in record.rows if row["side"] == side and row["valid"]]
    return unevenness([row["ranks"] for row in rows if "ranks" in row])


def unevenness(samples: Sequence[Sequence[float]]) -> RankTimes | None:
    """Of the seconds of each rank in each sample."""
    if not samples:
        return None
    last: Counter[Any] = Counter(max(range(len(ranks)), key=ranks.__getitem__) for ranks in samples)
    rank, times = last.most_common(1)[0]
    spread = median((max(ranks) - min(ranks)) / max(ranks) for ranks in samples)
    return RankTimes(spread=spread, straggler=rank, straggler_share=times / len(samples))
