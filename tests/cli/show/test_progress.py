"""Progress: one plain line a target into a log, a live line on a terminal, nothing where it would be in the way."""

import json
import os
import pty
import sys
from pathlib import Path

import pytest

from perfproof.bench import run as bench
from perfproof.bench.run import Progress
from perfproof.cli.show.progress import progress_line
from perfproof.core.documents import TargetResult
from tests.cli.conftest import finished

NEWS = Progress("ch01:x", "measuring", 0.45, 12.3, line="ch01:x: 8 launches")
SKIPPED = TargetResult(target="ch01:x", status="skipped", reason="no GPU", seconds=0.5)


def test_a_log_gets_the_plan_and_one_line_a_target(capsys):
    with progress_line(quiet=False) as news:
        news.total = 3
        news.notify(NEWS)
        news.notify(Progress("ch01:x", "measuring", 0.5, 11.0))
        news.finished(SKIPPED)
    out, err = capsys.readouterr()
    assert (out, err) == ("", "ch01:x: 8 launches\n[1/3] skipped ch01:x (500 ms): no GPU\n")


def test_with_json_a_log_stays_empty(capsys):
    with progress_line(quiet=True) as news:
        news.total = 3
        news.notify(NEWS)
        news.finished(SKIPPED)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_gets_a_live_line(monkeypatch, quiet):
    parent, child = pty.openpty()
    with os.fdopen(child, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress_line(quiet=quiet) as news:
            news.total = 3
            news.notify(NEWS)
            news.finished(SKIPPED)
        terminal.flush()
        shown = ""
        while "[1/3] skipped" not in shown:  # a terminal hands over what it has, in pieces
            shown += os.read(parent, 100_000).decode()
    os.close(parent)
    assert "ch01:x: 8 launches" in shown, "a name is no picture"
    assert "12 s left" in shown and "[1/3] skipped ch01:x" in shown


def test_a_run_publishes_its_progress_in_its_folder(perfproof, pair_files, monkeypatch):
    told = []

    def run_targets(planned, options, facts, seed, notify, *_):
        notify(NEWS)
        told.extend(path.read_text() for path in Path("artifacts").glob("*/progress.jsonl"))
        yield finished(planned[0])

    monkeypatch.setattr(bench, "run_targets", run_targets)
    assert perfproof("run", *pair_files("a")).code == 0
    assert len(told) == 1 and json.loads(told[0])["phase"] == "measuring"
    assert not list(Path("artifacts").glob("*/progress.jsonl"))
