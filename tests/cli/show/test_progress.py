"""Progress: one plain line a target into a log, a live line on a terminal, nothing where it would be in the way."""

import fcntl
import json
import os
import pty
import re
import struct
import sys
import termios
from contextlib import contextmanager
from pathlib import Path

import pytest

from perfproof.bench import run as bench
from perfproof.bench.run import Progress
from perfproof.cli.show import progress
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
    assert (out, err) == ("", "ch01:x: 8 launches\n[1/3] ch01:x: skipped (500 ms)\n")


def test_a_log_hears_of_a_long_run_when_a_minute_was_silent(capsys, monkeypatch):
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    with progress_line(quiet=False) as news:
        news.total = 1
        news.notify(Progress("ch01:x", "measuring", 0.5, 11.0))
    assert "[1/1] ch01:x 0 s, 11 s left: measuring (50 %)\n" in capsys.readouterr().err


def test_with_json_a_log_stays_empty(capsys):
    with progress_line(quiet=True) as news:
        news.total = 3
        news.notify(NEWS)
        news.finished(SKIPPED)
    assert capsys.readouterr() == ("", "")


@contextmanager
def terminal(monkeypatch):
    """Standard error is a terminal of 40 columns; what is yielded reads from it until a word has come."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    shown = ""

    def read_until(word, times=1):
        nonlocal shown
        while shown.count(word) < times:  # a terminal hands over what it has, in pieces
            shown += os.read(parent, 100_000).decode()
        return shown

    with os.fdopen(child, "w") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        yield read_until
    os.close(parent)


@pytest.mark.parametrize("quiet", [False, True])
def test_a_terminal_gets_a_live_line(monkeypatch, quiet):
    with terminal(monkeypatch) as shown_until:
        with progress_line(quiet=quiet) as news:
            news.total = 3
            news.notify(NEWS)
            news.finished(SKIPPED)
        shown = shown_until("[1/3] ch01:x: skipped")
    assert "ch01:x: 8 launches" in shown and "12 s left" in shown


def test_the_live_line_moves_without_news_and_fits_the_terminal(monkeypatch):
    monkeypatch.setattr(progress, "TICK_SECONDS", 0.01)
    with terminal(monkeypatch) as shown_until, progress_line(quiet=False) as news:
        news.total = 1
        news.notify(Progress("ch01:x", "verifying at sizes that have a rather long name", 0.5, None))
        shown = shown_until("[1/1]", times=4)
    assert all(len(line) < 40 for line in re.split(r"\r|\x1b\[K|\n", shown)) and "…" in shown


def test_a_terminal_that_is_told_to_be_silent_gets_warnings_only(monkeypatch):
    with terminal(monkeypatch) as shown_until:
        with progress_line(quiet=False, silent=True) as news:
            news.total = 3
            news.notify(NEWS)
            news.finished(SKIPPED)
            news.warn("the file has changed")
        assert shown_until("changed").strip() == "the file has changed"


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
