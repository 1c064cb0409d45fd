"""`perfproof open`: the page of a run, written if need be, in a browser if there is a display."""

import os
import webbrowser
from pathlib import Path

import pytest

from perfproof.history.folders import list_runs


@pytest.fixture
def shown(monkeypatch):
    """A machine with a display; what was opened on it."""
    addresses = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or True)
    return addresses


def test_the_page_of_the_newest_run_is_written_and_opened(perfproof, pair_files, fake_bench, shown):
    perfproof("run", *pair_files("a"))
    done = perfproof("open")
    page = list_runs("artifacts")[0] / "report.html"
    assert (done.code, done.out, done.err) == (0, f"{page}\n", "")
    assert shown == [page.absolute().as_uri()] and "<html" in page.read_text()


def test_a_page_that_is_current_is_not_written_again_and_an_old_one_is(perfproof, pair_files, fake_bench, shown):
    perfproof("run", *pair_files("a"))
    page = Path(perfproof("open", "--print").out.strip())
    page.write_text("mine")
    newer = (page.parent / "run.json").stat().st_mtime_ns + 10**9
    os.utime(page, ns=(newer, newer))
    perfproof("open")
    assert page.read_text() == "mine"
    os.utime(page.parent / "run.json", ns=(newer + 10**9, newer + 10**9))
    perfproof("open")
    assert "<html" in page.read_text()


def test_print_opens_nothing(perfproof, pair_files, fake_bench, shown):
    perfproof("run", *pair_files("a"))
    run = list_runs("artifacts")[0].name
    assert perfproof("open", run[-6:-2], "--print").out.endswith(f"{run}/report.html\n")
    assert shown == []


def test_without_a_display_the_path_is_printed_and_that_is_said(perfproof, pair_files, fake_bench, shown, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    perfproof("run", *pair_files("a"))
    done = perfproof("open")
    assert done.code == 0 and done.out.endswith("report.html\n") and "browser" in done.err and shown == []


def test_a_run_that_is_not_there_is_refused(perfproof, shown):
    assert perfproof("open").code == 5 and shown == []


def test_a_load_test_is_opened_like_a_run(perfproof, tmp_path, shown):
    folder = tmp_path / "artifacts" / "20261117T142840Z-load-b6401f"
    folder.mkdir(parents=True)
    (folder / "load.html").write_text("<html>")
    assert perfproof("open", "--print").out == perfproof("open", "b6", "--print").out
    assert perfproof("open", str(folder)).out == f"{folder / 'load.html'}\n" and len(shown) == 1
