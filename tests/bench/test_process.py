"""What one process takes: which samples are disturbed, how many there are and how long, which outputs are checked."""

import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import pytest

from perfproof.bench.job import PLAIN
from perfproof.bench.process import (
    ALONE_SHARE,
    BATCH_QUADS,
    CUT_SAMPLES,
    IDLE_SECONDS,
    IDLE_SHARE,
    LEAST_QUADS,
    LEAST_SAMPLE_SECONDS,
    MOST_PROCESS_SECONDS,
    _affordable_quads,
    _checked_sides,
    _kept_steps,
    _random_length,
    _row,
    _sample,
    _sample_seconds,
    _with_cut_samples,
    as_one,
    batches,
    disturbance,
)
from perfproof.bench.record import ProcessRecord
from perfproof.worker.measure.clocks import call_on_cpu
from perfproof.worker.ranks.barrier import Alone
from perfproof.worker.row import Row
from perfproof.worker.sampler import Sampler
from tests.bench.comparison.recorded import job
from tests.repeating import up_to

US = 1e-6


def row(wall, cpu, *, switches=0, waits=0, foreign=0.0, faults=0, host=None, seconds=None, delayed=None):
    """One sample of a call; `cpu` is that of the thread that made it, `foreign` that of the others."""
    return Row(
        0,
        round(wall * 1e9),
        wall if seconds is None else seconds,
        host,
        switches,
        faults,
        cpu_seconds=cpu,
        foreign_seconds=foreign,
        waits=waits,
        delayed_seconds=delayed,
    )


def disturbed(*arguments, one=None, **more):
    return disturbance(one or job(), row(*arguments, **more), calls=1)


# disturbed samples


def test_a_sample_that_ran_all_the_time_is_valid():
    assert disturbed(250 * US, 249 * US) == ""


@pytest.mark.parametrize("wall", [250 * US, 5e-3, 0.5])
def test_a_sample_that_was_put_aside_by_the_system_is_preempted(wall):
    assert disturbed(wall, 0.9 * wall - 20 * US, switches=1) == "preempted"


def test_time_that_a_host_took_from_a_virtual_machine_leaves_no_switch_and_is_preempted_too():
    assert disturbed(4e-3, 250 * US, switches=0, waits=0) == "preempted"


@pytest.mark.parametrize(("wall", "lost"), [(250 * US, 19 * US), (10e-3, 490 * US)])
def test_an_interrupt_that_takes_less_than_20_us_or_5_per_cent_is_no_disturbance(wall, lost):
    assert disturbed(wall, wall - lost, switches=1) == ""


def test_a_switch_alone_is_no_disturbance():
    assert disturbed(1e-3, 0.999e-3, switches=5) == ""


@pytest.mark.parametrize("waits", [1, 40])
def test_a_body_that_sleeps_or_waits_for_a_file_is_valid(waits):
    assert disturbed(20e-3, 100 * US, waits=waits) == ""


@pytest.mark.parametrize("delayed", [2e-3, None], ids=["by its wait for a core", "no account of it"])
def test_a_body_that_waits_and_was_put_aside_as_well_is_preempted(delayed):
    assert disturbed(20e-3, 100 * US, waits=3, switches=1, delayed=delayed) == "preempted"


@pytest.mark.parametrize("switches", [0, 1, 9])
def test_a_body_that_waits_for_files_and_hardly_for_a_core_is_valid_whoever_else_ran(switches):
    assert disturbed(20e-3, 100 * US, waits=30, switches=switches, delayed=0.3e-3) == ""


def test_a_body_that_never_waits_is_preempted_though_the_account_says_nothing():
    """The host stopped the virtual machine: the guest's scheduler does not count that as waiting."""
    assert disturbed(20e-3, 10e-3, delayed=0.0) == "preempted"


def test_a_body_with_threads_of_its_own_may_wait_for_them():
    assert disturbed(2e-3, 0.1e-3, foreign=1.5e-3, waits=2) == ""
    assert disturbed(2e-3, 0.1e-3, foreign=1.5e-3, switches=2) == "", "threads that share cores put each other aside"


def test_a_burst_of_switches_disturbs_threads_too():
    assert disturbed(2e-3, 1.9e-3, foreign=1.5e-3, switches=4) == ""
    assert disturbed(2e-3, 1.9e-3, foreign=1.5e-3, switches=5) == "preempted"
    assert disturbed(0.2, 0.19, foreign=0.15, switches=100) == ""
    assert disturbed(0.2, 0.19, foreign=0.15, switches=104) == "preempted"


def test_a_gpu_s_sample_is_read_by_events_whatever_the_host_does():
    assert disturbed(2e-3, 0.1e-3, switches=3, host=2.05e-3, seconds=2e-3) == ""


def test_events_that_disagree_with_the_host_disturb_a_gpu_s_sample():
    assert disturbed(9e-3, 0.1e-3, host=9e-3, seconds=2e-3) == "clocks disagree"


def test_a_rank_is_put_aside_by_threads_of_its_backend():
    ranks = replace(job(), rank_cpus=((0,), (1,)))
    assert disturbed(2e-3, 0.1e-3, switches=20, one=ranks) == ""
    assert disturbed(2e-3, 0.1e-3, faults=1, one=ranks) == "page faults"


def test_pages_that_come_from_a_disk_disturb_except_where_files_are_cold_on_purpose():
    assert disturbed(1e-3, 1e-3, faults=1) == "page faults"
    assert disturbed(1e-3, 1e-3, faults=7, one=replace(job(), cold=("path",))) == ""


def test_a_row_says_what_disturbed_it_and_keeps_everything_that_was_read():
    found = _row(
        job(), PLAIN, ProcessRecord(3, 0, -1), ("optimized", "baseline", 1, False), row(4e-3, 1e-3, switches=2)
    )
    assert (found["valid"], found["disturbed"]) == (False, "preempted")
    assert (found["switches"], found["waits"], found["cpu_seconds"], found["foreign_seconds"]) == (2, 0, 1e-3, 0.0)
    assert (found["launch"], found["slot"], found["kind"], found["side"]) == (3, -1, "optimized", "baseline")


# the CPU time that a disturbed sample counts by


def cpu_of(calls=1, **more):
    return _sample(
        _row(job(), PLAIN, ProcessRecord(0, 0, 1), ("optimized", "optimized", calls, False), row(**more))
    ).cpu_seconds


def test_a_sample_is_known_by_the_cpu_time_of_all_threads_per_call():
    assert cpu_of(calls=4, wall=8e-3, cpu=2e-3, switches=1, seconds=2e-3) == pytest.approx(0.5e-3)
    assert cpu_of(calls=2, wall=20e-3, cpu=0.2e-3, foreign=30e-3, switches=40) == pytest.approx(15.1e-3)


def test_clocks_of_threads_that_were_read_apart_give_no_time_below_zero():
    assert cpu_of(wall=2e-3, cpu=0.1e-3, foreign=-0.7e-3, switches=3) == 0.0


def test_a_gpu_s_sample_has_none():
    assert cpu_of(wall=2e-3, cpu=1e-3, host=2e-3) is None


# the same with a real clock


def rows_of(function, samples=20):
    sampler = Sampler(SimpleNamespace(meeting=Alone(), cold=[], sides={}))
    sampler.clock, sampler.pool = call_on_cpu, SimpleNamespace(take_warm=lambda calls: [()] * calls)
    side = SimpleNamespace(name="optimized", function=function, state=())
    return (sampler.sample(side, 1, warm=True) for _ in range(samples))


def disturbances(function):
    return Counter(disturbance(job(), row, 1) for row in rows_of(function))


def spin(seconds=10e-3):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def write_to_disk():
    with tempfile.TemporaryFile(dir=".") as file:
        file.write(b"x" * 4096)
        file.flush()
        os.fsync(file.fileno())


def in_a_child():
    subprocess.run(["true"], check=True)


@contextlib.contextmanager
def on_one_core():
    allowed = os.sched_getaffinity(0)
    core = {min(allowed)}
    os.sched_setaffinity(0, core)
    try:
        yield core
    finally:
        os.sched_setaffinity(0, allowed)


@pytest.fixture
def busy_core():
    """This thread shares its core with two processes that never rest."""
    with on_one_core():
        code = [sys.executable, "-c", "while True: pass"]  # they inherit the core
        busy = [subprocess.Popen(code) for _ in range(2)]
        time.sleep(0.3)
        yield
        for process in busy:
            process.kill()
            process.wait()


@up_to(3)
def test_a_body_on_a_core_that_others_use_is_preempted(busy_core):
    assert disturbances(spin)["preempted"] >= 15


@pytest.mark.parametrize("body", [lambda: time.sleep(0.005), write_to_disk, in_a_child], ids=["sleep", "disk", "child"])
def test_a_body_that_waits_is_disturbed_only_if_it_waited_for_a_core(body, tmp_path, monkeypatch):
    """Many of its samples are on a busy machine, none on a quiet one."""
    monkeypatch.chdir(tmp_path)
    for row in rows_of(body):
        wall, delayed = (row.end_ns - row.start_ns) * 1e-9, row.delayed_seconds
        if delayed is None:
            pytest.skip("the system does not say how long a thread waited for a core")
        if row.foreign_seconds > ALONE_SHARE * wall:
            continue  # what other threads and children compute hides whether it waited
        expected = "preempted" if delayed > max(IDLE_SHARE * wall, IDLE_SECONDS) else ""
        assert disturbance(job(), row._replace(faults=0), 1) == expected, row


@up_to(3)
def test_a_body_with_a_pool_of_threads_is_not_called_disturbed():
    with ThreadPoolExecutor(2) as pool:
        found = disturbances(lambda: list(pool.map(spin, [0.003] * 4)))
    assert found[""] >= 12


# how long and how many


def recorded(call_seconds, draw_seconds=0.0):
    found = ProcessRecord(0, 0, 1, draw_seconds=draw_seconds)
    found.call_seconds = dict(call_seconds)
    found.sample_seconds = _sample_seconds(job(), found)
    return found


def test_the_length_of_a_sample_is_random_around_the_usual_one():
    rng = random.Random(1)
    lengths = Counter(_random_length(250e-6, 12.5e-6, rng, single=False) for _ in range(4000))
    assert set(lengths) == set(range(15, 26))
    assert sum(length * count for length, count in lengths.items()) / 4000 == pytest.approx(20, rel=0.02)


def quads_of(count, calls=(20, 40)):
    """Samples of so many quads, as a plan has them."""
    order = ("baseline", "optimized", "optimized", "baseline")
    return [("optimized", side, calls[side == "optimized"], False) for _ in range(count) for side in order]


def test_samples_that_are_not_judged_end_after_any_call_and_are_checked():
    ends = {"baseline": Counter(), "optimized": Counter()}
    for seed in range(400):
        mixed = _with_cut_samples(quads_of(10), random.Random(seed), ["baseline", "optimized"])
        assert [step for step, judged in mixed if judged] == quads_of(10), "quads stay whole and in order"
        places = [at for at, (_, judged) in enumerate(mixed) if judged]
        assert all(places[at + 3] - places[at] == 3 for at in range(0, 40, 4)), "they stand between the quads"
        cut = [step for step, judged in mixed if not judged]
        assert Counter(side for _, side, _, _ in cut) == dict.fromkeys(ends, CUT_SAMPLES) and all(one[3] for one in cut)
        for _, side, calls, _ in cut:
            ends[side][calls] += 1
    assert set(ends["baseline"]) == set(range(1, 21)) and set(ends["optimized"]) == set(range(1, 41))


def test_small_batches_have_as_many_cut_samples_per_quad_as_large_ones():
    cut = [len(_with_cut_samples(quads_of(2), random.Random(seed), ["baseline"])) - 8 for seed in range(2000)]
    assert sum(cut) / 2000 == pytest.approx(CUT_SAMPLES / 5, rel=0.15)


def test_a_call_that_is_a_sample_of_its_own_has_no_other_end():
    mixed = _with_cut_samples(quads_of(10, calls=(1, 5)), random.Random(1), ["baseline", "optimized"])
    assert {step[1] for step, judged in mixed if not judged} == {"optimized"}


@pytest.mark.parametrize("most_sets", [80, 200, 10**6])
def test_a_batch_is_whole_quads_and_no_side_of_it_needs_more_sets_than_are_held(most_sets):
    samples = quads_of(95)
    found = batches(samples, most_sets)
    assert [one for part in found for one in part] == samples
    assert all(len(part) % 4 == 0 and len(part) <= 4 * BATCH_QUADS for part in found)
    assert all(sum(calls for _, side, calls, _ in part if side == "optimized") <= most_sets for part in found)
    assert len(found) == {80: 95, 200: 48, 10**6: 3}[most_sets]


def test_a_quad_that_needs_more_sets_than_are_held_is_a_batch_of_its_own():
    assert [len(part) for part in batches(quads_of(3), most_sets=5)] == [4, 4, 4]


@pytest.mark.parametrize(("call_seconds", "single"), [(200e-6, False), (1.0, False), (1e-6, True)])
def test_a_long_call_and_a_cold_one_are_samples_of_their_own(call_seconds, single):
    assert {_random_length(250e-6, call_seconds, random.Random(1), single) for _ in range(50)} == {1}


def test_outputs_of_the_first_the_last_and_a_random_sample_of_each_side_are_kept():
    sides = ["baseline", "optimized", "optimized", "baseline"] * 10
    seen = Counter()
    for seed in range(200):
        kept = _kept_steps(sides, random.Random(seed), ["baseline", "optimized"], few=False)
        assert {0, 1, 38, 39} <= kept and len(kept) <= 6
        seen.update(kept - {0, 1, 38, 39})
    assert len(seen) == 36, "any other may be the random one"


def test_only_outputs_of_sides_that_are_checked_are_kept_and_one_of_each_where_memory_is_tight():
    sides = ["baseline", "optimized", "optimized", "baseline"] * 10
    own = {at for at, side in enumerate(sides) if side == "optimized"}
    assert _kept_steps(sides, random.Random(1), ["optimized"], few=False) <= own
    found = {frozenset(_kept_steps(sides, random.Random(seed), ["optimized"], few=True)) for seed in range(400)}
    assert set().union(*found) == own and all(len(one) == 1 for one in found)


def test_samples_get_shorter_where_drawing_takes_longer_than_calling():
    usual = job().sample_seconds
    assert recorded({"baseline": 1e-3, "optimized": 1e-4}, draw_seconds=1e-5).sample_seconds == usual
    assert recorded({"baseline": 1e-3, "optimized": 1e-4}, draw_seconds=2e-4).sample_seconds == pytest.approx(usual / 2)
    assert recorded({"baseline": 1e-6, "optimized": 1e-7}, draw_seconds=1.0).sample_seconds == LEAST_SAMPLE_SECONDS
    on_gpu = replace(job(), device="cuda:0")
    assert _sample_seconds(on_gpu, with_room_for(10**6)) == 1e-3


def with_room_for(sets):
    record = ProcessRecord(0, 0, 1, call_seconds={"baseline": 2e-5, "optimized": 1e-5}, draw_seconds=1.0)
    record.pool = {"most_sets": sets}
    return record


@pytest.mark.parametrize("sets", [20, 60, 200, 10**6])
def test_the_values_of_a_quad_fit_into_the_memory_of_a_gpu(sets):
    on_gpu, record = replace(job(), device="cuda:0"), with_room_for(sets)
    record.sample_seconds = _sample_seconds(on_gpu, record)
    assert LEAST_SAMPLE_SECONDS <= record.sample_seconds <= on_gpu.sample_seconds
    for seed in range(50):
        rng = random.Random(seed)
        lengths = [_random_length(record.sample_seconds, 1e-5, rng, single=False) for _ in range(2)]
        cut = [rng.randint(1, max(lengths)) for _ in range(CUT_SAMPLES)]
        assert sum(lengths) + sum(cut) <= sets or record.sample_seconds == LEAST_SAMPLE_SECONDS


@pytest.mark.parametrize("effort", ["quick", "standard", "final"])
@pytest.mark.parametrize(("call", "draw"), [(1e-6, 1e-7), (1e-6, 1e-3), (1e-3, 1e-4), (0.02, 0.1)])
def test_a_process_takes_no_longer_than_its_effort_allows_and_never_fewer_quads_than_are_needed(effort, call, draw):
    one, found = job(effort), recorded({"baseline": call, "optimized": call / 2}, draw)
    quads = _affordable_quads(one, found)
    a_quad = 4 * max(call, found.sample_seconds) + 2 * max(1.0, found.sample_seconds / (call / 2)) * draw
    assert LEAST_QUADS <= quads <= one.effort.most_quads
    assert quads == LEAST_QUADS or quads * a_quad <= MOST_PROCESS_SECONDS[effort]


@pytest.mark.parametrize(("draw", "quads"), [(0.25, 5), (0.5, 2), (5.0, 1)])
def test_where_drawing_takes_long_there_are_fewer_quads(draw, quads):
    found = recorded({"baseline": 0.02, "optimized": 0.02}, draw)
    assert not found.is_long and _affordable_quads(job(), found) == quads
    assert _affordable_quads(replace(job(), device="cuda:0"), found) == max(1, quads // 2)


def test_every_variant_has_its_quads():
    one = job(variants=("optimized", "optimized_b", "optimized_c"))
    slow = recorded(dict.fromkeys(("baseline", *one.variants), 3.0))
    assert _affordable_quads(one, slow) == 3
    assert _affordable_quads(one, recorded(dict.fromkeys(("baseline", *one.variants), 0.02))) == 3 * LEAST_QUADS


@pytest.mark.parametrize(("seconds", "quads"), [(0.26, 2), (0.5, 1), (3.0, 1), (60.0, 1)])
def test_of_long_calls_there_are_a_few_seconds_and_one_quad_at_least(seconds, quads):
    found = recorded({"baseline": seconds, "optimized": seconds / 2})
    assert found.is_long and _affordable_quads(job(), found) == quads


def test_where_calls_take_seconds_each_side_is_checked_in_the_first_process_and_in_one_that_is_drawn():
    sides, places = ["optimized", "baseline"], set()
    for seed in range(60):
        slow = replace(job(), seed=str(seed), verified_seconds=dict.fromkeys(sides, 1.0))
        first = ProcessRecord(0, 0, 1, call_seconds=dict.fromkeys(sides, 1.0))
        checked = {0: _checked_sides(slow, first, None, sides)}
        for number in range(1, 8):
            checked[number] = _checked_sides(slow, replace(first, launch=number), first, sides)
        found = Counter(side for number, own in checked.items() if number for side in own)
        assert checked[0] == sides and found == {"optimized": 1, "baseline": 1}
        places.add(next(number for number, own in checked.items() if number and "optimized" in own))
    assert places == set(range(1, 8)), "no process is left out for certain"


def test_where_calls_are_long_each_process_checks_one_side_in_its_turn():
    sides = ["optimized", "baseline"]
    long = ProcessRecord(0, 0, 1, call_seconds=dict.fromkeys(sides, 0.2))
    turns = [_checked_sides(job(), replace(long, launch=n, slot=s), long, sides) for n in range(2) for s in (1, -1)]
    assert turns == [["optimized"], ["baseline"]] * 2
    short = ProcessRecord(0, 0, 1, call_seconds=dict.fromkeys(sides, 1e-3))
    assert _checked_sides(job(), short, short, sides) == sides


def test_sides_that_take_about_as_long_get_samples_of_as_many_calls():
    found = as_one({"baseline": 48e-6, "optimized": 45e-6, "twin": 55e-6, "optimized_fast": 20e-6})
    assert found == {"baseline": 48e-6, "optimized": 48e-6, "twin": 48e-6, "optimized_fast": 20e-6}
