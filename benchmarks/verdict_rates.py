"""How often the whole rule errs, on simulated samples: equal sides called different, intervals that miss the truth.

Eight launches of two processes, with noise, spikes, drift and a cost of switching. Seeded: the same rule gives the same
rates. The tests simulate the first runs of each disturbance, this program more of them.

    python -m benchmarks.verdict_rates
"""

import math
import random
from collections.abc import Iterator
from typing import Any

from perfproof.bench.comparison.comparison import Comparison
from perfproof.bench.comparison.verdict import verdict_of
from perfproof.bench.job import PLAIN, Job
from perfproof.bench.record import ProcessRecord
from perfproof.core.documents import RatioResult
from perfproof.core.options import EFFORTS
from perfproof.stats.quads import Quad, Sample, schedule

EQUAL_RUNS, KNOWN_RUNS, KNOWN_THETA = 60, 200, 0.05
EQUAL: dict[str, dict[str, Any]] = {
    "quiet": dict(noise=0.01),
    "noise": dict(noise=0.08),
    "spikes": dict(spikes=0.02),
    "rare spikes": dict(spikes=0.003),
    "drift": dict(drift=0.01),
    "switching costs": dict(switch=0.02),
    "all at once": dict(switch=0.2, spikes=0.02, drift=0.01, noise=0.03),
}
KNOWN: dict[str, dict[str, Any]] = {
    "noise": dict(noise=0.05),
    "a switch that helps": dict(switch=-0.03),
    "a switch that costs, and drift": dict(switch=0.2, drift=0.01),
    "spikes": dict(spikes=0.01),
    "a switch in noise": dict(switch=0.02, noise=0.05),
    "a smaller switch, more quads": dict(switch=0.01, noise=0.05, quads=30),
    "a switch, few quads": dict(switch=0.03, noise=0.03, quads=4),
}
# What is judged: a pair of a CPU at standard effort, without a limit of time.
JOB = Job(
    target="simulated",
    source={},
    arguments=("x",),
    constant=(),
    mutates=(),
    cold=(),
    tolerance={},
    lowers_precision="",
    variants=("optimized",),
    claim="time",
    clock="call",
    device="cpu",
    sizes={},
    smoke=None,
    threads=1,
    cpus=(0,),
    footprint=1,
    effort=EFFORTS["standard"],
    delta=0.01,
    seed="5eed",
    deadline=math.inf,
    budget_end=math.inf,
)


def process(
    rng: random.Random,
    number: int,
    slot: int,
    *,
    theta: float,
    noise: float,
    switch: float,
    spikes: float,
    drift: float,
    quads: int,
) -> ProcessRecord:
    """One process; logs of times, but spikes, which are added as seconds.

    `switch` is what the variant takes longer after the other side, `drift` how far both wander from sample to sample,
    `spikes` the share of samples that take three times longer or so.
    """
    found = ProcessRecord(number, 0, slot, call_seconds=dict.fromkeys(("baseline", "optimized", "twin"), 1e-3))
    before, level, block = "", 0.0, ""
    for kind, order in schedule(("optimized",), quads, rng):
        samples = []
        if kind != block:  # both sides run untimed before a block, the variant last
            before = block = kind
        for letter in order:
            side = "baseline" if letter == "A" else kind
            level += rng.gauss(0, drift)
            logs = level + rng.gauss(0, noise) - (theta if side == "optimized" else 0.0)
            logs += switch if side == "optimized" and before != side else 0.0
            seconds = 1e-3 * (math.exp(logs) + (rng.expovariate(1 / 3) if rng.random() < spikes else 0.0))
            samples.append(Sample(side, seconds, 0, 1, 1))
            found.rows.append(dict(kind=kind, side=side, seconds=seconds, valid=True, disturbed="", clock_hz=None))
            before = side
        found.quads.append(Quad(kind, tuple(samples)))
    return found


def simulated(
    runs: int,
    *,
    theta: float = 0.0,
    noise: float = 0.01,
    switch: float = 0.0,
    spikes: float = 0.0,
    drift: float = 0.0,
    quads: int = 20,
    between: float = 0.003,
) -> Iterator[RatioResult]:
    """Results of `runs` comparisons of eight launches, between which the ratio differs by an sd of `between`."""
    for seed in range(runs):
        rng, found = random.Random(seed), Comparison(JOB, PLAIN)
        for number in range(8):
            own = theta + rng.gauss(0, between)
            for slot in (1, -1):
                one = process(
                    rng, number, slot, theta=own, noise=noise, switch=switch, spikes=spikes, drift=drift, quads=quads
                )
                found.records.append(one)
        yield verdict_of(found, "optimized")


def called_different(runs: int, disturbance: dict[str, Any]) -> int:
    """Runs of equal sides with the verdict faster or slower."""
    return sum(result.verdict in ("faster", "slower") for result in simulated(runs, **disturbance))


def missed(runs: int, disturbance: dict[str, Any]) -> int:
    """Runs whose interval does not hold the true ratio."""
    truth = math.exp(KNOWN_THETA)
    found = simulated(runs, theta=KNOWN_THETA, **disturbance)
    return sum(not (result.low or 0.0) <= truth <= (result.high or 0.0) for result in found)


def main() -> None:
    for name, disturbance in EQUAL.items():
        print(f"equal sides, {name}: {called_different(EQUAL_RUNS, disturbance)} of {EQUAL_RUNS} called different")
    for name, disturbance in KNOWN.items():
        print(f"a known ratio, {name}: {missed(KNOWN_RUNS, disturbance)} of {KNOWN_RUNS} intervals miss it")


if __name__ == "__main__":
    main()
