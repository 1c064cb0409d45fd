"""Each form of the suggested next step is executed as it stands."""

import re
import tomllib
from pathlib import Path

import pytest

from perfproof.bench import run as bench
from perfproof.core.documents import RatioResult, Warning
from perfproof.core.warnings import warn
from perfproof.history.folders import list_runs
from perfproof.machine import preflight
from tests.cli.conftest import finished, next_words

SHORT = RatioResult(verdict="indicative", ratio=1.03, note="1 of 8 launches: raise --budget")
OPEN = RatioResult(verdict="inconclusive", ratio=1.01, low=0.99, high=1.03, baseline=1e-3, variant=1e-3)
ENDED = [Warning(code="W118", text="the budget ended")]


def last(done):
    return done.out.splitlines()[-1]


@pytest.fixture
def results(monkeypatch):
    """What the bench hands over for a target, by its name: keyword arguments of `finished`."""
    made = {}

    def run_targets(planned, *_):
        for plan in planned:
            yield finished(plan, **made.get(plan.pair.name, {}))

    monkeypatch.setattr(bench, "run_targets", run_targets)
    return made


def test_after_success_the_report(perfproof, pair_files, results):
    done = perfproof("run", *pair_files("a"))
    assert "report run" in last(done) and perfproof(*next_words(done.out)).code == 0
    assert (list_runs("artifacts")[-1] / "report.html").is_file()


def test_after_success_elsewhere_the_report_of_there(perfproof, pair_files, results):
    done = perfproof("run", *pair_files("a"), "--artifacts-dir", "my runs")
    assert perfproof(*next_words(done.out)).code == 0 and (list_runs("my runs")[-1] / "report.html").is_file()


def test_the_notes_are_shown_by_the_command_that_counts_them(perfproof, pair_files, results):
    results["a"] = {"warnings": [Warning(code="W105", text="one launch only")]}
    done = perfproof("run", *pair_files("a"))
    (line,) = [line for line in done.out.splitlines() if " note" in line]
    assert "W105" not in done.out
    assert "W105 one launch only" in perfproof(*re.search(r"perfproof (.*)", line).group(1).split()).out


def test_the_code_of_a_warning_is_explained_by_the_command_beside_it(perfproof, pair_files, results):
    results["a"] = {"warnings": [Warning(code="W104", text="near the floor")]}
    done = perfproof("run", *pair_files("a"))
    assert "W104 near the floor" in done.out and "perfproof explain W104" in done.out
    assert perfproof("explain", "W104").code == 0


def test_after_a_quick_run_a_standard_one_with_its_duration(perfproof, pair_files, results):
    done = perfproof("run", *pair_files("a"), "--effort", "quick")
    assert "--effort standard" in last(done) and "# about" in last(done)
    assert "standard effort" in " ".join(perfproof(*next_words(done.out)).out.split())  # it may be broken


def test_after_smoke_sizes_the_real_ones(perfproof, pair_files, results):
    done = perfproof("run", *pair_files("a"), "--fast")
    assert "smoke sizes" not in perfproof(*next_words(done.out)).out


@pytest.mark.parametrize("budget", [["--budget", "4s"], []])
def test_after_too_little_time_more_of_it(perfproof, pair_files, results, budget):
    results["a"] = {"ratios": {"optimized": SHORT}, "warnings": ENDED}
    done = perfproof("run", *pair_files("a"), *budget)
    assert ("--budget 8s" if budget else "--timeout 600s") in last(done) and perfproof(*next_words(done.out)).code == 0


def test_a_target_that_ran_out_of_time_beside_others_is_run_alone(perfproof, pair_files, results):
    results["a"] = {"ratios": {"optimized": SHORT}, "warnings": ENDED, "path": "a.py"}
    again = perfproof(*next_words(perfproof("run", *pair_files("a", "b")).out))
    assert again.code == 0 and "\nb:" not in again.out


def test_after_an_open_end_a_final_run_that_is_not_refused(perfproof, pair_files, results, monkeypatch):
    unfit = [warn("W107", "busy"), warn("W108", "virtual")]
    monkeypatch.setattr(preflight, "preflight", lambda seen, shared: unfit)
    results["a"] = {"ratios": {"optimized": OPEN}}
    again = perfproof(*next_words(perfproof("run", *pair_files("a")).out))
    assert again.code == 0 and "final effort" in again.out


@pytest.mark.parametrize("status", ["crashed", "failed-verification", "rejected", "timeout"])
def test_after_a_failure_the_same_again(perfproof, pair_files, results, status):
    results["a"] = {"status": status}
    done = perfproof("run", *pair_files("a"))
    results.clear()
    assert "rerun" in last(done) and perfproof(*next_words(done.out)).code == 0


def test_after_an_interruption_the_same_again(perfproof, pair_files, fake_bench):
    fake_bench.outcomes = {"b": KeyboardInterrupt()}
    stopped = perfproof("run", *pair_files("a", "b"))
    fake_bench.outcomes = {}
    assert perfproof(*next_words(stopped.out)).code == 0


def test_after_a_refusal_the_place_in_the_file_and_the_same_again(perfproof, pair_files, results):
    (file,) = pair_files("a")
    good = Path(file).read_text()
    Path(file).write_text(good.replace("def optimized", "def optimised"))
    done = perfproof("run", file)
    place = re.search(r"next: edit (\S+), then", last(done)).group(1)
    assert place.startswith("a.py")
    Path(file).write_text(good)
    assert perfproof(*next_words(done.out)).code == 0


def test_after_a_missing_package_its_extra_which_exists(perfproof, pair_files, results):
    results["a"] = {"status": "skipped", "reason": "needs triton: pip install 'perfproof[triton]'"}
    done = perfproof("run", *pair_files("a"))
    extra = re.fullmatch(r"next: pip install 'perfproof\[(\w+)\]'", last(done)).group(1)
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    assert done.code == 0 and extra in project["project"]["optional-dependencies"]


def test_after_missing_hardware_what_this_machine_has(perfproof, pair_files, results):
    results["a"] = {"status": "skipped", "reason": "timing needs a GPU; there is none"}
    words = next_words(perfproof("run", *pair_files("a")).out)
    assert words == ["doctor"] and perfproof("help", *words).code == 0


def test_rerun_suggests_as_run_does(perfproof, pair_files, results):
    perfproof("run", *pair_files("a"), "--effort", "quick")
    done = perfproof("rerun", "latest", "--notes")
    assert "--effort standard" in last(done) and perfproof(*next_words(done.out)).code == 0
    assert perfproof("rerun", "latest", "-q").out.count("\n") == 1
