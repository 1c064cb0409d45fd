"""The progress of `perfproof.compare`: one line, where someone can see it."""

import io
import sys
from types import SimpleNamespace

from perfproof.bench.run import Progress
from perfproof.notebook import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def draw(wanted=True):
    with progress.progress_line(wanted) as news:
        news.notify(Progress("f against g", "measuring", 0.5, 3.0))


def test_a_terminal_has_one_line_that_is_gone_at_the_end(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    draw()
    line, blank, end = sys.stderr.getvalue().split("\r")[1:]
    assert "measuring" in line and "50 %" in line and "3 s left" in line and blank == " " * len(line) and end == ""


def test_a_line_is_cut_to_the_width_of_the_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "20")
    draw()
    assert max(map(len, sys.stderr.getvalue().split("\r"))) == 19


def test_a_notebook_has_it_in_its_cell(monkeypatch, capsys):
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    draw()
    shown = capsys.readouterr()
    assert "measuring (50 %)" in shown.out and shown.err == ""


def test_a_console_of_ipython_is_no_notebook(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace()))
    draw()
    assert capsys.readouterr() == ("", "")


def test_a_log_file_has_none(capsys):
    draw()
    assert capsys.readouterr() == ("", "")


def test_it_can_be_turned_off_and_warnings_stay(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress.progress_line(False) as news:
        news.notify(Progress("f against g", "measuring", 0.5, 3.0))
        news.warn("not in the history")
    assert sys.stderr.getvalue() == "not in the history\n"
