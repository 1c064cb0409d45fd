"""Two saved runs: real ones recorded here, and built ones for what real ones rarely show."""

import math
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from perfproof.core.documents import Kernel, VariantResult, Warning
from perfproof.core.errors import NothingMatched, UsageError
from perfproof.history.causes import causes, causes_of_runs
from perfproof.history.comparison import Saved, compare_runs, unanswered
from perfproof.history.folders import load_run
from tests.history.measured_runs import EARLIER, LATER, judged, run, started, target, weighed, write_samples

NOWHERE = Path("nowhere")


def compared(a, b, judge="speed-up", canary=None, across=False):
    return compare_runs(Saved(a, NOWHERE), Saved(b, NOWHERE), judge, canary, across)


def real(judge="speed-up"):
    return compare_runs(Saved(load_run(EARLIER), EARLIER), Saved(load_run(LATER), LATER), judge, None, False)


def test_the_planted_loss_of_a_real_run_is_marked_with_its_cause():
    body, steady = real().rows
    assert body.speed_up.ratio == pytest.approx(1.64 / 1.97, abs=0.01) and body.speed_up.high < 0.9
    assert body.marked and body.worse and "source changed" in body.causes[0]
    assert any(cause.startswith("commit ") for cause in body.causes)
    assert not steady.marked and not steady.worse and steady.speed_up.low < 1 < steady.speed_up.high


def test_times_of_real_runs_have_intervals_over_processes():
    body, _ = real("time").rows
    a, b = (load_run(folder).targets[0].variants["optimized"].times["call"] for folder in (EARLIER, LATER))
    assert body.time.low < body.time.ratio < body.time.high
    assert body.time.low < a / b < body.time.high


def test_both_geometric_means_of_real_runs_are_named():
    found = real()
    suite, population = found.means
    assert (suite.name, population.name) == ("this suite", "a workload like these")
    changes = [math.log(row.speed_up.ratio) for row in found.rows]
    assert math.log(suite.ratio) == pytest.approx(sum(changes) / 2) and suite.low < suite.ratio < suite.high
    assert population.low is None and found.shared is None and found.withheld == ""


def test_without_samples_a_time_has_no_interval_and_says_why(tmp_path):
    shutil.copy(EARLIER / "run.json", tmp_path)
    found = compare_runs(Saved(load_run(EARLIER), tmp_path), Saved(load_run(LATER), LATER), "time", None, False)
    assert found.rows[0].time.low is None and "no samples" in found.rows[0].time.why_no_interval
    assert found.withheld == "2 of 2 rows have no interval"


def test_machines_that_differ_are_refused_with_the_fields():
    other = run(target(), day=2, machine={"fingerprint": "e" * 16, "driver": "570.86"})
    with pytest.raises(UsageError, match=r"driver: 550.54 -> 570.86.*--across"):
        compared(run(target()), other)
    found = compared(run(target()), other, across=True)
    assert found.differing == ["driver: 550.54 -> 570.86"] and found.rows[0].time is None and found.rows[0].speed_up
    with pytest.raises(UsageError, match="cannot be judged"):
        compared(run(target()), other, "time", across=True)
    with pytest.raises(UsageError, match="does not say what machine"):
        compared(run(target()), run(target(), day=2, machine={"fingerprint": None}))
    with pytest.raises(UsageError, match="with itself"):
        compared(run(target()), run(target()))


def test_rows_that_failed_stay_in_the_count_and_withhold_the_mean():
    a = run(target(), target("x"), target("gone"), target("gpu", status="skipped"), day=1)
    b = run(target(), target("x", status="crashed"), target("gpu", status="skipped"), day=2)
    found = compared(a, b)
    assert [row.state for row in found.rows] == ["compared", "failed", "missing", "skipped"]
    assert found.means == [] and found.withheld == "2 of 3 rows have no interval"


def test_other_work_is_not_compared():
    (row,) = compared(run(target()), run(target(sizes={"elements": 3}), day=2)).rows
    assert row.state == "other work" and "elements" in row.reason
    memory = target(ratios={"optimized": judged(claim="memory", clock="allocator")})
    assert compared(run(target()), run(memory, day=2)).rows[0].state == "other work"
    more = target(ratios={"optimized": judged(), "optimized_b": judged()})
    assert [row.state for row in compared(run(target()), run(more, day=2)).rows] == ["compared", "missing"]


def test_runs_without_a_common_target_are_refused():
    with pytest.raises(NothingMatched, match="no target in common"):
        compared(run(target("one")), run(target("two"), day=2))


def test_an_unstable_ratio_has_no_interval():
    unstable = target(ratios={"optimized": judged(verdict="unstable")})
    (row,) = compared(run(target()), run(unstable, day=2)).rows
    assert row.speed_up.low is None and "unstable" in row.speed_up.why_no_interval and not row.marked


def test_one_of_many_small_differences_is_marked_but_fails_no_gate():
    """A loss that one comparison would confirm does not survive Holm among sixty."""
    names = [f"t{number}" for number in range(60)]
    loss = 1.9825
    alone = compared(run(target("t0")), run(target("t0", ratio=loss), day=2)).rows[0]
    many = compared(
        run(*map(target, names)), run(*(target(name, loss if name == "t0" else 2.0) for name in names), day=2)
    ).rows[0]
    assert alone.worse and not many.worse


def test_the_canary_says_what_all_targets_share():
    a = run(target(), target("y"), target("canary"), day=1)
    b = run(target(ratio=2.1), target("y", ratio=2.1), target("canary", ratio=2.1), day=2)
    plain, held = compared(a, b), compared(a, b, canary="canary")
    assert held.shared == pytest.approx(math.log(2.1 / 2.0), abs=0.001)
    assert plain.means[0].low > 1 > held.means[0].low
    with pytest.raises(UsageError, match="choose another"):
        compared(a, b, canary="nobody")


def timed(folder, seconds, day):
    """A run whose targets take these seconds a call, with its samples: name -> seconds of the variant."""
    for name, value in seconds.items():
        write_samples(folder, name, 2 * value)
    return Saved(run(*(target(name, seconds=2 * value) for name, value in seconds.items()), day=day), folder)


def timed_twice(folder, later, canary=None):
    """Times of 1 ms in A; in B what `later` says: name -> how many times as long."""
    a = timed(folder / "a", dict.fromkeys(later, 1e-3), 1)
    b = timed(folder / "b", {name: 1e-3 * longer for name, longer in later.items()}, 2)
    return compare_runs(a, b, "time", canary, False)


def test_a_host_that_is_slower_makes_no_row_worse_where_the_canary_shows_it(tmp_path):
    found = timed_twice(tmp_path, {"x": 1.05, "y": 1.05, "canary": 1.05}, canary="canary")
    assert found.shared == pytest.approx(math.log(1.05), abs=0.001)
    assert not any(row.worse or row.marked for row in found.rows) and unanswered(found) == []
    assert all(row.time.low < 1 < row.time.high and row.time.p_worse > 0.05 for row in found.rows)


def test_a_loss_beyond_what_the_canary_shows_is_a_loss_and_the_canary_is_never_marked(tmp_path):
    found = timed_twice(tmp_path, {"x": 1.5, "y": 1.05, "canary": 1.05}, canary="canary")
    assert [row.worse for row in found.rows] == [True, False, False] and not found.rows[2].marked
    moved = timed_twice(tmp_path / "still", {"x": 1.0, "canary": 1.05}, canary="canary")
    assert not any(row.worse or row.marked for row in moved.rows)


def test_without_a_canary_times_of_two_days_differ_by_what_days_differ(tmp_path):
    found = timed_twice(tmp_path, {"x": 1.02, "y": 1.1})
    assert found.shared is None and [row.worse for row in found.rows] == [False, True]
    assert found.rows[0].time.error == pytest.approx(math.hypot(math.sqrt(2) * 0.01, math.sqrt(2) * 0.001), abs=3e-4)


def test_what_is_shared_is_in_the_mean_once(tmp_path):
    found = timed_twice(tmp_path, {"x": 1.05, "canary": 1.05}, canary="canary")
    (row, _), suite = found.rows, found.means[0]
    assert (suite.low, suite.high) == pytest.approx((row.time.low, row.time.high))


def test_start_ups_that_did_not_change_are_seldom_worse():
    """300 pairs of runs with 5 % noise a start: about 5 % have a p below 5 %, not half of them."""
    chance = Random(5)

    def day(number):
        sides = ([math.exp(chance.gauss(0, 0.05)) for _ in range(10)] for _ in range(2))
        return run(target(ratios={"optimized": started(*sides)}), day=number)

    changes = [compared(day(1), day(2)).rows[0].speed_up for _ in range(300)]
    assert sum(change.p_worse < 0.05 for change in changes) <= 24
    assert sum(change.low < 1 < change.high for change in changes) >= 279


def test_memory_that_every_process_agrees_on_is_compared_exactly_whatever_the_canary_does():
    before, after = (weighed([10**6] * 3, [peak] * 3) for peak in (500_000, 510_000))
    a = run(target(ratios={"optimized": before}), target("canary"), day=1)
    b = run(target(ratios={"optimized": after}), target("canary", ratio=2.5), day=2)
    row, canary = compared(a, b, canary="canary").rows
    assert row.worse and row.speed_up.p_worse == 0 and not canary.marked


def test_what_could_not_be_judged_is_no_answer():
    names = ("steady", "unstable", "short", "rare", "nothing")
    a = run(*map(target, names), target("canary"), day=1)
    few = judged().model_copy(update={"units": [0.7, 0.7]})
    b = run(
        target("steady"),
        target("unstable", ratios={"optimized": judged(verdict="unstable")}),
        target("short", ratios={"optimized": few}),
        target("rare", status="crashed"),
        target("nothing", ratios={"optimized": judged().model_copy(update={"ratio": None})}),
        target("canary"),
        day=2,
    )
    assert [row.target for row in unanswered(compared(a, b))] == ["unstable", "short", "nothing"]
    times = [row.target for row in unanswered(compared(a, b, "time"))]
    assert times == ["steady", "unstable", "short", "nothing", "canary"]


def on_gpu(seconds, clock, kernels, **fields):
    side = VariantResult(
        times={"call": seconds},
        clock_hz=clock,
        kernels=[Kernel(name=name, count=n, seconds=1e-6) for name, n in kernels],
    )
    return target(seconds=seconds, variants={"baseline": side, "optimized": side}, **fields)


def test_a_slower_clock_is_told_from_more_cycles():
    before, slower_clock = on_gpu(1e-3, 2.0e9, [("k", 1)]), on_gpu(1.25e-3, 1.6e9, [("k", 1)])
    found = causes(before, slower_clock, "optimized")
    assert found[:2] == ["optimized: clock 2000 -> 1600 MHz", "optimized: cycles unchanged"]
    more_cycles = on_gpu(1.25e-3, 2.0e9, [("k", 1)])
    assert causes(before, more_cycles, "optimized")[0] == "optimized: cycles 0.80x"


def test_kernels_bytes_and_power_that_changed_are_named():
    watts = [
        {"median": {"gpu0.power_watts": value}, "power_limited": {"gpu0": share}}
        for value, share in ((400, 0), (650, 0.9))
    ]
    before = on_gpu(1e-3, 2e9, [("old", 1), ("both", 2)], cost={"bytes": 8.0}, telemetry=watts[0])
    after = on_gpu(1e-3, 2e9, [("new", 1), ("both", 3)], cost={"bytes": 9.0}, telemetry=watts[1])
    found = "; ".join(causes(before, after, "optimized"))
    assert "kernels changed: -old, +new, both 2 -> 3 a call" in found
    assert "bytes changed: bytes 8.0 -> 9.0" in found
    assert "power 400 -> 650 W" in found and "power limit 0 % -> 90 %" in found


def test_two_rulers_are_named():
    before, after = target(), target(ratios={"optimized": judged(rung="stay")}, primed=True)
    assert causes(before, after, "optimized") == [
        "measured in another way: plain -> stay",
        "the device's queue was held in one of the two only",
    ]
    older = target(ratios={"optimized": judged(seconds=None, rung="lead-in")})
    assert causes(older, before, "optimized") == [
        "measured in another way: lead-in -> plain",
        "the ratio is of all calls together in one run, of typical calls in the other",
    ]
    assert causes_of_runs(run(target()), run(target(), options={"threads": 4})) == ["threads None -> 4"]
    assert causes(before, before, "optimized") == []


def commit(folder, message):
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
    subprocess.run(["git", "-C", folder, "add", "."], check=True)
    subprocess.run(["git", "-C", folder, *identity, "commit", "-q", "-m", message], check=True)
    shown = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return shown.stdout.strip()


PAIR = "import helper\n\n\ndef baseline(x):\n    return helper.f(x)\n\n\ndef optimized(x):\n    return x\n"


def test_only_files_that_changed_between_the_commits_are_called_changed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "-q"], check=True)
    for name, text in (("body.py", PAIR), ("helper.py", "def f(x): return x\n"), ("unrelated.py", "a = 1\n")):
        Path(name).write_text(text)
    first = commit(tmp_path, "first")
    for name in ("helper.py", "unrelated.py"):
        Path(name).write_text("def f(x): return x + 0\n")
    second = commit(tmp_path, "an imported module")
    Path("body.py").write_text(PAIR + "# more\n")
    third = commit(tmp_path, "the pair")
    one, other = (target(source_sha256=letter * 64, path="body.py") for letter in "ab")
    (imported,) = causes(one, other, "optimized", (first, second))
    assert imported == "source changed: not the pair's file, but what it imports: helper.py"
    assert causes(one, other, "optimized", (second, third)) == ["source changed: the pair's file body.py"]
    (unknown,) = causes(one, other, "optimized", None)
    assert unknown.startswith("source changed: the pair's file, or a file of the project")
    told = [side.model_copy(update={"code_sha256": "c" * 64}) for side in (one, other)]
    assert "opening words" in causes(*told, "optimized", (second, third))[0]


PRINTS = Warning(code="W140", text="the two print different things (1 against 2)")


def programs(**fields):
    one = judged().model_copy(update={"rung": "programs"})
    return target(ratios={"optimized": one}, program={"outputs": "different"}, sizes={}, **fields)


def test_times_of_programs_are_not_said_to_lack_samples():
    (row,) = compared(run(programs(samples="s")), run(programs(samples="s"), day=2)).rows
    assert "programs" in row.time.why_no_interval and "no samples" not in row.time.why_no_interval
    (row,) = compared(run(programs(samples=None)), run(programs(samples="s"), day=2)).rows
    assert "no samples" in row.time.why_no_interval


def test_a_wrong_output_of_the_later_run_is_said_and_one_that_may_differ_is_not():
    wrong, right = programs(warnings=[PRINTS]), programs()
    assert compared(run(right), run(wrong, day=2)).rows[0].wrong_output == PRINTS.text
    assert compared(run(wrong), run(right, day=2)).rows[0].wrong_output == ""
    assert compared(run(wrong), run(wrong, day=2)).rows[0].wrong_output == ""
    allowed = run(wrong, day=2, options={"ab": {"output_may_differ": True}})
    assert compared(run(right), allowed).rows[0].wrong_output == ""
