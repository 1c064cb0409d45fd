"""Profiles of a run's targets: after the measurement, linked both ways, and no part of the result."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from perfproof.app import run_profiles
from perfproof.core.errors import UnfitError
from perfproof.core.profile_record import Capture
from perfproof.history.folders import list_runs, load_run


@pytest.fixture
def profiled(monkeypatch):
    """What is asked of the profiler; `outcome` is the status of its capture, or an exception."""
    fake = SimpleNamespace(asked=[], outcome="ok")

    def profile(pair, facts, wishes, tell):
        fake.asked.append((pair.name, wishes))
        if isinstance(fake.outcome, Exception):
            raise fake.outcome
        captures = [Capture(tool="torch", variant="baseline", status=fake.outcome, why="the tool is not there")]
        captures[0].main_files = ["optimized.trace.json.gz"]
        return SimpleNamespace(captures=captures), Path("artifacts/profiles/one")

    monkeypatch.setattr(run_profiles, "profile_chosen", profile)
    return fake


def run(perfproof, *words):
    done = perfproof("run", *words)
    return done, load_run(list_runs("artifacts")[-1])


def test_each_measured_target_is_profiled_and_the_run_names_the_folder(perfproof, pair_files, fake_bench, profiled):
    fake_bench.outcomes = {"b": "failed-verification"}
    done, saved = run(perfproof, *pair_files("a", "b"), "--profile", "minimal", "--set", "a.elements=64")
    assert [target.profile for target in saved.targets] == ["profiles/one/optimized.trace.json.gz", None]
    ((name, wishes),) = profiled.asked
    assert wishes.sizes == {"elements": 64}
    assert (name, wishes.preset, wishes.run, wishes.variants) == ("a", "minimal", saved.run, ("baseline", "optimized"))
    assert (
        "a: profiled; perfproof diagnose artifacts/profiles/one/optimized.trace.json.gz" in done.out and done.code == 1
    )


@pytest.mark.parametrize(("outcome", "why"), [("absent", "the tool is not there"), (UnfitError("no GPU"), "no GPU")])
def test_a_profile_that_failed_says_why_and_nothing_else(perfproof, pair_files, fake_bench, profiled, outcome, why):
    profiled.outcome = outcome
    done, saved = run(perfproof, *pair_files("a"), "--profile", "minimal")
    assert done.code == 0 and saved.targets[0].status == "ok" and why in saved.targets[0].profile
    assert f"a: not profiled: {'' if outcome != 'absent' else 'baseline: '}{why}" in done.out


def test_without_the_option_nothing_is_profiled_and_a_wrong_preset_measures_nothing(
    perfproof, pair_files, fake_bench, profiled
):
    run(perfproof, *pair_files("a"))
    run(perfproof, "a.py", "--profile", "none")
    assert perfproof("run", "a.py", "--profile", "much").code == 2
    assert profiled.asked == [] and len(fake_bench.calls) == 2
