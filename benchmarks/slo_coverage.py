"""How often the interval of an SLO search holds the true rate, on simulated queues: no server, no wall clock.

Two slots: requests take exponential times, and the next free slot takes the next request (M/M/2). Batch: up to eight
requests that wait are computed together, in a fixed time plus a part per request. Bursts: one slot, uniform times, and
arrivals that come in bursts. Long tail: one slot, lognormal times. The true rate of the first is known in closed form,
that of the others from long simulations.

    python -m benchmarks.slo_coverage
"""

import math
from collections.abc import Callable
from functools import partial

import numpy

from perfproof.load.search import Step, search
from perfproof.load.slo import BLOCKS, Attained

SEARCHES = 20
RATE_OF_A_SLOT = 5.0  # requests per second
Queue = Callable[[numpy.random.Generator, float, int], tuple[numpy.ndarray, numpy.ndarray]]


def two_slots(rng: numpy.random.Generator, rate: float, count: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Arrivals and latencies."""
    arrivals, work = numpy.cumsum(rng.exponential(1 / rate, count)), rng.exponential(1 / RATE_OF_A_SLOT, count)
    first = second = 0.0  # when each slot is free
    latencies = []
    for at, seconds in zip(arrivals.tolist(), work.tolist(), strict=True):
        if first > second:
            first, second = second, first
        first = max(first, at) + seconds
        latencies.append(first - at)
    return arrivals, numpy.array(latencies)


def batches(rng: numpy.random.Generator, rate: float, count: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    arrivals = numpy.cumsum(rng.exponential(1 / rate, count))
    times, latencies, now, done = arrivals.tolist(), list[float](), 0.0, 0
    while done < count:
        now = max(now, times[done])
        end = done
        while end < count and end - done < 8 and times[end] <= now:
            end += 1
        now += 0.1 + 0.05 * (end - done)
        latencies += [now - at for at in times[done:end]]
        done = end
    return arrivals, numpy.array(latencies)


def one_slot(arrivals: numpy.ndarray, work: numpy.ndarray) -> tuple[numpy.ndarray, numpy.ndarray]:
    done = numpy.cumsum(work)
    return arrivals, numpy.maximum.accumulate(arrivals - (done - work)) + done - arrivals


def bursts(rng: numpy.random.Generator, rate: float, count: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    return one_slot(numpy.cumsum(rng.gamma(0.5, 2 / rate, count)), rng.uniform(0.05, 0.15, count))


def long_tail(rng: numpy.random.Generator, rate: float, count: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    arrivals = numpy.cumsum(rng.exponential(1 / rate, count))
    return one_slot(arrivals, rng.lognormal(math.log(0.1) - 0.5, 1.0, count))


def late_in_two_slots(rate: float, limit: float) -> float:
    """The share of requests that take longer than the limit (M/M/2, first come first served)."""
    load = rate / RATE_OF_A_SLOT
    wait = load**2 / (2 + load)  # the chance to wait at all
    short = math.exp(-RATE_OF_A_SLOT * limit)
    return short * (1 + wait * (1 - math.exp(-RATE_OF_A_SLOT * limit * (1 - load))) / (1 - load))


def late_in(queue: Queue, rate: float, limit: float) -> float:
    found = [queue(numpy.random.default_rng(1000 + seed), rate, 300_000)[1][6_000:] for seed in range(2)]
    return float((numpy.concatenate(found) > limit).mean())


def true_rate(late: Callable[[float, float], float], limit: float, quantile: float, most: float) -> float:
    low, high = 1.0, most
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (middle, high) if late(middle, limit) < 1 - quantile else (low, middle)
    return (low + high) / 2


def step_of(
    queue: Queue, rng: numpy.random.Generator, rate: float, limit: float, quantile: float, seconds: float
) -> Step:
    arrivals, latencies = queue(rng, rate, int(rate * seconds * 1.3) + 20)
    start = 0.1 * seconds
    judged = (arrivals >= start) & (arrivals < seconds)
    blocks = ((arrivals[judged] - start) / (seconds - start) * BLOCKS).astype(int)
    misses = numpy.bincount(blocks, weights=latencies[judged] > limit, minlength=BLOCKS).astype(int)
    counts = numpy.bincount(blocks, minlength=BLOCKS)
    return Step(rate, (Attained(quantile, tuple(misses.tolist()), tuple(counts.tolist())),))


def held(queue: Queue, truth: float, limit: float, quantile: float, seconds: float, searches: int) -> tuple[int, float]:
    """How many intervals hold the truth, and their median width as a ratio."""
    inside, widths = 0, []
    for seed in range(searches):
        rng = numpy.random.default_rng(seed)
        found, _ = search(lambda rate, rng=rng: step_of(queue, rng, rate, limit, quantile, seconds), 1.0)  # type: ignore[misc]
        assert found.low is not None and found.high is not None
        inside += found.low <= truth <= found.high
        widths.append(found.high / found.low)
    return inside, float(numpy.median(widths))


def main() -> None:
    for name, queue, limit, quantile, most in (
        ("two slots", two_slots, 1.6, 0.99, 9.9),
        ("two slots", two_slots, 1.0, 0.9, 9.9),
        ("batches", batches, 1.0, 0.99, 16.0),
        ("batches", batches, 0.8, 0.95, 16.0),
        ("bursts", bursts, 1.2, 0.95, 9.9),
        ("long tail", long_tail, 0.8, 0.9, 9.9),
        ("long tail", long_tail, 4.0, 0.99, 9.9),
    ):
        late = late_in_two_slots if queue is two_slots else partial(late_in, queue)
        truth = true_rate(late, limit, quantile, most)
        for seconds in (200.0, 600.0):
            inside, width = held(queue, truth, limit, quantile, seconds, SEARCHES)
            words = f"{inside} of {SEARCHES} intervals hold {truth:.2f}/s, median width {width:.2f}x"
            print(f"{name}, p{quantile * 100:g} < {limit:g} s, steps of {seconds:g} s: {words}", flush=True)


if __name__ == "__main__":
    main()
