"""The documentation is executed: every `$ perfproof ...` line works, every link leads somewhere."""

import re
import runpy
import shlex
from pathlib import Path

import pytest

from perfproof.cli.app import main
from perfproof.core.documents import read_run

ROOT = Path(__file__).parents[1]
PATTERNS = ("README.md", "docs/**/*.md", "chapters/*/README.md", "labs/**/README.md")
PAGES = sorted({page for pattern in PATTERNS for page in ROOT.glob(pattern)})
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def in_a_folder(warm_python, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERFPROOF_FAST", "1")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.mark.parametrize("name", [name for name in NAMES if blocks(ROOT / name, "console")])
def test_the_commands_of_a_page_work_as_they_stand(name, brief_runs, capsys):
    for example in blocks(ROOT / name, "python"):
        Path("sum_squares.py").write_text(example)
    commands = [line[2:] for block in blocks(ROOT / name, "console") for line in block.splitlines() if line[:2] == "$ "]
    assert commands
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "perfproof", f"only perfproof's own commands are run: {command}"
        code = main(arguments)
        out, err = capsys.readouterr()
        assert code == 0, f"{command}: {out[-1500:]}{err[-1500:]}"
        assert out.strip(), f"{command} printed nothing"


@pytest.mark.parametrize("number", range(len(blocks(ROOT / "docs" / "python.md", "python"))))
def test_the_examples_of_the_python_page_work_as_they_stand(number, brief_runs, monkeypatch):
    monkeypatch.delenv("PERFPROOF_FAST")
    example = blocks(ROOT / "docs" / "python.md", "python")[number]
    for package in re.findall(r"^import (pandas)", example, re.MULTILINE):
        pytest.importorskip(package)
    Path("example.py").write_text(example)
    runpy.run_path("example.py", run_name="__main__")
    (document,) = Path().glob("*/*/run.json")
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


def test_the_pictures_of_the_readme_are_there_small_and_made_by_a_script():
    text, script = (ROOT / "README.md").read_text(), runpy.run_path(str(ROOT / "benchmarks" / "readme_pictures.py"))
    for name in ("terminal.svg", "report.png"):
        assert f"(docs/pictures/{name})" in text
        assert 1_000 < (script["PICTURES"] / name).stat().st_size < 100_000
    drawn = script["terminal"]("perfproof run", "\x1b[32mfaster\x1b[0m  a<b\n")
    assert ">faster</text>" in drawn and script["COLOURS"]["32"] in drawn and "a&lt;b</text>" in drawn
