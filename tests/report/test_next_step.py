"""The command a person most likely wants next."""

import pytest

from perfproof.core.documents import Warning
from perfproof.report.next_step import next_command
from tests.report.sample_runs import UNDECIDED, run, target

CRASHED = target("a", status="crashed", log="logs/a.log")


@pytest.mark.parametrize(
    ("made", "command"),
    [
        (run(target()), "perfproof rerun abc123 --effort final"),
        (run(target(), options={"effort": "quick"}), "perfproof rerun abc123 --effort standard"),
        (run(target(), options={"effort": "final"}), "perfproof report run abc123 --format md"),
        (run(target(), options={"fast": True, "effort": "quick", "targets": ["ch01"]}), "perfproof run ch01"),
        (run(target("a", UNDECIDED), target("b", UNDECIDED)), "perfproof run a b --effort final"),
        (run(target("a", UNDECIDED), options={"effort": "final"}), "perfproof report run abc123 --format md"),
        (run(target(warnings=[Warning(code="W104", text="x")])), "perfproof explain W104"),
        (run(target(warnings=[Warning(code="W101", text="x")])), "perfproof rerun abc123 --effort final"),
        (run(target(), CRASHED), "less artifacts/20250101T000000Z-tour-abc123/logs/a.log"),
        (run(target("a", status="timeout")), "perfproof explain timeout"),
        (run(target("a", status="rejected"), CRASHED), "less artifacts/20250101T000000Z-tour-abc123/logs/a.log"),
        (run(target("my_pair", status="refused")), "perfproof list my_pair"),
        (run(target(), state="interrupted"), "perfproof rerun abc123"),
        (
            run(target(), options={"artifacts_dir": "out"}),
            "perfproof rerun abc123 --effort final --artifacts-dir out",
        ),
    ],
)
def test_the_next_command_fits_the_result(made, command):
    assert next_command(made) == command
