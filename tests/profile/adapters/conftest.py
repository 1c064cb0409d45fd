"""Tools that are small scripts, put first on the PATH; they answer as the real ones do, from written texts."""

import os
import stat
import sys
from pathlib import Path

import pytest

from perfproof.profile.plans import Work

TEXTS = Path(__file__).parents[1]
MACHINE = TEXTS.parent / "machine" / "recorded"

NSYS = f"""
import sqlite3, sys
words = sys.argv[1:]
option = {{word.partition("=")[0]: word.partition("=")[2] for word in words}}
if words[0] == "--version":
    print(open({str(MACHINE / "nsys_version.txt")!r}).read())
elif words[0] == "status":
    print(open({str(MACHINE / "nsys_status_works.txt")!r}).read())
elif words[:2] == ["profile", "--help"]:
    print(open({str(TEXTS / "written" / "nsys_2025_help.txt")!r}).read())
elif words[0] == "export":
    base = sqlite3.connect(option["--output"])
    base.executescript(
        "create table StringIds (id integer, value text);"
        "insert into StringIds values (1, 'void add<float>(float*)');"
        "create table CUPTI_ACTIVITY_KIND_KERNEL (start integer, end integer, demangledName integer);"
        "insert into CUPTI_ACTIVITY_KIND_KERNEL values (100, 400, 1), (500, 800, 1);"
    )
    base.commit()
else:
    PROFILE
"""
NCU = f"""
import sys
words = sys.argv[1:]
option = {{word.partition("=")[0]: word.partition("=")[2] for word in words}}
if words[0] == "--version":
    print(open({str(MACHINE / "ncu_version.txt")!r}).read())
elif words[0] == "--help":
    print(open({str(TEXTS / "recorded" / "ncu_2025_options.txt")!r}).read())
elif words[0] == "--import" and "--print-kernel-base=mangled" not in words:
    sys.exit("the names should be whole")
elif words[0] == "--import":
    print(open({str(TEXTS / "recorded" / "h200_three_kernels.csv")!r}).read())
else:
    PROFILE
"""


@pytest.fixture
def fake_tool(tmp_path, monkeypatch):
    """fake_tool("nsys", "print(1)"): a program of that name with this Python text."""

    def make(name, text):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / name
        program.write_text(f"#!{sys.executable}\n{text}")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        return str(program)

    return make


@pytest.fixture
def no_tools(tmp_path, monkeypatch):
    """A PATH with nothing on it."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))


@pytest.fixture
def work(tmp_path):
    """work("python", "a.py", preset="deep"): what an adapter is given."""

    def make(*command, preset="minimal", **fields):
        folder = tmp_path / "profile"
        folder.mkdir(exist_ok=True)
        return Work(tuple(command), folder, preset, **fields)

    return make
