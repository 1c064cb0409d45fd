"""How many experts a step really reads. Each of t tokens picks k of E: E·(1 − (1 − k/E)^t) distinct ones are expected.

"Active parameters" describe one token; a batch of 64 tokens reads 222 of 256 experts, 87 % of them.
"""

from collections.abc import Sequence


def distinct(count: int, active: int, tokens: float) -> float:
    """Expected number of different experts under uniform routing."""
    return count * (1 - (1 - min(active, count) / count) ** tokens)


def distinct_of(shares: Sequence[float], active: int, tokens: float) -> float:
    """The same where experts are not equally liked; a share is of all picks, so a token picks one with k times it."""
    return sum(1 - (1 - min(1.0, active * share)) ** tokens for share in shares)


def imbalance(shares: Sequence[float], ranks: int) -> float:
    """The fullest rank's load over the mean, where consecutive experts lie on one rank."""
    size = len(shares) // ranks
    loads = [sum(shares[start : start + size]) for start in range(0, size * ranks, size)]
    return max(loads) * ranks / sum(shares)
