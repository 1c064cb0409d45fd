"""Clock driven simulation of a layered spiking network with three receptor types.

Cohorts of neurons are stimulated one after the other; every cohort answers with a
short burst and falls silent again.  Single precision, exact exponential decay.
"""

import argparse
import math
import time
from dataclasses import dataclass

import numpy as np

DT = 0.5  # ms


@dataclass(frozen=True)
class Receptor:
    name: str
    tau: float
    reversal: float
    gain: float


RECEPTORS = (
    Receptor("ampa", 3.0, 0.0, 0.30),
    Receptor("nmda", 12.0, 0.0, 0.06),
    Receptor("gaba", 6.0, -75.0, 0.25),
)


class Synapses:
    """Conductance of one receptor type on all neurons."""

    def __init__(self, receptor, size):
        self.receptor = receptor
        self.decay = np.float32(math.exp(-DT / receptor.tau))
        self.g = np.zeros(size, dtype=np.float32)
        self.current = np.empty(size, dtype=np.float32)

    def advance(self, v):
        np.multiply(self.g, self.decay, out=self.g)
        np.subtract(np.float32(self.receptor.reversal), v, out=self.current)
        np.multiply(self.current, self.g, out=self.current)
        return self.current

    def deliver(self, targets, rng):
        kick = self.receptor.gain * rng.random(len(targets), dtype=np.float32)
        self.g[targets] += kick


class Population:
    REST = np.float32(-65.0)
    THRESHOLD = np.float32(-52.0)
    RESET = np.float32(-68.0)
    LEAK = np.float32(DT / 20.0)
    STEP = np.float32(DT / 10.0)

    def __init__(self, size):
        self.size = size
        self.v = np.full(size, self.REST, dtype=np.float32)
        self.synapses = [Synapses(r, size) for r in RECEPTORS]
        self.total = np.empty(size, dtype=np.float32)

    def step(self):
        np.subtract(self.REST, self.v, out=self.total)
        np.multiply(self.total, self.LEAK, out=self.total)
        self.v += self.total
        for synapses in self.synapses:
            current = synapses.advance(self.v)
            np.multiply(current, self.STEP, out=current)
            self.v += current
        fired = np.flatnonzero(self.v > self.THRESHOLD)
        self.v[fired] = self.RESET
        return fired


class Stimulator:
    """Shows a pattern to one cohort after the other."""

    def __init__(self, population, cohorts, burst_ms, seed):
        self.population = population
        self.rng = np.random.default_rng(seed)
        order = self.rng.permutation(population.size)
        self.cohorts = np.array_split(order, cohorts)
        self.burst_steps = int(burst_ms / DT)

    def apply(self, step):
        index = step // self.burst_steps
        if index < len(self.cohorts):
            cohort = self.cohorts[index]
        else:
            cohort = self.cohorts[self.rng.integers(len(self.cohorts))][:64]
        for synapses in self.population.synapses:
            picked = (
                self.rng.choice(cohort, size=min(256, len(cohort)), replace=False)
                if len(cohort) <= 64
                else cohort[self.rng.random(len(cohort)) < 0.2]
            )
            synapses.deliver(picked, self.rng)


class SpikeMonitor:
    def __init__(self, bin_steps):
        self.bin_steps = bin_steps
        self.counts = []
        self.current = 0

    def record(self, step, fired):
        self.current += len(fired)
        if (step + 1) % self.bin_steps == 0:
            self.counts.append(self.current)
            self.current = 0


def simulate(neurons, duration_ms, seed):
    population = Population(neurons)
    stimulator = Stimulator(population, cohorts=8, burst_ms=25.0, seed=seed)
    monitor = SpikeMonitor(bin_steps=int(200 / DT))
    for step in range(int(duration_ms / DT)):
        stimulator.apply(step)
        monitor.record(step, population.step())
    return population, monitor


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--neurons", type=int, default=120_000)
    parser.add_argument("--duration", type=float, default=1_250.0, help="biological ms")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    begin = time.perf_counter()
    population, monitor = simulate(args.neurons, args.duration, args.seed)
    print(f"{args.duration:.0f} ms in {time.perf_counter() - begin:.1f} s")
    print("spikes per 200 ms:", monitor.counts)
    print(f"mean potential {population.v.mean():.2f} mV")


if __name__ == "__main__":
    main()
