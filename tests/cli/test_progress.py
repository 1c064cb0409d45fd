"""Progress: one plain line a target into a log, a live line on a terminal, nothing where it would be in the way."""

import os
import pty
import sys

import pytest

from perfproof.bench.run import Progress
from perfproof.cli.progress import ProgressLine
from perfproof.core.documents import TargetResult

NEWS = Progress("ch01:x", "measuring", 0.45, 12.3, line="ch01:x: 8 launches")
SKIPPED = TargetResult(target="ch01:x", status="skipped", reason="no GPU", seconds=0.5)


def test_a_log_gets_the_plan_and_one_line_a_target(capsys):
    with ProgressLine(3, quiet=False) as line:
        line.notify(NEWS)
        line.notify(Progress("ch01:x", "measuring", 0.5, 11.0))
        line.finished(SKIPPED)
    out, err = capsys.readouterr()
    assert (out, err) == ("", "ch01:x: 8 launches\n[1/3] skipped ch01:x (500 ms): no GPU\n")


def test_with_json_a_log_stays_empty(capsys):
    with ProgressLine(3, quiet=True) as line:
        line.notify(NEWS)
        line.finished(SKIPPED)
    assert capsys.readouterr() == ("", "")


def test_the_state_says_which_target_how_far_and_how_long():
    assert ProgressLine(3, quiet=True).state(NEWS) == "[1/3] ch01:x: measuring 45 %, 12 s left"


@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_gets_a_live_line(monkeypatch, quiet):
    parent, child = pty.openpty()
    with os.fdopen(child, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with ProgressLine(3, quiet=quiet) as line:
            line.notify(NEWS)
            line.finished(SKIPPED)
        terminal.flush()
        shown = os.read(parent, 100_000).decode()
    os.close(parent)
    assert "12 s left" in shown and "[1/3] skipped ch01:x" in shown
