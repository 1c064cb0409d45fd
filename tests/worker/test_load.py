"""Instances of a pair's file: what their functions need in processes that they start."""

import pickle
import subprocess
import sys

from perfproof.worker.load import Source

PAIR = """
from pathlib import Path

LIMIT = int(Path(__file__).with_name("limit.txt").read_text())

def work(number):
    return min(number, LIMIT)

def inputs():
    return (1,)
"""
CHILD = "import pickle, sys; sys.path += {path}; print(pickle.loads({sent})(9))"


def test_a_function_of_an_instance_can_be_sent_to_a_process_that_takes_over_the_path(tmp_path, monkeypatch):
    (tmp_path / "own_pair.py").write_text(PAIR)
    (tmp_path / "limit.txt").write_text("7")
    (tmp_path / "scratch").mkdir()
    monkeypatch.chdir(tmp_path / "scratch")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))  # as in a worker
    monkeypatch.setattr(sys, "path", list(sys.path))
    module = Source(path=str(tmp_path / "own_pair.py")).load("inputs")
    try:
        sent = pickle.dumps(module.work)
    finally:
        del sys.modules[module.__name__]
    child = CHILD.format(path=sys.path, sent=sent)
    assert subprocess.run([sys.executable, "-c", child], capture_output=True, text=True, check=True).stdout == "7\n"


def test_nothing_is_written_into_the_folder_of_somebody_who_is_no_worker(tmp_path, monkeypatch):
    (tmp_path / "own_pair.py").write_text(PAIR)
    (tmp_path / "limit.txt").write_text("7")
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    module = Source(path=str(tmp_path / "own_pair.py")).load("inputs")
    del sys.modules[module.__name__]
    assert set(tmp_path.iterdir()) - {tmp_path / "__pycache__"} == before


def test_only_a_pair_that_borrows_nothing_is_one_file():
    assert Source(path="a.py").is_one_file
    assert not Source(path="a.py", borrowed={"baseline": "b"}).is_one_file
    assert not Source(pickled="folder").is_one_file
