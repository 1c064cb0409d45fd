"""Jobs and records of processes as the tests of comparisons want them: no process runs."""

import math
import random
import time

from perfproof.bench.comparison.comparison import Comparison
from perfproof.bench.job import PLAIN, Job
from perfproof.bench.record import ProcessRecord
from perfproof.core.options import EFFORTS
from perfproof.stats.quads import Quad, Sample, schedule


def job(effort="standard", variants=("optimized",), budget=60.0):
    now = time.monotonic()
    return Job(
        target="t",
        source={},
        arguments=("x",),
        constant=(),
        mutates=(),
        cold=(),
        tolerance={},
        lowers_precision="",
        variants=variants,
        claim="time",
        clock="call",
        device="cpu",
        sizes={},
        smoke=None,
        threads=1,
        cpus=(0,),
        footprint=1,
        effort=EFFORTS[effort],
        delta=0.01,
        seed="5eed",
        deadline=now + 60,
        budget_end=now + budget,
    )


VARIANTS = ("optimized",)


def record(
    number,
    couple,
    slot,
    *,
    theta=0.0,
    switch=0.0,
    noise=0.002,
    slot_effect=0.0,
    every_twelfth=0.0,
    disturbed=0.0,
    stolen=0.0,
    clock_hz=None,
    variants=VARIANTS,
    quads=40,
):
    """A process whose variants take exp(-theta) of the baseline's time, and `switch` more after the other side.

    Every twelfth call of a variant takes `every_twelfth` times a call longer. The share `disturbed` of the samples is
    invalid; their CPU time is `stolen` times a call longer than a usual one.
    """
    rng = random.Random(f"{number}/{couple}/{slot}")
    found = ProcessRecord(number, couple, slot, call_seconds=dict.fromkeys(("baseline", *variants, "twin"), 1e-3))
    before, calls, block = "", 0, ""
    for kind, order in schedule(variants, quads, rng):
        samples = []
        if kind != block:  # both sides run untimed before a block, the variant last
            before = block = kind
        for letter in order:
            side = "baseline" if letter == "A" else kind
            varies = side in variants
            calls += varies
            logs = rng.gauss(0, noise) - (theta + slot * slot_effect if varies else 0.0)
            logs += switch if varies and before != side else 0.0
            seconds = 1e-3 * (math.exp(logs) + (every_twelfth if varies and calls % 12 == 0 else 0.0))
            valid = rng.random() >= disturbed
            cpu = None if valid else seconds + (1e-3 * stolen if varies else 0.0)
            lasted = seconds if valid else 10 * seconds
            samples.append(Sample(side, lasted, 0, 1, 1, valid, cpu))
            row = dict(kind=kind, side=side, seconds=lasted, valid=valid, disturbed="" if valid else "preempted")
            row |= dict(clock_hz=clock_hz and clock_hz[side], start_ns=0, end_ns=1, foreign_seconds=0.0)
            found.rows.append(row)
            before = side
        found.quads.append(Quad(kind, tuple(samples)))
    return found


def compared(**behaviour):
    variants = behaviour.get("variants", VARIANTS)
    records = [record(number, 0, slot, **behaviour) for number in range(8) for slot in (1, -1)]
    return Comparison(job(variants=variants), PLAIN, records)


def quiet(*_, **__):
    return None
