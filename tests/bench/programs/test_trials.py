"""What recorded runs say: equal programs are not called different, a slower one is found, drift is said."""

import json
import math
import random
from pathlib import Path

import pytest

from perfproof.bench.programs.trials import B, Trial, Trials, correlation, drift, groups_of_runs
from perfproof.bench.programs.verdict import verdict_of
from perfproof.core.units import seconds
from perfproof.stats.quads import BASELINE, TWIN, draw_orders

RECORDED = Path(__file__).parent / "recorded" / "aa_programs.json"  # one command against itself, on a busy machine


def recorded(slowdown=1.0):
    """The recorded A/A runs, those of b made slower."""
    trials = Trials()
    for block, group, side, wall, cpu, peak in json.loads(RECORDED.read_text()):
        factor = slowdown if side == B else 1.0
        row = {"seconds": wall * factor, "cpu_seconds": cpu * factor, "peak_bytes": peak, "metrics": {}}
        trials.done.append(Trial(side, block, group, row))
    return trials


def made(rng, blocks=12, noise=0.01, slowdown=1.0, walk=0.0, metric=False):
    """Runs with noise of their own and a level that walks."""
    trials, level = Trials(higher=frozenset({"tps"}) if metric else frozenset()), 0.0
    for block, order in enumerate(draw_orders(blocks, rng)):
        for letter in order:
            level += rng.gauss(0, walk)
            value = math.exp(level + rng.gauss(0, noise)) * (slowdown if letter == "B" else 1.0)
            row = {"seconds": value, "cpu_seconds": value, "peak_bytes": 10**8, "metrics": {"tps": 1 / value}}
            trials.done.append(Trial(BASELINE if letter == "A" else B, block, block, row))
    return trials


@pytest.mark.parametrize("quantity", ["wall", "cpu"])
def test_a_recorded_program_against_itself_is_not_called_different(quantity):
    assert verdict_of(recorded(), quantity, 0.01).verdict not in ("faster", "slower")


def test_the_same_runs_with_one_side_slower_are(quantity="wall"):
    assert verdict_of(recorded(slowdown=1.5), quantity, 0.01).verdict == "slower"
    assert verdict_of(recorded(slowdown=0.6), quantity, 0.01).verdict == "faster"


def test_memory_that_agrees_is_the_same():
    found = verdict_of(recorded(), "memory", 0.01)
    assert found.verdict == "same" and found.claim == "memory"


def test_equal_programs_on_a_drifting_machine_are_rarely_called_different():
    rng = random.Random(7)
    words = [verdict_of(made(rng, walk=0.01, noise=0.02), "wall", 0.01).verdict for _ in range(200)]
    assert sum(word in ("faster", "slower") for word in words) <= 10  # an honest 3 % fails this once in a hundred


def test_a_slow_down_of_three_per_cent_is_found():
    found = verdict_of(made(random.Random(3), slowdown=1.03), "wall", 0.01)
    assert (found.verdict, found.rung, found.claim, found.clock) == ("slower", "programs", "time", "wall")
    assert found.low < 1 / 1.03 < found.high and found.launches == 12 and found.processes == 48


def test_a_metric_of_which_more_is_better_gets_the_better_side_above_one():
    found = verdict_of(made(random.Random(3), slowdown=0.9, metric=True), "tps", 0.01)
    assert found.verdict == "better" and found.ratio > 1.05 and found.claim == "metric"


def one_block(*quads):
    """Quads of two runs of a and two of b, in one block: ((a, a, b, b) seconds each)."""
    trials = Trials()
    for group, four in enumerate(quads):
        for side, value in zip((BASELINE, BASELINE, B, B), four, strict=True):
            row = {"seconds": value, "cpu_seconds": value, "peak_bytes": None, "metrics": {}}
            trials.done.append(Trial(side, 0, group, row))
    return trials


def test_a_block_is_the_ratio_of_sums_so_that_a_run_that_is_rarely_long_has_its_full_weight():
    """Three quads of equal runs, and one in which a run of b takes 9 s instead of 1 s: 16 against 8 seconds."""
    trials = one_block((1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 1), (1, 1, 1, 9))
    assert trials.units("wall") == [pytest.approx(math.log(8 / 16))]
    assert trials.typical("wall") == [pytest.approx(0.0)]
    ((a, b),) = trials.figures("wall")
    assert (math.exp(a), math.exp(b)) == (pytest.approx(1.0), pytest.approx(2.0))


@pytest.mark.parametrize("quantity", ["wall", "cpu", "tps", "memory"])
def test_the_two_figures_divide_to_the_ratio(quantity):
    trials = made(random.Random(4), noise=0.2, slowdown=1.4, metric=True)
    for trial in trials.done:
        trial.row["peak_bytes"] = round(10**8 * trial.row["seconds"])
    found = verdict_of(trials, quantity, 0.01)
    a_over_b = found.baseline / found.variant
    assert (1 / a_over_b if quantity == "tps" else a_over_b) == pytest.approx(found.ratio, rel=1e-12)


def test_exact_memory_divides_too():
    trials = made(random.Random(4))
    for trial in trials.done:
        trial.row["peak_bytes"] = 10**8 if trial.side == BASELINE else 4 * 10**7
    found = verdict_of(trials, "memory", 0.01)
    assert (found.ratio, found.baseline, found.variant, found.verdict) == (2.5, 10**8, 4 * 10**7, "better")


def test_a_cost_that_few_runs_pay_is_in_the_verdict_and_typical_runs_are_said():
    rng, trials, runs = random.Random(6), Trials(), 0
    for block in range(8):
        for quad, order in enumerate(draw_orders(12, rng)):
            for letter in order:
                runs += letter == "B"
                value = math.exp(rng.gauss(0, 0.01)) * (0.9 if letter == "B" else 1.0)
                value += 6.0 if letter == "B" and runs % 12 == 0 else 0.0
                row = {"seconds": value, "cpu_seconds": value, "peak_bytes": None, "metrics": {}}
                trials.done.append(Trial(BASELINE if letter == "A" else B, block, 100 * block + quad, row))
    found = verdict_of(trials, "wall", 0.01)
    assert found.ratio == pytest.approx(1 / (0.9 + 6 / 12), rel=0.02) and found.typical == pytest.approx(
        1 / 0.9, rel=0.02
    )
    assert found.verdict == "unstable" and "typical calls and all calls together disagree" in found.note


def test_a_twin_that_differs_makes_it_unstable():
    trials = made(random.Random(5))
    for number in range(8):
        for side, value in ((BASELINE, 1.0), (TWIN, 1.1 + number / 1000)):
            row = {"seconds": value, "cpu_seconds": value, "peak_bytes": None, "metrics": {}}
            trials.done.append(Trial(side, number, 1000 + number, row))
    found = verdict_of(trials, "wall", 0.01)
    assert found.verdict == "unstable" and "a copy of it differ" in found.note


def test_programs_smaller_than_can_be_told_have_no_memory_verdict():
    trials = made(random.Random(1))
    for trial in trials.done:
        trial.row["peak_bytes"] = None
    found = verdict_of(trials, "memory", 0.01, floor=10**7)
    assert found.ratio is None and "9.54 MiB" in found.note and found.verdict == "inconclusive"


def test_nothing_readable_gives_no_number():
    trials = made(random.Random(1), blocks=6)
    for trial in trials.done:
        trial.row["cpu_seconds"] = 0.0
    found = verdict_of(trials, "cpu", 0.01)
    assert found.ratio is None and found.verdict == "inconclusive"


def test_neighbours_that_resemble_each_other_are_told():
    rng = random.Random(2)
    assert correlation([rng.gauss(0, 1) for _ in range(30)]) == ""
    assert "correlation" in correlation([math.sin(at / 5) for at in range(30)])
    assert correlation([1.0] * 30) == "" and correlation([1.0, 2.0]) == ""


def test_a_baseline_that_moves_is_told():
    assert drift([1.0] * 30) == ""
    assert drift([1 + at / 30 for at in range(30)]).startswith("the baseline's own time moved by +")


def test_runs_in_two_groups_are_told_and_single_spikes_are_not():
    rng = random.Random(4)
    runs = [rng.gauss(1.0, 0.01) for _ in range(30)]
    assert groups_of_runs(runs, seconds) == ""
    assert groups_of_runs([*runs, 9.0], seconds) == ""
    assert "10 of 40 runs at 2.0" in groups_of_runs([*runs, *(rng.gauss(2.0, 0.01) for _ in range(10))], seconds)
