"""Isolation: the baseline beside the variant against alone, and what an alarm leads to."""

import math
import random
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from perfproof.bench import target
from perfproof.bench.checks import isolation
from perfproof.bench.checks.isolation import BAND, LEAST_QUADS, QUADS, clean_against_mixed, compare_ways
from perfproof.bench.checks.isolation import test_isolation as hold_against
from perfproof.bench.comparison.comparison import Comparison
from perfproof.bench.job import IN_TURN, PLAIN
from perfproof.bench.record import ProcessRecord
from perfproof.core.errors import WorkerTimeout
from perfproof.core.units import percent
from perfproof.stats.isolation import isolation_test
from perfproof.stats.units import interval
from tests.bench.comparison.recorded import job, quiet, record

CALM = [-0.001, -0.003, -0.0015, -0.0025, -0.002]
MOVED = [-0.10, -0.101, -0.099, -0.1005, -0.0995]


# clean against mixed, in one launch


class Worker:
    """A baseline that takes `seconds` per call, and longer once a variant has left its burden."""

    def __init__(self, seconds, burden=0.0):
        self.seconds, self.burden, self.asked = seconds, burden, []
        self.repeated, self.held_sets = 0.0, 0

    def ask(self, command, deadline, **fields):
        ((side, _, keep),) = fields["samples"]
        assert fields["warm"] and not keep
        self.asked.append(side)
        burdened = self.burden if "optimized" in self.asked else 0.0
        seconds = self.seconds * (1 + burdened) * random.Random(len(self.asked)).gauss(1, 0.001)
        start = time.perf_counter_ns()
        time.sleep(0.0002)
        return {"rows": [[start, start + 200_000, seconds, None]], "repeated": 0.0, "held_sets": 0}


def driven(clean, mixed, call_seconds=1e-6):
    found = ProcessRecord(0, 0, 1, call_seconds=dict.fromkeys(("baseline", "optimized", "twin"), call_seconds))
    return clean_against_mixed(job(), clean, mixed, found, random.Random(1))


def test_equal_processes_differ_by_nothing():
    assert driven(Worker(1e-8), Worker(1e-8)) == pytest.approx(0.0, abs=0.001)


def test_a_burden_that_the_variant_leaves_is_seen():
    assert driven(Worker(1e-8), Worker(1e-8, burden=0.1)) == pytest.approx(-math.log(1.1), abs=0.001)


def test_the_variant_runs_in_the_mixed_process_again_and_again_and_never_in_the_clean_one():
    clean, mixed = Worker(1e-8), Worker(1e-8)
    driven(clean, mixed)
    assert set(clean.asked) == {"baseline"} and len(clean.asked) == 2 * QUADS
    assert mixed.asked.count("optimized") == QUADS // 4 and mixed.asked[0] == "optimized"


def test_long_calls_are_compared_in_fewer_quads():
    clean = Worker(1e-8)
    driven(clean, Worker(1e-8), call_seconds=0.3)
    assert len(clean.asked) == 2 * LEAST_QUADS


def test_where_copies_take_longer_than_calls_fewer_quads_have_to_do(monkeypatch):
    monkeypatch.setattr(isolation, "SPENT_SECONDS", 0.0)
    clean = Worker(1e-8)
    assert driven(clean, Worker(1e-8)) == pytest.approx(0.0, abs=0.001)
    assert len(clean.asked) == 2 * isolation.ENOUGH_QUADS


def test_of_calls_that_take_seconds_one_of_each_has_to_do():
    clean, mixed = Worker(1e-8), Worker(1.1e-8)
    assert driven(clean, mixed, call_seconds=10.0) == pytest.approx(math.log(1 / 1.1), rel=0.2)
    assert len(clean.asked) == 1


# over launches


def test_a_baseline_that_is_not_moved_passes_with_the_bound_in_the_detail():
    check, found = hold_against(job(), CALM)
    assert check.result == "pass" and not found.alarm
    assert check.detail == (
        f"the baseline beside the variant against alone: +0.20 %, moved by less than {100 * found.bound:.1f} %"
    )


def test_a_small_sure_difference_between_two_processes_is_their_layout():
    assert not hold_against(job(), [0.9 * BAND] * 5)[1].alarm
    assert hold_against(job(), [1.1 * BAND] * 5)[1].alarm


@pytest.mark.parametrize("sign", [1, -1])
def test_an_alarm_is_raised_whichever_way_the_baseline_is_moved(sign):
    assert hold_against(job(), [sign * one for one in MOVED])[1].alarm


@pytest.mark.parametrize(
    ("effort", "units", "why"), [("quick", [], "one launch"), ("standard", MOVED[:4], "4 of 5 launches")]
)
def test_too_few_launches_did_not_run_it(effort, units, why):
    check, found = hold_against(job(effort), units)
    assert (check.result, check.detail) == ("not-run", f"{why}: --effort standard runs it")
    assert not found.alarm and found.bound is None


def test_without_memory_for_a_second_process_it_did_not_run_and_says_why():
    check, found = hold_against(job(), [], room=0.5)
    assert (check.result, found.alarm) == ("not-run", False) and "no memory" in check.detail


# after an alarm


def ways(mixed, alone, moved=None):
    found = isolation_test(moved or MOVED, BAND)
    return compare_ways(job(), found, {"optimized": mixed}, {"optimized": alone})


def around(theta, half=0.01):
    return interval([theta + half * one for one in (-1, -0.5, 0, 0.5, 1)])


def test_intervals_that_overlap_pass_and_it_is_said_how_it_was_measured():
    check = ways(around(0.5), around(0.51))
    assert check.result == "pass"
    assert check.detail == "the baseline takes +10.5 % beside the variant; processes of their own are judged"


def both(alone):
    return f"optimized is {math.exp(0.5):.3f}x in a shared process and {math.exp(alone):.3f}x in processes of their own"


def test_a_variant_that_slows_the_baseline_beside_it_and_profits_from_that_fails_with_both_ratios():
    check = ways(around(0.5), around(0.4))
    assert check.result == "fail"
    assert check.detail.endswith(f"; {both(0.4)}: one side changes what the other uses")


@pytest.mark.parametrize(
    ("alone", "moved"),
    [(0.6, MOVED), (0.6, [-one for one in MOVED]), (0.4, [-one for one in MOVED])],
    ids=["the variant is faster apart", "the baseline is faster beside it", "and the variant too"],
)
def test_what_the_sides_do_to_each_other_without_profit_is_said_and_processes_of_their_own_are_judged(alone, moved):
    check = ways(around(0.5), around(alone), moved)
    assert check.result == "pass"
    assert check.detail.endswith(f" % beside the variant; {both(alone)}; processes of their own are judged")


@pytest.mark.parametrize("alone", [None, interval([0.5] * 4)], ids=["nothing", "no interval"])
def test_without_an_interval_of_either_way_it_did_not_run(alone):
    assert ways(around(0.5), alone).result == ways(alone, around(0.5)).result == "not-run"
    assert "too few launches to measure apart" in ways(around(0.5), alone).detail


def test_every_variant_has_to_agree():
    one = job(variants=("optimized", "optimized_b"))
    mixed, alone = ({"optimized": around(0.5), "optimized_b": around(theta)} for theta in (0.9, 0.5))
    assert compare_ways(one, isolation_test(MOVED, BAND), mixed, alone).result == "fail"


# in a target


def judged(monkeypatch, isolation, alone_theta=0.5, rung=PLAIN, theta=0.5, alone_launches=8, left=math.inf):
    """The check of a comparison at `theta`, and the arrangements that were measured."""
    evidence, taken = target.Evidence(), []
    own_job = replace(job(), budget_end=time.monotonic() + left)

    def compared(rung, theta, launches=8):
        records = [record(number, 0, slot, theta=theta) for number in range(launches) for slot in (1, -1)]
        for own, value in zip(records[1::2], isolation, strict=False):
            own.isolation = value
        return Comparison(own_job, rung, records, seconds=10.0)

    def measure(job, rung, launches, notify):
        taken.append(rung)
        return compared(rung, alone_theta, alone_launches)

    monkeypatch.setattr(target, "measure", measure)
    evidence.measured = [compared(rung, theta)]
    target._isolate(own_job, SimpleNamespace(), evidence, quiet)
    return evidence.checks["isolation"], taken, evidence.measured


def test_no_alarm_measures_nothing_more(monkeypatch):
    check, taken, measured = judged(monkeypatch, CALM)
    assert check.result == "pass" and taken == [] and len(measured) == 1


@pytest.mark.parametrize(("alone", "result"), [(0.5, "pass"), (0.7, "pass"), (0.3, "fail")])
def test_an_alarm_measures_again_in_processes_of_their_own_and_those_are_judged(monkeypatch, alone, result):
    check, taken, measured = judged(monkeypatch, MOVED, alone)
    assert check.result == result and taken == [IN_TURN] and measured[-1].rung == IN_TURN
    assert measured[-1].why_apart == check.detail


LITTLE = [one / 10 for one in MOVED]


def test_a_shift_that_no_verdict_turns_on_widens_the_interval_and_nothing_more_is_measured(monkeypatch):
    check, taken, (mixed,) = judged(monkeypatch, LITTLE)
    assert check.result == "pass" and taken == []
    widened = f"intervals are widened by {percent(mixed.moved)}"
    assert check.detail == f"the baseline takes +1.0 % beside the variant; {widened}"
    plain = replace(mixed, moved=0.0, _said={})
    assert mixed.interval("optimized").low == pytest.approx(plain.interval("optimized").low - mixed.moved)


@pytest.mark.parametrize("theta", [0.006, -0.006, 0.0])
def test_a_verdict_that_turns_on_the_shift_is_measured_apart(monkeypatch, theta):
    _, taken, _ = judged(monkeypatch, LITTLE, theta=theta, alone_theta=theta)
    assert taken == [IN_TURN]


@pytest.mark.parametrize(("left", "launches"), [(1.0, 8), (math.inf, 1)], ids=["not begun", "cut short"])
def test_without_the_time_to_measure_apart_the_widened_interval_is_judged(monkeypatch, left, launches):
    check, taken, measured = judged(monkeypatch, MOVED, left=left, alone_launches=launches)
    assert check.result == "not-run" and "no time to measure apart" in check.detail
    assert taken == ([] if left == 1.0 else [IN_TURN])
    assert measured[-1].rung == PLAIN and measured[-1].moved == pytest.approx(0.1, rel=0.1)


def test_a_variant_that_slows_the_baseline_beside_it_gains_nothing_if_time_runs_out(monkeypatch):
    doubled = [-math.log(2) + one / 100 for one in MOVED]
    _, _, measured = judged(monkeypatch, doubled, theta=math.log(2), left=1.0)
    assert measured[-1].interval("optimized").low < 0


def test_sides_that_ran_apart_need_no_test(monkeypatch):
    check, taken, _ = judged(monkeypatch, [], rung=IN_TURN)
    assert (check.result, check.detail) == ("pass", "every side ran in a process of its own") and taken == []


@pytest.mark.parametrize("claim", ["time", "memory"])
def test_a_verdict_stands_without_what_is_only_shown_beside_it(claim):
    one = replace(job(), claim=claim)
    if claim == "memory":
        with pytest.raises(WorkerTimeout), target._kept_without(one, "memory"):
            raise WorkerTimeout("late")
    else:
        with target._kept_without(one, "memory"):
            raise WorkerTimeout("late")
