"""The whole rule by simulation: equal sides called different, intervals that miss the truth, differences found.

First from units: eight to fifteen launches, band 0.2 %, delta 1 %, stopping on width. Then from samples: eight launches
of two processes, with noise, spikes, drift and a cost of switching. Seeded, so that a failure is a change of the rule.
"""

import math
import random
from collections import Counter
from statistics import fmean

import numpy
import pytest

from perfproof.bench.comparison import Comparison, verdict_of
from perfproof.bench.job import PLAIN
from perfproof.bench.record import ProcessRecord
from perfproof.stats.quads import Quad, Sample, schedule
from perfproof.stats.stopping import enough
from perfproof.stats.verdicts import judge
from tests.bench.test_comparison import job

RUNS = 4000
BETA, DELTA = 0.002, 0.01


def standard_runs(theta, sd, seed):
    """(verdict, units used, does the interval miss the truth) of each simulated run."""
    for draws in numpy.random.default_rng(seed).normal(theta, sd, (RUNS, 15)).tolist():
        n = next(n for n in range(8, 16) if enough(draws[:n], BETA, DELTA, 0.97, least=8, most=15))
        found = judge(draws[:n], beta=BETA, delta=DELTA, process_errors=[sd] * (2 * n))
        yield found.verdict, n, not found.low <= numpy.exp(theta) <= found.high


def shares(theta, sd, seed):
    verdicts, units, misses = zip(*standard_runs(theta, sd, seed), strict=True)
    counted = Counter(verdicts)
    different = (counted["faster"] + counted["slower"]) / RUNS
    return different, counted["same"] / RUNS, fmean(units), fmean(misses)


def test_equal_bodies_are_called_different_in_about_one_run_of_a_thousand():
    different, same, units, misses = shares(0.0, 0.0046, seed=1)
    assert different <= 0.003
    assert same == pytest.approx(0.978, abs=0.007)
    assert units == pytest.approx(8.4, abs=0.1)
    assert misses == pytest.approx(0.029, abs=0.008)


def test_a_true_one_per_cent_is_found_in_about_988_of_1000_runs():
    different, _, units, _ = shares(0.01, 0.0046, seed=2)
    assert different == pytest.approx(0.988, abs=0.006)
    assert units == pytest.approx(8.4, abs=0.1)


def test_a_quiet_machine_finds_half_a_per_cent():
    different, _, units, _ = shares(0.005, 0.002, seed=3)
    assert different == pytest.approx(0.91, abs=0.015)
    assert units == pytest.approx(8.0, abs=0.01)


@pytest.mark.parametrize("sd", [0.01, 0.015, 0.02, 0.04])
def test_of_a_twofold_gain_the_interval_covers_the_truth_however_early_it_stops(sd):
    different, _, units, misses = shares(numpy.log(2.0), sd, seed=6)
    assert different == 1.0
    assert misses <= 0.05
    assert units < 14 or sd > 0.02


def test_a_noisy_machine_uses_more_launches_and_stays_honest():
    different, same, units, misses = shares(0.0, 0.008, seed=4)
    assert different <= 0.01
    assert same == pytest.approx(0.772, abs=0.02)
    assert units == pytest.approx(12.5, abs=0.15)
    assert misses <= 0.05


# one launch


def quick_runs(gain, layout, seed):
    """Verdicts over five couples of one launch, whose layout moves the ratio by up to `layout`."""
    rng = numpy.random.default_rng(seed)
    for launch in rng.uniform(-layout, layout, RUNS).tolist():
        units = rng.normal(math.log(gain) + launch, 0.005, 5).tolist()
        yield judge(units, beta=BETA, delta=DELTA, process_errors=[0.005] * 10, one_launch=True).verdict


def test_what_a_layout_does_to_equal_bodies_is_not_called_a_difference_by_one_launch():
    counted = Counter(quick_runs(1.0, 0.045, seed=7))
    assert (counted["faster"] + counted["slower"]) / RUNS <= 0.01
    assert counted["same"] == counted["inconclusive"] == 0, "one launch cannot say that"


def test_below_five_per_cent_one_launch_says_no_word():
    counted = Counter(quick_runs(1.04, 0.0, seed=8))
    assert (counted["faster"] + counted["slower"]) / RUNS <= 0.01


def test_a_gain_of_a_quarter_is_found_by_one_launch():
    assert Counter(quick_runs(1.25, 0.045, seed=9))["faster"] / RUNS >= 0.99


# from samples


def process(rng, number, slot, *, theta, noise, switch, spikes, drift, quads):
    """One process; logs of times, but spikes, which are added as seconds.

    `switch` is what the variant takes longer after the other side, `drift` how far both wander from sample to sample,
    `spikes` the share of samples that take three times longer or so.
    """
    found = ProcessRecord(number, 0, slot, call_seconds=dict.fromkeys(("baseline", "optimized", "twin"), 1e-3))
    before, level = None, 0.0
    for kind, order in schedule(("optimized",), quads, rng):
        samples = []
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


def simulated(runs, *, theta=0.0, noise=0.01, switch=0.0, spikes=0.0, drift=0.0, quads=20, between=0.003):
    """Results of `runs` comparisons of eight launches, between which the ratio differs by an sd of `between`."""
    for seed in range(runs):
        rng, found = random.Random(seed), Comparison(job(), PLAIN)
        for number in range(8):
            own = theta + rng.gauss(0, between)
            for slot in (1, -1):
                one = process(
                    rng, number, slot, theta=own, noise=noise, switch=switch, spikes=spikes, drift=drift, quads=quads
                )
                found.records.append(one)
        yield verdict_of(found, "optimized")


@pytest.mark.parametrize(
    "disturbance",
    [
        dict(noise=0.01),
        dict(noise=0.08),
        dict(spikes=0.02),
        dict(spikes=0.003),
        dict(drift=0.01),
        dict(switch=0.02),
        dict(switch=0.2, spikes=0.02, drift=0.01, noise=0.03),
    ],
    ids=["quiet", "noise", "spikes", "rare spikes", "drift", "switching costs", "all at once"],
)
def test_equal_sides_are_called_different_in_at_most_one_run_of_twenty(disturbance):
    words = Counter(result.verdict for result in simulated(60, **disturbance))
    assert words["faster"] + words["slower"] <= 3, words


def misses(runs, theta, **disturbance):
    found = list(simulated(runs, theta=theta, **disturbance))
    return sum(not result.low <= math.exp(theta) <= result.high for result in found) / runs


@pytest.mark.parametrize(
    "disturbance",
    [
        dict(noise=0.05),
        dict(switch=-0.03),
        dict(switch=0.2, drift=0.01),
        dict(spikes=0.01),
    ],
)
def test_the_interval_covers_a_known_ratio_in_19_of_20_runs(disturbance):
    assert misses(200, 0.05, **disturbance) <= 0.05


@pytest.mark.parametrize("disturbance", [dict(switch=0.02, noise=0.05), dict(switch=0.01, noise=0.05, quads=30)])
def test_where_noise_hides_what_a_switch_costs_the_interval_covers_nine_of_ten(disturbance):
    """The interval is widened by |D|/2 as it was found; the error of D itself is not in it."""
    assert misses(200, 0.05, **disturbance) <= 0.10
