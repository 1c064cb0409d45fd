"""Files that the baseline leaves are left by a variant too, under whatever name."""

from pathlib import Path

import pytest

from perfproof.worker.verify import files_left
from perfproof.worker.verify.case import Contract

CONTRACT = Contract(names=("x",), constant=(), mutates=(), tolerance={}, lowers_precision="", device="cpu")


def writes(name, text):
    return lambda own: (Path(name).write_text(text + own[0]), {})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def said(baseline, optimized):
    return files_left.check(CONTRACT, dict(baseline=baseline, optimized=optimized), ("drawn",))


@pytest.mark.parametrize("optimized", [lambda own: (0, {}), writes("journal", "other"), writes("journal", "")])
def test_a_file_that_is_not_written_or_written_otherwise_is_named(optimized):
    assert said(writes("journal", "line "), optimized) == [
        "optimized does not leave the file journal as the baseline does when it returns"
    ]


@pytest.mark.parametrize("name", ["journal", "another"])
def test_the_same_bytes_are_enough(name):
    assert said(writes("journal", "line "), writes(name, "line ")) == []


def test_names_and_contents_that_differ_from_call_to_call_are_no_promise():
    calls = iter(range(100))
    assert said(lambda own: writes("log", str(next(calls)))(own), lambda own: (0, {})) == []
    assert said(lambda own: (0, {}), writes("more", "")) == []
