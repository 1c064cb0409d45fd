"""Load tests in the folder: which there are, and what became of them."""

import os
import subprocess
import sys

import pytest

from perfproof.core.errors import DocumentError, NothingMatched
from perfproof.load.record_file import RecordFile
from perfproof.web import load_tests
from perfproof.web.load_tests import find_load_test, load_names, read_result, running_loads
from tests.web.sample_site import kill_load, make_load, make_running, name_of


@pytest.fixture
def left(tmp_path):
    """The records of a test that no process writes any more."""
    return kill_load(tmp_path, make_load(tmp_path))


def test_a_test_runs_as_long_as_its_process_holds_its_file(tmp_path, left):
    assert find_load_test(tmp_path, left).state == "partial" and running_loads(tmp_path) == []
    file = RecordFile(tmp_path / left / "requests.jsonl", {"url": "x"})
    os.utime(tmp_path / left / "requests.jsonl", (0, 0))
    assert find_load_test(tmp_path, left).state == "running" and running_loads(tmp_path) == [left]
    file.close()
    assert find_load_test(tmp_path, left).state == "partial"


def test_a_test_whose_process_was_killed_is_partial(tmp_path, left):
    code = """
import os, signal, sys
from pathlib import Path
from perfproof.load.record_file import RecordFile
file = RecordFile(Path(sys.argv[1]), {"url": "x"})
print("written", flush=True)
sys.stdin.read()
"""
    path = tmp_path / left / "requests.jsonl"
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        os.utime(path, (0, 0))
        assert find_load_test(tmp_path, left).state == "running"
        process.kill()
    assert find_load_test(tmp_path, left).state == "partial"


def test_between_its_last_record_and_its_result_a_test_still_runs(tmp_path):
    name = make_load(tmp_path)
    assert find_load_test(tmp_path, name).state == "running"
    (tmp_path / name / "load.json").write_text("{}")
    assert find_load_test(tmp_path, name).state == "finished"


def test_a_file_system_without_locks_leaves_the_time_of_the_file(tmp_path, left, monkeypatch):
    def refuse(file, how):
        raise OSError("no locks")

    monkeypatch.setattr(load_tests.fcntl, "flock", refuse)
    assert find_load_test(tmp_path, left).state == "partial"
    assert find_load_test(tmp_path, make_load(tmp_path, 28)).state == "running"


def test_names_are_those_of_load_tests_newest_first(tmp_path):
    make_running(tmp_path)
    names = [
        make_load(tmp_path, day, slug=slug) for day, slug in ((3, "load"), (9, "load-against"), (5, "load-import"))
    ]
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / name_of(11, "load")).symlink_to(tmp_path / "elsewhere")
    assert load_names(tmp_path) == [names[1], names[2], names[0]] and load_names(tmp_path / "nothing") == []


@pytest.mark.parametrize("name", ["..", "x", name_of(1, "load"), name_of(28, "tour"), f"../{name_of(1, 'load')}"])
def test_what_is_no_load_test_is_not_there(tmp_path, name):
    make_running(tmp_path)
    with pytest.raises(NothingMatched):
        find_load_test(tmp_path, name)


def test_a_result_that_cannot_be_read_or_is_huge_is_said(tmp_path, left, monkeypatch):
    (tmp_path / left / "load.json").write_text("{")
    with pytest.raises(DocumentError, match="cannot be read"):
        read_result(tmp_path, left)
    monkeypatch.setattr(load_tests, "LARGEST", 3)
    (tmp_path / left / "load.json").write_text("{    }")
    with pytest.raises(DocumentError, match="is not shown"):
        read_result(tmp_path, left)
