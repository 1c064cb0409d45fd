"""Pairs on two gloo ranks, end to end: what an honest one gets, and that no rank can hang, hide or spoil a result."""

import contextlib
import os
import random
import time
from dataclasses import replace

import psutil

from perfproof.bench import resources
from perfproof.bench.checks import isolation
from perfproof.bench.preparation import make_ready, open_worker
from perfproof.bench.record import ProcessRecord
from perfproof.bench.run import Planned, make_job, run_targets
from perfproof.core.options import EFFORTS, Effort, RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair
from tests.bench.ranks.ranked_pair import RANKED, instead

TINY = Effort("quick", 1, 1, couples=1, quads=5, most_quads=5, seconds=0.01, new_interpreters=False)


def job_of(source, tmp_path, **changes):
    path = tmp_path / "ranked.py"
    path.write_text(source)
    pair = read_pair(path, "ranked", "tests")
    job = make_job(pair, {}, RunOptions(), read_facts("cpu"), "5eed", time.monotonic() + 100)
    return replace(job, **{"effort": TINY, **changes})


def pool_of(launches):
    return [launch for line in launches._lines for launch in line.launches]


def workers_of(launches):
    """What the warm parents have forked, other warm parents aside, and what that has started."""
    own = {launch.pid: psutil.Process(launch.pid) for launch in pool_of(launches) if not launch.ended}
    return [child for parent in own.values() for child in parent.children(recursive=True) if child.pid not in own]


def nothing_is_left(launches):
    deadline = time.monotonic() + 10
    while (left := workers_of(launches)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left == []


def test_an_honest_pair_is_verified_measured_and_judged_by_its_slowest_rank(run_pair, launches):
    result = run_pair(RANKED, effort=TINY)
    assert result.status == "ok", result.reason
    assert result.verdict in ("indicative", "unstable")  # one couple; other work on the two cores disturbs its quads
    assert {check.name for check in result.checks if check.result != "pass"} == {"isolation"}, "one launch"
    ranks = result.ranks
    assert (ranks.count, ranks.backend, ranks.started_by, len(ranks.cpus)) == (2, "gloo", "fork", 2)
    for row in run_pair.samples:
        assert len(row["ranks"]) == 2 and row["seconds"] == max(row["ranks"])
        assert row["skew_ns"] >= 0
        assert row["end_ns"] - row["start_ns"] >= max(row["ranks"]) * row["calls"] * 1e9 * 0.999
    optimized = result.variants["optimized"]
    assert optimized.error.calls_checked % 2 == 0, "every call is checked on both ranks"
    assert optimized.memory.counter.endswith("the largest of 2 ranks")
    assert 0 <= optimized.ranks.spread < 1 and optimized.ranks.straggler in (0, 1)
    assert nothing_is_left(launches)


def test_constants_are_equal_on_all_ranks_and_all_other_values_differ(run_pair):
    watchful = RANKED.replace(
        "    return sum(parts)",
        "    weights, values = [[torch.empty_like(x) for _ in range(2)] for _ in range(2)]\n"
        "    dist.all_gather(weights, weight)\n"
        "    dist.all_gather(values, x)\n"
        "    assert torch.equal(*weights), 'constants differ'\n"
        "    assert not (values[0] == values[1]).any(), 'values are the same'\n"
        "    return sum(parts)",
    )
    result = run_pair(watchful, effort=TINY)
    assert result.status == "ok", result.reason


def test_a_constant_that_depends_on_the_rank_is_refused(run_pair):
    own = RANKED.replace("torch.randn(n), torch.randn(n)", "torch.randn(n), torch.randn(n) + dist.get_rank()")
    result = run_pair(own, effort=TINY)
    assert result.status == "refused"
    assert "a constant argument differs between ranks" in result.reason


def test_a_rank_that_is_killed_is_named_and_takes_the_others_along(run_pair, launches):
    deadly = instead(
        "dist.all_reduce(out)\nif dist.get_rank() == 1: os.kill(os.getpid(), 9)\ndist.barrier()\nreturn out"
    )
    result = run_pair(deadly, effort=TINY)
    assert (result.status, result.ratios) == ("crashed", {})
    assert result.reason.startswith("rank 1 was killed by SIGKILL")
    assert nothing_is_left(launches)


def test_a_rank_that_is_killed_while_it_is_timed_ends_the_target(run_pair, launches):
    later = instead(
        "calls.append(1)\nif len(calls) > 60 and dist.get_rank(): os.kill(os.getpid(), 9)\ndist.all_reduce(out)"
    )
    later = later.replace("def optimized(x, weight):", "calls = []\n\n\ndef optimized(x, weight):").replace(
        "    dist.all_reduce(out)\n\n\ndef cost", "    dist.all_reduce(out)\n    return out\n\n\ndef cost"
    )
    result = run_pair(later, effort=TINY)
    assert result.status == "crashed" and result.reason.startswith("rank 1 was killed by SIGKILL"), result.reason
    assert {"matches the reference at timed sizes"} <= {check.name for check in result.checks}, "it died later"
    assert nothing_is_left(launches)


def test_a_rank_that_hangs_runs_out_of_the_target_s_time(run_pair, launches):
    result = run_pair(instead("if dist.get_rank() == 1: time.sleep(1000)\nreturn out"), effort=TINY, timeout=6)
    assert result.status == "timeout"
    assert "the others waited for rank 1" in result.reason and "--timeout gives it longer" in result.reason
    assert nothing_is_left(launches)


def test_a_rank_that_skips_a_collective_leaves_the_other_waiting_and_that_is_said(run_pair, launches):
    result = run_pair(instead("if dist.get_rank() == 0: dist.all_reduce(out)\nreturn out"), effort=TINY, timeout=6)
    assert result.status == "timeout"
    assert "rank 0, which hangs or is in a collective that not every rank calls" in result.reason
    assert nothing_is_left(launches)


def test_an_exception_is_said_of_the_rank_that_raised_it(run_pair):
    one = run_pair(instead("if dist.get_rank() == 1: raise ValueError('no')\ndist.all_reduce(out)"), effort=TINY)
    assert one.status == "crashed" and one.reason.startswith("rank 1: ValueError: no (")
    both = run_pair(instead("raise ValueError('no')"), effort=TINY)
    assert both.status == "crashed" and both.reason.startswith("ValueError: no (")


def test_unequal_work_is_seen_and_its_rank_named(run_pair):
    result = run_pair(
        instead("dist.all_reduce(out)\nif dist.get_rank() == 1: time.sleep(0.02)\nreturn out"), effort=TINY
    )
    assert result.status == "ok", result.reason
    uneven = result.variants["optimized"].ranks
    assert uneven.straggler == 1 and uneven.straggler_share > 0.8 and uneven.spread > 0.2
    assert any(said.code == "W130" and "optimized" in said.text and "rank 1" in said.text for said in result.warnings)


def test_a_side_that_ends_the_process_group_is_rejected(run_pair):
    result = run_pair(instead("dist.all_reduce(out)\ndist.destroy_process_group()\nreturn out"), effort=TINY)
    assert result.status == "rejected"
    assert "process group of torch.distributed" in result.reason


def test_torchrun_starts_the_ranks_at_final_effort(run_pair, launches):
    seen = instead(
        "dist.all_reduce(out)\nassert 'TORCHELASTIC_RUN_ID' in os.environ or not timed()\nreturn out"
    ).replace(
        "def optimized(x, weight):",
        "calls = []\n\n\ndef timed():\n    calls.append(1)\n    return len(calls) > 20\n\n\ndef optimized(x, weight):",
    )  # the verification and the memory are of forked ranks, with fewer calls
    before = set(psutil.Process().children(recursive=True))
    final = replace(TINY, name="final", new_interpreters=True)
    result = run_pair(seen, effort=final)
    assert result.status == "ok", (result.reason, result.output_tail)
    assert result.ranks.started_by == "torchrun" and result.ratios["optimized"].rung == "in-turn-corrected"
    assert {len(row["ranks"]) for row in run_pair.samples} == {2}
    _, alive = psutil.wait_procs(set(psutil.Process().children(recursive=True)) - before, timeout=5)
    warm = {launch.process.pid for launch in pool_of(launches)}
    assert [process for process in alive if process.pid not in warm] == []


def test_a_startup_claim_is_of_ranks_of_their_own(launches, tmp_path):
    slow = RANKED.replace(
        "def baseline(x, weight):",
        "def prepare_baseline(x, weight):\n    time.sleep(0.4 * dist.get_rank())\n\n\ndef baseline(_, x, weight):",
    )
    job = job_of(slow, tmp_path)
    assert resources._start_once(job, launches.get(0), "baseline", 0) > 0.4, "the slowest rank's"


def test_the_baseline_alone_is_held_against_the_mixed_one_on_ranks_too(launches, tmp_path, monkeypatch):
    monkeypatch.setattr(isolation, "LEAST_QUADS", 2)
    monkeypatch.setattr(isolation, "QUADS", 2)
    job, record, rng = job_of(RANKED, tmp_path), ProcessRecord(0, 0, 1), random.Random(1)
    with contextlib.ExitStack() as stack:
        mixed = open_worker(job, launches.get(0), ["baseline", "optimized"], stack)
        make_ready(job, dict.fromkeys(("baseline", "optimized"), mixed), rng, record)
        clean = open_worker(job, launches.get(0), ["baseline"], stack)
        make_ready(job, {"baseline": clean}, rng, ProcessRecord(0, 0, 1))
        ratio = isolation.clean_against_mixed(job, clean, mixed, record, rng)
    assert abs(ratio) < 5


def test_closing_early_ends_every_rank_and_leaves_no_file(launches, tmp_path):
    with contextlib.ExitStack() as stack:
        worker = open_worker(job_of(RANKED, tmp_path), launches.get(0), ["baseline"], stack)
        assert len(workers_of(launches)) == 2
        assert not os.path.exists(worker._path), "the ranks have opened it: nobody else needs its name"
    assert nothing_is_left(launches)


def test_a_pair_on_ranks_needs_as_many_places_as_it_has_ranks(tmp_path):
    three = job_of(RANKED.replace("ranks = 2", "ranks = 3"), tmp_path)
    assert three.ranks == len(three.rank_cpus) == 3
    assert job_of(RANKED.replace("ranks = 2", "ranks = 1"), tmp_path).rank_cpus == ()


def test_a_pair_runs_on_another_number_of_ranks_and_its_functions_know_it(warm_bench, tmp_path, monkeypatch):
    monkeypatch.setitem(EFFORTS, "quick", TINY)
    path = tmp_path / "ranked.py"
    path.write_text(RANKED.replace("return dict(predicted_optimized=4.0)", "return dict(predicted_optimized=ranks)"))
    planned = [Planned(read_pair(path, "ranked", "tests"), {"ranks": 3})]
    options = RunOptions(effort="quick", telemetry=False)
    (done,) = run_targets(planned, options, read_facts("cpu"), "5eed", lambda news: None)
    assert done.result.status == "ok", done.result.reason
    assert (done.result.ranks.count, done.result.cost) == (3, {"predicted_optimized": 3.0})
    assert "ranks" not in done.result.sizes
    assert any("ranks=3" in warning.text for warning in done.result.warnings)
