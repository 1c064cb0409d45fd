"""Measuring stops on width, not on what it says. A verdict includes what switching may do; its times divide to it."""

import math
import random
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from perfproof.bench import comparison
from perfproof.bench.comparison import BUSY_LOAD, ISOLATED_LAUNCHES, Comparison, arrangement, measure, verdict_of
from perfproof.bench.job import IN_TURN, PLAIN, Job
from perfproof.bench.preparation import creation_order
from perfproof.bench.record import ProcessRecord
from perfproof.core.documents import Check
from perfproof.core.errors import WorkerTimeout
from perfproof.core.options import EFFORTS
from perfproof.stats.quads import Quad, Sample, process_value, schedule
from perfproof.stats.units import interval


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


@pytest.fixture
def measured(monkeypatch):
    """measured(theta=..., ...) stands in for workers; what was asked of them is in the second value."""

    def stand_in(**behaviour):
        asked = []

        def run_process(job, launch, rung, number, couple, slot, *, before, isolation, sampled, prepared):
            first = before is None
            asked.append(SimpleNamespace(rung=rung, number=number, slot=slot, first=first, isolation=isolation))
            return record(number, couple, slot, variants=job.variants, **behaviour)

        monkeypatch.setattr(comparison, "run_process", run_process)
        opened = SimpleNamespace(close=lambda: None)
        launches = SimpleNamespace(
            begin=lambda count: None,
            get=lambda number: opened,
            new=lambda: opened,
            apart=False,
            fork_ahead=lambda number: None,
        )
        return launches, asked

    return stand_in


def quiet(*_, **__):
    return None


# how much is measured


def test_a_quiet_comparison_stops_at_eight_launches(measured):
    launches, asked = measured(theta=0.05)
    found = measure(job(), PLAIN, launches, quiet)
    assert (found.launches, len(asked)) == (8, 16)
    result = verdict_of(found, "optimized")
    assert result.verdict == "faster" and result.ratio == pytest.approx(math.exp(0.05), rel=0.002)
    assert (result.launches, result.processes) == (8, 16)


def test_stopping_looks_at_the_width_and_not_at_the_verdict(measured):
    launches, _ = measured(theta=0.05, noise=0.2)
    assert measure(job(), PLAIN, launches, quiet).launches == 15, "too wide at eight, however clear the difference is"


def test_noise_is_met_with_more_launches_until_patience_ends(measured):
    launches, _ = measured(noise=0.3)
    noisy = job()
    assert measure(noisy, PLAIN, launches, quiet).launches == 15
    hurried = replace(noisy, effort=replace(noisy.effort, patience=0.0))
    assert measure(hurried, PLAIN, launches, quiet).launches == 8


def test_final_effort_and_sides_that_cannot_share_an_interpreter_are_driven_in_turn(measured):
    launches, asked = measured(theta=0.02)
    assert arrangement(job(), launches) == PLAIN
    assert arrangement(job(), SimpleNamespace(apart=True)) == IN_TURN
    found = measure(job("final"), arrangement(job("final"), launches), launches, quiet)
    assert found.rung == IN_TURN and found.launches == 20 and {one.rung for one in asked} == {IN_TURN}
    assert verdict_of(found, "optimized").rung == "in-turn-corrected"


def test_one_launch_is_five_couples_and_its_interval_is_over_them(measured):
    launches, asked = measured(theta=0.3)
    found = measure(job("quick"), PLAIN, launches, quiet)
    assert found.launches == 1 and len(asked) == 10 and len(found.units("optimized")) == 5
    assert verdict_of(found, "optimized").verdict == "faster"


def test_the_first_process_looks_by_other_clocks_and_five_launches_test_isolation_each_once(measured):
    launches, asked = measured(theta=0.05)
    measure(job(), PLAIN, launches, quiet)
    assert [one.first for one in asked] == [True] + [False] * 15
    assert [one.number for one in asked if one.isolation] == list(range(ISOLATED_LAUNCHES))
    assert all(not asked[at].isolation for at in range(0, 16, 2)), "in the second process of a couple"


@pytest.mark.parametrize(("effort", "rung"), [("quick", PLAIN), ("final", IN_TURN)])
def test_isolation_is_not_tested_in_one_launch_nor_where_sides_are_apart(measured, effort, rung):
    launches, asked = measured(theta=0.05)
    measure(job(effort), rung, launches, quiet)
    assert not any(one.isolation for one in asked)


SLOW = {"baseline": 2.0, "optimized": 1.0}


def test_where_calls_take_seconds_a_launch_has_one_process_and_the_slots_alternate(measured):
    launches, asked = measured(theta=0.05, noise=0.001)
    found = measure(replace(job(), verified_seconds=SLOW), IN_TURN, launches, quiet)
    assert [one.number for one in asked] == list(range(8)) and not any(one.isolation for one in asked)
    first = asked[0].slot
    assert [one.slot for one in asked] == [first, -first] * 4
    result = verdict_of(found, "optimized")
    assert (result.verdict, result.launches, result.processes, len(result.units)) == ("faster", 8, 8, 8)
    assert result.ratio == pytest.approx(math.exp(0.05), rel=0.002) and result.slot_effect is None


def test_a_cost_of_being_created_first_does_not_make_equal_slow_sides_differ(measured):
    launches, _ = measured(slot_effect=0.02, noise=0.001)
    result = verdict_of(measure(replace(job(), verified_seconds=SLOW), IN_TURN, launches, quiet), "optimized")
    assert result.verdict not in ("faster", "slower") and result.ratio == pytest.approx(1, abs=0.005)


def test_a_budget_that_ends_after_one_slow_process_leaves_a_hint(measured):
    launches, asked = measured(theta=0.05)
    found = measure(replace(job(budget=-1.0), verified_seconds=SLOW), IN_TURN, launches, quiet)
    result = verdict_of(found, "optimized")
    assert len(asked) == 1 and (result.verdict, result.launches, result.low) == ("indicative", 1, None)
    assert result.ratio == pytest.approx(math.exp(0.05), rel=0.005)


@pytest.mark.parametrize("calls", [SLOW, {}])
def test_a_slow_process_that_runs_out_of_time_leaves_what_there_is_and_a_hang_is_a_timeout(
    measured, monkeypatch, calls
):
    launches, asked = measured(theta=0.05)
    usual = comparison.run_process

    def run_process(*arguments, **more):
        if len(asked) == 3:
            raise WorkerTimeout("ran out of time during samples")
        return usual(*arguments, **more)

    monkeypatch.setattr(comparison, "run_process", run_process)
    one = replace(job(), verified_seconds=calls)
    if not calls:
        with pytest.raises(WorkerTimeout):
            measure(one, PLAIN, launches, quiet)
        return
    found = measure(one, IN_TURN, launches, quiet)
    assert found.launches == 3 and found.out_of_budget and verdict_of(found, "optimized").verdict == "indicative"


@pytest.mark.parametrize(("ready", "processes"), [(4.0, 16), (6.0, 8)])
def test_if_it_takes_long_to_get_ready_a_launch_has_one_process_too(measured, monkeypatch, ready, processes):
    launches, asked = measured(theta=0.05)
    usual = comparison.run_process

    def slow_to_begin(*arguments, **more):
        found = usual(*arguments, **more)
        found.ready_seconds, found.room = ready, 1.0
        return found

    monkeypatch.setattr(comparison, "run_process", slow_to_begin)
    found = measure(job(), PLAIN, launches, quiet)
    assert (found.launches, len(asked)) == (8, processes) and verdict_of(found, "optimized").verdict == "faster"
    if processes == 8:
        assert asked[0].slot == -asked[1].slot == asked[2].slot
        assert [one.number for one in asked if one.isolation] == [1, 2, 3, 4], "the first was not known to be slow"


@pytest.mark.parametrize("effort", ["quick", "final"])
def test_other_efforts_have_their_processes_however_long_calls_take(measured, effort):
    launches, asked = measured(theta=0.05)
    measure(replace(job(effort), verified_seconds=SLOW), PLAIN, launches, quiet)
    assert len(asked) == {"quick": 10, "final": 40}[effort]


@pytest.mark.parametrize(("seconds", "room", "rung"), [(0.4, 9, PLAIN), (2.0, 9, IN_TURN), (2.0, 1.5, PLAIN)])
def test_sides_with_slow_calls_have_processes_of_their_own_if_there_is_memory(seconds, room, rung):
    calls = {"baseline": seconds / 2, "optimized": seconds / 2}
    one = replace(job(), verified_seconds=calls, room=room)
    assert arrangement(one, SimpleNamespace(apart=False)) == rung


def test_a_check_that_fails_ends_it(measured, monkeypatch):
    launches, asked = measured(theta=0.05)
    usual = comparison.run_process

    def failing(*arguments, **more):
        found = usual(*arguments, **more)
        found.checks = [Check(name="timed outputs", result="fail" if len(asked) == 5 else "pass", detail="")]
        return found

    monkeypatch.setattr(comparison, "run_process", failing)
    found = measure(job(), PLAIN, launches, quiet)
    assert found.failed and len(asked) == 5


def test_the_plan_is_told_once_and_progress_after_every_couple(measured):
    said = []
    launches, _ = measured(theta=0.05)
    measure(job(), PLAIN, launches, lambda *progress, **extra: said.append((*progress, extra)))
    lines = [extra["line"] for *_, extra in said if "line" in extra]
    assert len(lines) == 1 and "standard effort, about" in lines[0]
    phase, _, _, extra = [one for one in said if "line" not in one[-1]][-1]
    assert "8 of 8" in phase and "1.051x so far" in phase and abs(math.log(extra["ratio"]) - 0.05) < 0.02


def test_the_slots_of_a_couple_exchange_baseline_and_variant_and_the_twin_changes_ends():
    assert creation_order(("optimized",), 1, 0) == ["baseline", "optimized", "twin"]
    assert creation_order(("optimized",), -1, 0) == ["optimized", "baseline", "twin"]
    assert creation_order(("optimized",), 1, 1) == ["twin", "baseline", "optimized"]


# fewer launches than the effort asks for


@pytest.mark.parametrize("theta", [0.0, 0.5])
def test_a_budget_that_ends_early_leaves_a_number_and_no_verdict(measured, theta):
    launches, _ = measured(theta=theta)
    found = measure(job(budget=-1.0), PLAIN, launches, quiet)
    result = verdict_of(found, "optimized")
    assert found.out_of_budget and found.launches == 1
    assert (result.verdict, result.size) == ("indicative", None) and result.ratio == pytest.approx(
        math.exp(theta), 0.01
    )
    assert result.note.startswith("1 of the 8 launches of --effort standard measured: raise --budget or --timeout")


@pytest.mark.parametrize(("launches", "verdict"), [(7, "indicative"), (8, "faster")])
def test_every_launch_that_is_missing_makes_it_indicative(launches, verdict):
    found = Comparison(job(), PLAIN, [record(n, 0, slot, theta=0.5) for n in range(launches) for slot in (1, -1)])
    result = verdict_of(found, "optimized")
    assert result.verdict == verdict and result.low is not None, "its interval is shown all the same"


def test_a_question_that_is_answered_may_end_it_early_with_a_verdict(measured):
    launches, _ = measured(theta=-0.1)
    asked = []

    def answered(units, band):
        asked.append((len(units), band))
        return len(units) >= 9

    found = measure(replace(job("final"), answered=answered), IN_TURN, launches, quiet)
    judged = verdict_of(found, "optimized")
    assert found.launches == judged.launches == 9 and judged.verdict == "slower"
    assert [n for n, _ in asked][:9] == list(range(1, 10)) and all(band > 0 for _, band in asked)


def test_no_answer_gives_a_verdict_below_five_launches(measured):
    launches, _ = measured(theta=-0.1)
    found = measure(replace(job("final"), answered=lambda units, band: len(units) >= 4), IN_TURN, launches, quiet)
    assert found.launches == 4 and verdict_of(found, "optimized").verdict == "indicative"


def test_calls_that_saw_values_again_leave_no_verdict():
    found = Comparison(job(), PLAIN, [record(n, 0, slot, theta=0.5) for n in range(8) for slot in (1, -1)])
    found.records[3].repeated = 0.05
    assert verdict_of(found, "optimized").verdict == "faster"
    found.records[3].repeated = 0.06
    result = verdict_of(found, "optimized")
    assert result.verdict == "indicative"
    assert result.note == "6 % of the calls saw values that had come before: let `inputs` draw from more values"


# totals


def compared(**behaviour):
    variants = behaviour.get("variants", VARIANTS)
    records = [record(number, 0, slot, **behaviour) for number in range(8) for slot in (1, -1)]
    return Comparison(job(variants=variants), PLAIN, records)


def test_a_cost_that_every_twelfth_call_pays_has_its_full_weight_in_the_verdict():
    """A typical call is 1.2 times as fast; all together take 1/1.2 + 6/12 of the baseline's time."""
    result = verdict_of(compared(theta=math.log(1.2), every_twelfth=6.0), "optimized")
    assert result.ratio == pytest.approx(1 / (1 / 1.2 + 6 / 12), rel=0.05)
    assert result.typical == pytest.approx(1.2, rel=0.01)
    assert result.typical_low <= result.typical <= result.typical_high
    assert result.verdict == "unstable" and "typical calls and all calls together disagree" in result.note
    assert "of the samples of optimized take" in result.note


def test_where_both_agree_in_direction_the_total_is_judged_and_both_are_said():
    result = verdict_of(compared(theta=-0.1, every_twelfth=6.0), "optimized")
    assert result.verdict == "slower" and result.ratio < 0.7 < result.typical
    assert "typical call 0.90" in result.note and "8 % of the samples of optimized take" in result.note


def test_the_tail_is_told_of_the_side_that_has_one():
    found = compared(every_twelfth=6.0)
    assert found.tail("optimized").startswith("8 % of the samples of optimized take 37 % of its time")
    assert compared().tail("optimized") == ""


@pytest.mark.parametrize(
    "behaviour",
    [
        dict(theta=0.7),
        dict(theta=0.1, every_twelfth=6.0),
        dict(switch=0.2, theta=0.3),
        dict(noise=0.3, disturbed=0.1),
        dict(slot_effect=0.2),
    ],
    ids=["plain", "a tail", "a switch", "noise", "slots"],
)
def test_the_two_times_divide_to_the_ratio(behaviour):
    result = verdict_of(compared(**behaviour), "optimized")
    assert result.baseline / result.variant == pytest.approx(result.ratio, rel=1e-12)
    assert math.fsum(result.units) / 8 == pytest.approx(math.log(result.ratio), abs=1e-12)
    assert result.baseline == pytest.approx(1e-3, rel=0.2)


def test_each_of_several_variants_has_a_baseline_time_of_its_own_comparison():
    found = compared(variants=("optimized", "optimized_b", "optimized_c"), theta=0.4, noise=0.05)
    results = {kind: verdict_of(found, kind) for kind in found.job.variants}
    for result in results.values():
        assert result.baseline / result.variant == pytest.approx(result.ratio, rel=1e-12)
        assert result.level == pytest.approx(1 - 0.03 / 3)
    assert len({result.baseline for result in results.values()}) == 3


def test_one_launch_has_two_times_that_divide_too(measured):
    launches, _ = measured(theta=0.3, every_twelfth=3.0)
    result = verdict_of(measure(job("quick"), PLAIN, launches, quiet), "optimized")
    assert result.baseline / result.variant == pytest.approx(result.ratio, rel=1e-12)


def test_the_two_times_are_those_of_samples_that_follow_their_own_kind():
    result = verdict_of(compared(switch=0.2, theta=0.3), "optimized")
    assert result.rung == "corrected" and result.ratio == pytest.approx(math.exp(0.3), rel=0.002)
    assert (result.baseline, result.variant) == (
        pytest.approx(1e-3, rel=1e-3),
        pytest.approx(1e-3 / math.exp(0.3), 1e-3),
    )


# what switching does


def test_switching_that_costs_one_side_more_never_makes_a_difference_of_equal_sides():
    for switch in (0.003, 0.03, 0.3):
        result = verdict_of(compared(switch=switch), "optimized")
        assert result.verdict == "same" and result.low <= 1 <= result.high, switch
        assert result.carry_over == pytest.approx(switch, abs=0.005)


@pytest.mark.parametrize("behaviour", [dict(noise=0.03), dict(switch=0.1)], ids=["noise", "a switch"])
def test_every_process_is_corrected_and_their_spread_is_the_interval(behaviour):
    found = compared(**behaviour)
    result, units = verdict_of(found, "optimized"), found.units("optimized")
    judged = interval(units, found.level)
    assert units != found.units("optimized", summarise=process_value)
    assert (result.low, result.high) == (pytest.approx(math.exp(judged.low)), pytest.approx(math.exp(judged.high)))
    assert result.units == pytest.approx(units) and result.rung == "corrected"
    assert found.interval("optimized") == judged, "what is compared with other ways is what is judged"


def test_what_a_side_leaves_for_itself_counts_against_it():
    """After itself the variant takes 5 % longer, after the other side not."""
    result = verdict_of(compared(theta=-0.05, switch=-0.05), "optimized")
    assert result.verdict == "slower" and result.ratio == pytest.approx(math.exp(-0.05), rel=0.005)


def test_slots_are_balanced_out_of_the_ratio_and_shown():
    result = verdict_of(compared(theta=0.02, slot_effect=0.08), "optimized")
    assert result.ratio == pytest.approx(math.exp(0.02), rel=0.002)
    assert result.slot_effect == pytest.approx(0.08, abs=0.003)


# samples that were disturbed


def test_a_fifth_of_disturbed_samples_is_unstable_and_the_busy_machine_is_named():
    found = compared(theta=0.5, disturbed=0.3)
    result = verdict_of(found, "optimized")
    assert found.invalid_share("optimized") == pytest.approx(0.3, abs=0.02)
    assert result.verdict == "unstable" and f"% of the samples were disturbed: {BUSY_LOAD}" in result.note
    assert result.invalid_quads > 0.5 * result.quads, "a quad is left out for one of its four samples"


def test_without_an_undisturbed_sample_the_ratio_by_cpu_time_is_a_hint_in_the_note():
    result = verdict_of(compared(theta=math.log(3), disturbed=1.0), "optimized")
    assert result.verdict == "unstable" and result.ratio is None and result.low is None
    assert "by CPU time" in result.note and "about 3.0" in result.note and "hint" in result.note


def test_few_disturbed_samples_are_left_out_and_change_nothing():
    result = verdict_of(compared(theta=0.5, disturbed=0.05), "optimized")
    assert result.verdict == "faster" and result.ratio == pytest.approx(math.exp(0.5), rel=0.005)
    assert result.invalid_quads > 0


def test_a_machine_is_not_called_busy_for_what_else_disturbed():
    found = compared(theta=0.5, disturbed=0.3)
    for row in (row for record in found.records for row in record.rows if not row["valid"]):
        row["disturbed"] = "page faults"
    assert BUSY_LOAD not in verdict_of(found, "optimized").note


@pytest.mark.parametrize("switch", [0.0, 0.3])
def test_a_side_whose_expensive_calls_are_the_disturbed_ones_is_unstable(switch):
    """One sample in ten is left out, and used ten times the CPU time of the others: twice the total."""
    result = verdict_of(compared(theta=0.5, disturbed=0.1, stolen=10.0, switch=switch), "optimized")
    assert result.verdict == "unstable" and "long calls are disturbed more" in result.note
    assert verdict_of(compared(theta=0.5, disturbed=0.1, switch=switch), "optimized").verdict == "faster"


# a device's clock


def test_a_gain_that_a_higher_clock_explains_is_unstable():
    clocks = {"baseline": 1.0e9, "twin": 1.0e9, "optimized": 1.1e9}
    result = verdict_of(compared(theta=math.log(1.1), clock_hz=clocks), "optimized")
    assert result.verdict == "unstable" and "the sides ran at different clocks: 1.000x in cycles" in result.note
    assert verdict_of(compared(theta=0.5, clock_hz=clocks), "optimized").verdict == "faster"


def test_a_side_without_a_valid_sample_has_no_ratio_in_cycles():
    found = Comparison(job(), PLAIN, [ProcessRecord(0, 0, 1)])
    found.records[0].rows = [
        {"side": "baseline", "clock_hz": 2.0e9, "valid": False, "seconds": 1.0},
        {"side": "optimized", "clock_hz": 1.5e9, "valid": False, "seconds": 1.0},
    ]
    assert found.in_cycles("optimized") is None


# samples of other lengths


def known(call_seconds, device="cpu"):
    """A comparison of eight launches whose sides take so long, in samples of half a millisecond."""
    found = Comparison(replace(job(), device=device), PLAIN)
    for number in range(8):
        for slot in (1, -1):
            one = record(number, 0, slot, theta=math.log(call_seconds["baseline"] / call_seconds["optimized"]))
            one.call_seconds, one.sample_seconds = call_seconds | {"twin": call_seconds["baseline"]}, 0.5e-3
            found.records.append(one)
    return found


def test_an_interval_allows_for_samples_that_begin_cold_if_one_side_has_shorter_ones():
    found = known({"baseline": 4e-3, "optimized": 0.4e-3})
    begun = comparison.BEGIN_SECONDS * (1 / 0.4e-3 - 1 / 4e-3)
    assert found.bias("optimized") == pytest.approx(begun) and 0.01 < begun < 0.03
    plain = interval(found.units("optimized"), found.level)
    judged = verdict_of(found, "optimized")
    assert judged.verdict == "faster"
    assert judged.low == pytest.approx(math.exp(plain.low - begun))
    assert judged.high == pytest.approx(math.exp(plain.high + begun))


@pytest.mark.parametrize("seconds", [3e-6, 40e-6, 0.41e-3, 4e-3])
def test_sides_that_take_about_as_long_lose_nothing_by_it(seconds):
    assert known({"baseline": 1.01 * seconds, "optimized": seconds}).bias("optimized") < 3e-4


def test_short_calls_of_both_sides_fill_samples_of_the_same_length():
    assert known({"baseline": 60e-6, "optimized": 5e-6}).bias("optimized") < 1e-3


def test_a_device_has_a_clock_of_its_own_and_no_such_allowance():
    assert known({"baseline": 4e-3, "optimized": 0.4e-3}, device="cuda").bias("optimized") == 0.0
