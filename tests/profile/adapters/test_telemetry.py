"""Without a profiler: the command runs as it is, and the machine is sampled beside it."""

import sys

from perfproof.profile.adapters import telemetry
from perfproof.profile.plans import Ran
from perfproof.profile.profiling import capture


def test_the_command_runs_as_it_is_and_the_machine_is_sampled(work):
    found = capture("telemetry", work(sys.executable, "-c", "print(1)", preset="none"), 300.0, lambda *_: None)
    assert (found.status, found.exit_code) == ("ok", 0), found.why
    assert found.command == [sys.executable, "-c", "print(1)"]
    assert found.main_files == ["command.telemetry.jsonl"] and not found.portions


def test_a_sampler_that_wrote_nothing_is_a_failure(work):
    ran = Ran(0, 1.0, late=False, left=0, out="", err="")
    assert telemetry.gather(work("a"), ran).failed == "the sampler wrote nothing"
