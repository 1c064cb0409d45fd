"""How long a run of the user's command may take: as asked for, or in proportion to the budget."""

import pytest

from perfproof.triage import session, timing
from perfproof.triage.compile_run import take_compile_log
from perfproof.triage.runner import Ran
from perfproof.triage.session import TriageOptions

HOUR = 3600.0


@pytest.fixture
def allowed(tmp_path, monkeypatch):
    """allowed(timeout=60): the seconds that each timed run was given, and the session; nothing is run."""
    monkeypatch.chdir(tmp_path)

    class Pretended:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def run(self, arguments, seconds, *_):
            given.append(seconds)
            code = None if late else codes[len(given) - 1] if codes else 0
            return Ran(
                tuple(arguments), end_ns=10**9, code=code, late=late, err=b"ValueError: no layer\n" if code else b""
            )

    given, late, codes = [], False, ()
    monkeypatch.setattr(timing, "Runner", Pretended)
    monkeypatch.setattr("perfproof.triage.compile_run.Runner", Pretended)

    def take(step=timing.take_timing, ends_late=False, exits=(), **options):
        nonlocal late, codes
        late, codes = ends_late, exits
        made = session.begin(TriageOptions(command=("train",), output_root=tmp_path / "out", **options), print)
        step(made)
        return given, made

    return take


def test_each_of_the_runs_may_take_the_time_that_was_asked_for(allowed):
    given, made = allowed(timeout=0.2 * HOUR, budget=2 * HOUR, repeats=3)
    assert given == [0.2 * HOUR] * 3
    assert made.steps[0].status == "ok" and made.options.stored()["timeout"] == 0.2 * HOUR


def test_five_minutes_in_half_an_hour_and_more_in_a_larger_budget(allowed):
    assert allowed(repeats=1)[0] == [300]
    assert allowed(repeats=1, budget=2 * HOUR)[0][1:] == [1200]


def test_one_run_as_long_as_was_asked_for_fits_although_the_profile_comes_after(allowed):
    (seconds,), _ = allowed(timeout=0.8 * HOUR, budget=HOUR, repeats=1)
    assert 0.5 * HOUR < seconds <= 0.8 * HOUR


def test_no_run_gets_more_than_the_budget_leaves(allowed):
    (seconds,), _ = allowed(budget=100, repeats=1, tool="none")
    assert 0 < seconds <= 80


def test_the_run_with_the_compilers_log_may_take_as_long(allowed):
    assert allowed(take_compile_log, timeout=HOUR, budget=5 * HOUR)[0] == [HOUR]


def test_at_the_limit_the_step_says_how_to_give_it_more_and_no_run_follows(allowed):
    given, made = allowed(ends_late=True, repeats=5)
    assert len(given) == 1 and made.steps[0].status == "timed out"
    assert "raise --timeout" in made.steps[0].why


def test_a_command_that_fails_twice_is_not_run_again_and_its_error_is_said(allowed):
    given, made = allowed(exits=(1, 1, 0, 0, 0), repeats=5)
    assert len(given) == 2
    assert "exit code 1: ValueError: no layer" in made.steps[0].why and "both failed" in made.steps[0].why


@pytest.mark.parametrize("exits", [(1, 0, 1, 0, 0), (0, 1, 1, 1, 1)])
def test_a_failure_that_comes_and_goes_is_counted_in_all_runs(allowed, exits):
    given, made = allowed(exits=exits, repeats=5)
    assert len(given) == 5 and "no more were made" not in made.steps[0].why
