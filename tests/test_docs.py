"""The documentation is executed: every `$ perfproof ...` line works, every link leads somewhere."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from perfproof.core.documents import read_run

ROOT = Path(__file__).parents[1]
PATTERNS = ("README.md", "docs/**/*.md", "chapters/*/README.md", "labs/**/README.md")
PAGES = sorted({page for pattern in PATTERNS for page in ROOT.glob(pattern)})
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
# `perfproof`, with few samples where it measures: what is tested is that a command works, not what it finds.
FEW_SAMPLES = """
import runpy, sys
from perfproof.core.options import EFFORTS, Effort
EFFORTS["quick"] = Effort("quick", 1, 1, couples=1, quads=10, most_quads=40, seconds=0.04, new_interpreters=False)
"""
PROGRAM = f"{FEW_SAMPLES}from perfproof.cli.app import main\nsys.exit(main())"
SCRIPT = f"{FEW_SAMPLES}runpy.run_path(sys.argv[1], run_name='__main__')"


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", [name for name in NAMES if blocks(ROOT / name, "console")])
def test_the_commands_of_a_page_work_as_they_stand(name, tmp_path):
    for example in blocks(ROOT / name, "python"):
        (tmp_path / "sum_squares.py").write_text(example)
    environment = {**os.environ, "PERFPROOF_FAST": "1", "NO_COLOR": "1"}
    commands = [line[2:] for block in blocks(ROOT / name, "console") for line in block.splitlines() if line[:2] == "$ "]
    assert commands
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "perfproof", f"only perfproof's own commands are run: {command}"
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=500,
        )
        assert done.returncode == 0, f"{command}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
        assert done.stdout.strip(), f"{command} printed nothing"


@pytest.mark.parametrize("number", range(len(blocks(ROOT / "docs" / "python.md", "python"))))
def test_the_examples_of_the_python_page_work_as_they_stand(number, tmp_path):
    example = blocks(ROOT / "docs" / "python.md", "python")[number]
    for package in re.findall(r"^import (pandas)", example, re.MULTILINE):
        pytest.importorskip(package)
    (tmp_path / "example.py").write_text(example)
    command = [sys.executable, "-c", SCRIPT, "example.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, f"{example}: {done.stdout[-1500:]}{done.stderr[-1500:]}"
    (document,) = tmp_path.glob("*/*/run.json")
    assert read_run(document.read_text()).targets[0].status == "ok", document.read_text()[-3000:]


@pytest.mark.parametrize("name", NAMES)
def test_every_link_of_a_page_leads_to_a_file(name):
    page = ROOT / name
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{name} links to {target}"


def test_no_page_refers_to_a_site_that_may_move():
    for page in PAGES:
        assert "http" not in page.read_text(), page
