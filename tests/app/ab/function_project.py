"""A small project with functions, for tests of `perfproof ab package.module:function`."""

import subprocess
from contextlib import ExitStack
from pathlib import Path

from perfproof.app.ab.written_pair import pair_of, write_pair
from perfproof.machine.worktrees import Tree

MODULE = """
from json import loads as read

try:
    import numpy
except ImportError:
    numpy = None


def total(x, scale=1):
    return sum(x) * scale


def now():
    return 1


class Scale:
    @staticmethod
    def twice(x):
        return 2 * x


LATER = total
"""


def make_project(tmp_path):
    """A repository with `mypkg.work`, and `side` in its src folder; the tests run in `below`."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for folder in ("mypkg", "src", "below"):
        (tmp_path / folder).mkdir()
    (tmp_path / "mypkg" / "work.py").write_text(MODULE)
    (tmp_path / "src" / "side.py").write_text("def f(x): return x\n")


def tree_of(folder):
    return Tree("HEAD", "0" * 40, folder, False)


def pair(project, call):
    with ExitStack() as stack:
        return pair_of(call, write_pair(call, stack), tree_of(project), Path("below"))
