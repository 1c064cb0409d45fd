"""What a pair uses of the project around it, from its text to a worker."""

import importlib
import os
import sys
import textwrap
from pathlib import Path

import pytest

from perfproof.worker import own_files
from tests.conftest import BRIEF

PAIR = '''
"""Scale at once, not in pieces.

Fewer calls.
"""
import numpy as np
from sizes.kinds import Kind, factor
import helper

workload = workload_cpu = dict(n=1 << 12)
tolerance = dict(rtol=1e-9, atol=1e-12)  # doubles
tier = "idiomatic"

def inputs(n):
    return np.random.randn(n), Kind.DOUBLE if np.random.rand() < 0.5 else Kind.TRIPLE

def reference(x, kind):
    with open("numbers/offset.txt") as file:
        return np.array([value * {"DOUBLE": 2, "TRIPLE": 3}[kind.name] + float(file.read() or 0) for value in x[:1]]
                        + [value * {"DOUBLE": 2, "TRIPLE": 3}[kind.name] + 0.5 for value in x[1:]])

def baseline(x, kind):
    offset = helper.offset()
    return np.concatenate([x[at : at + 64] * factor(kind) + offset for at in range(0, len(x), 64)])

def optimized(x, kind):
    return x * factor(kind) + helper.offset()

def cost(n):
    return dict(flops=2 * n, bytes=16 * n)
'''
KINDS = """
import enum

class Kind(enum.Enum):
    DOUBLE = 2
    TRIPLE = 3

def factor(kind):
    return 2.0 if kind is Kind.DOUBLE else 3.0
"""
HELPER = """
from pathlib import Path

def offset():
    return float(Path("numbers/offset.txt").read_text())
"""


@pytest.fixture
def project(tmp_path):
    for name, text in {
        ".git/HEAD": "",
        "src/sizes/__init__.py": "",
        "src/sizes/kinds.py": KINDS,
        "speed/helper.py": HELPER,
        "speed/numbers/offset.txt": "0.5",
        "speed/pair.py": textwrap.dedent(PAIR),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_pair_imports_modules_and_reads_files_of_its_project(run_pair, project):
    result = run_pair(project / "speed" / "pair.py", effort=BRIEF)
    assert result.status == "ok", result.reason
    assert not [one for one in result.warnings if one.code == "W126"], "a kind of two is drawn until it differs"


def test_a_side_that_replaces_a_function_of_a_shared_module_is_rejected(run_pair, project):
    text = (project / "speed" / "pair.py").read_text()
    patch = "    helper.offset = lambda: 0.5\n    return x * factor(kind) + helper.offset()"
    (project / "speed" / "pair.py").write_text(text.replace("    return x * factor(kind) + helper.offset()", patch))
    result = run_pair(project / "speed" / "pair.py", effort=BRIEF)
    assert result.status == "rejected" and "helper.offset replaced" in result.reason


def test_a_side_that_writes_to_a_file_of_the_project_is_rejected(run_pair, project):
    text = (project / "speed" / "pair.py").read_text().replace("numbers/offset.txt", "offset.txt")
    (project / "speed" / "helper.py").write_text(HELPER.replace("numbers/offset.txt", "offset.txt"))
    (project / "speed" / "offset.txt").write_text("0.5")
    before = (project / "speed" / "offset.txt").stat().st_mtime_ns
    write = '    open("offset.txt", "w").write("0.5")\n    return x * factor(kind) + helper.offset()'
    (project / "speed" / "pair.py").write_text(text.replace("    return x * factor(kind) + helper.offset()", write))
    result = run_pair(project / "speed" / "pair.py", effort=BRIEF)
    assert result.status == "rejected" and "offset.txt, which lies beside the pair, was written" in result.reason
    assert (project / "speed" / "offset.txt").stat().st_mtime_ns == before, "the user's own file stays as it is"


def test_files_come_under_the_name_that_the_pair_uses(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "folder").mkdir()
    (tmp_path / "data.csv").write_text("1")
    (tmp_path / "large.bin").write_text("22")
    monkeypatch.setattr(own_files, "MOST_COPIED", 1)
    monkeypatch.chdir(tmp_path / "here")
    beside = own_files.link({name: str(tmp_path / name) for name in ("data.csv", "large.bin", "folder")})
    assert Path("data.csv").read_text() == "1" and not Path("data.csv").is_symlink()
    assert Path("large.bin").is_symlink() and Path("folder").is_symlink()
    assert own_files.written(beside) == []
    os.utime("data.csv", ns=(1, 1))
    assert own_files.written(beside) == ["the file data.csv, which lies beside the pair, was written to"]
    Path("large.bin").unlink()
    assert len(own_files.written(beside)) == 2


def test_modules_of_the_project_are_told_from_libraries():
    folder = os.path.dirname(os.path.dirname(own_files.__file__))  # the package itself is nobody's project
    assert list(own_files.modules_in((folder,))) == []
    assert list(own_files.modules_in(())) == []
    tests = os.path.dirname(os.path.dirname(__file__))
    assert __name__ in dict(own_files.modules_in((tests,)))


def test_modules_of_libraries_are_looked_at_once_and_those_of_the_project_every_time(tmp_path, monkeypatch):
    monkeypatch.setattr(own_files, "_libraries", frozenset())
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("before_the_look", "after_the_look"):
        (tmp_path / f"{name}.py").write_text("")
    folders = (str(tmp_path),)
    importlib.import_module("before_the_look")
    own_files.note_libraries()
    assert {"os", "pytest", "perfproof.worker.own_files"} <= own_files._libraries
    importlib.import_module("after_the_look")
    assert sorted(name for name, _ in own_files.modules_in(folders)) == ["after_the_look", "before_the_look"]
    assert list(own_files.modules_in(())) == []
    for name in ("before_the_look", "after_the_look"):
        monkeypatch.delitem(sys.modules, name)
