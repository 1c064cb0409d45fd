"""Quantiles of weighted samples, with intervals from resampled blocks of time."""

from collections.abc import Sequence

import numpy

from perfproof.core.load import Figure, Quantile

SHOWN = (0.5, 0.9, 0.95, 0.99)
BLOCKS = 20  # of equal time; fewer than LEAST of them with samples give no interval
LEAST_BLOCKS = 10
RESAMPLES = 200
LEAST_BEYOND = 10  # samples beyond a quantile that is not marked
LEVEL = 0.95


def figure(
    name: str, values: numpy.ndarray, times: numpy.ndarray, weights: numpy.ndarray | None = None
) -> Figure | None:
    """`times` say which block each value belongs to; None without values."""
    if not len(values):
        return None
    order = numpy.argsort(values, kind="stable")
    values, times = values[order], times[order]
    weights = numpy.ones(len(values)) if weights is None else weights[order]
    found = quantiles(values, weights, SHOWN)
    ends = intervals(values, weights, block_numbers(times), SHOWN)
    total = float(weights.sum())
    shown = {}
    for at, share in enumerate(SHOWN):
        low, high = ends[at] if ends is not None else (None, None)
        few = total * (1 - share) < LEAST_BEYOND
        shown[f"p{100 * share:g}"] = Quantile(value=float(found[at]), low=low, high=high, few=few)
    mean = float((values * weights).sum() / total)
    return Figure(name=name, n=round(total), mean=mean, quantiles=shown)


def quantiles(values: numpy.ndarray, weights: numpy.ndarray, shares: Sequence[float]) -> numpy.ndarray:
    """Of sorted values: the smallest whose weight and that of all before reach the share."""
    sums = numpy.cumsum(weights)
    places = numpy.searchsorted(sums, numpy.asarray(shares) * sums[-1] * (1 - 1e-12))
    return values[numpy.minimum(places, len(values) - 1)]


def block_numbers(times: numpy.ndarray, blocks: int = BLOCKS) -> numpy.ndarray:
    first, last = times.min(), times.max()
    width = (last - first) / blocks
    if width <= 0:
        return numpy.zeros(len(times), int)
    return numpy.minimum(((times - first) / width).astype(int), blocks - 1)


def intervals(
    values: numpy.ndarray, weights: numpy.ndarray, blocks: numpy.ndarray, shares: Sequence[float]
) -> list[tuple[float, float]] | None:
    used = numpy.unique(blocks)
    if len(used) < LEAST_BLOCKS:
        return None
    rng = numpy.random.default_rng(0)  # the same samples have the same interval
    found = numpy.empty((RESAMPLES, len(shares)))
    for at in range(RESAMPLES):
        times_drawn = numpy.bincount(rng.choice(used, len(used)), minlength=int(used[-1]) + 1)
        found[at] = quantiles(values, weights * times_drawn[blocks], shares)
    ends = numpy.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return [(float(low), float(high)) for low, high in ends.T]
