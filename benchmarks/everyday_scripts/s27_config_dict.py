"""A dict of results from a dataclass of arrays."""

from dataclasses import dataclass

import numpy as np

import perfproof


@dataclass
class Trial:
    name: str
    times: np.ndarray
    valid: np.ndarray
    weights: dict[str, float]


def draw():
    n = np.random.randint(300, 500)
    return Trial(
        "a", np.random.lognormal(size=n), np.random.rand(n) < 0.9, {"mean": 0.5, "p99": float(np.random.rand())}
    )


def slow(trial):
    kept = [t for t, ok in zip(trial.times, trial.valid) if ok]
    kept.sort()
    mean = sum(kept) / len(kept)
    p99 = kept[int(0.99 * (len(kept) - 1))]
    return {
        "n": len(kept),
        "mean": mean,
        "p99": p99,
        "score": trial.weights["mean"] * mean + trial.weights["p99"] * p99,
    }


def fast(trial):
    kept = np.sort(trial.times[trial.valid])
    mean, p99 = float(kept.mean()), float(kept[int(0.99 * (len(kept) - 1))])
    return {
        "n": len(kept),
        "mean": mean,
        "p99": p99,
        "score": trial.weights["mean"] * mean + trial.weights["p99"] * p99,
    }


answer = perfproof.compare(slow, fast, draw, effort="quick")
print(answer)
print(answer.status)
