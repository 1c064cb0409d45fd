"""The documentation is executed: every `$ perfproof ...` line works, every link leads somewhere."""

import copy
import re
import runpy
import shlex
import subprocess
from pathlib import Path

import pytest

from perfproof.bench import run as bench_run
from perfproof.bench.forms import two_environments
from perfproof.cli.app import main
from perfproof.core.documents import read_run
from perfproof.core.options import PROGRAM_EFFORTS, ProgramEffort
from perfproof.core.tolerance import DEFAULT_TOLERANCE, FLOAT32, FLOAT64
from tests.load.short_blocks import shorten_blocks

ROOT = Path(__file__).parents[1]
PATTERNS = ("README.md", "docs/**/*.md", "chapters/*/README.md", "labs/**/README.md")
PAGES = sorted({page for pattern in PATTERNS for page in ROOT.glob(pattern)})
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture(autouse=True)
def in_a_folder(warm_python, warm_interpreters, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERFPROOF_FAST", "1")
    monkeypatch.setenv("NO_COLOR", "1")


@pytest.fixture
def brief_programs(monkeypatch):
    """Programs and servers are compared briefly: a page is about the command, not about what it finds."""
    for name in ("quick", "standard"):
        monkeypatch.setitem(PROGRAM_EFFORTS, name, ProgramEffort(5, 5, 0.0))
    shorten_blocks(monkeypatch)


@pytest.fixture(scope="module")
def measured():
    """The results of this module's runs so far, by all that decides what is measured."""
    return {}


@pytest.fixture
def measured_once(measured, brief_runs, monkeypatch):
    """Many pages run the same pair with the same options: workers measure it once, all else of a run happens anew."""
    run_target = bench_run.run_target

    def run_or_repeat(job, launches, notify, *, timed):
        code = [Path(path).read_text() for path in (job.source["path"], *job.source["siblings"].values())]
        here = ("source", "target", "seed", "deadline", "budget_end", "slow_end", "mark", "answered")
        same = {name: value for name, value in vars(job).items() if name not in here}
        key = repr((code, job.source["borrowed"], same, timed))
        if key not in measured:
            measured[key] = copy.deepcopy(run_target(job, launches, notify, timed=timed))
        result, samples, log = copy.deepcopy(measured[key])
        result.target = job.target
        return result, samples, log

    for module in (bench_run, two_environments):
        monkeypatch.setattr(module, "run_target", run_or_repeat)


@pytest.mark.parametrize("name", [name for name in NAMES if blocks(ROOT / name, "console")])
def test_the_commands_of_a_page_work_as_they_stand(name, measured_once, brief_programs, capsys):
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


def lines_for_users_of_other_tools() -> list[str]:
    section = (ROOT / "docs" / "coming-from.md").read_text().split("\n## ")[1]
    cells = [re.split(r"(?<!\\)\|", line)[2].strip() for line in section.splitlines() if line.startswith("| ")]
    lines = [cell.strip("`").replace("\\|", "|") for cell in cells if cell.startswith("`perfproof ")]
    return list(dict.fromkeys(lines))


@pytest.fixture
def project(tmp_path, brief_programs, monkeypatch):
    """What those lines need: a repository with a pair, a file of hyperfine, and programs that are run a few times."""
    monkeypatch.delenv("PERFPROOF_FAST")
    pair = blocks(ROOT / "README.md", "python")[0]
    (tmp_path / "my_pair.py").write_text(pair.replace("rows=64", "rows=4"))  # a third of the time was drawing values
    recorded = ROOT / "tests" / "history" / "imports" / "recorded" / "hyperfine-1.15.0.json"
    (tmp_path / "bench.json").write_text(recorded.read_text())
    git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.com"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "x"], ["tag", "v1"]):
        subprocess.run([*git, *words], check=True)


@pytest.mark.parametrize("line", lines_for_users_of_other_tools())
def test_the_lines_for_users_of_other_benchmark_tools_work_as_they_stand(line, project, measured_once, capsys):
    if " compare " in line:
        assert main(["run", "my_pair.py"]) == main(["run", "my_pair.py"]) == 0
    assert main(shlex.split(line)[1:]) == 0, capsys.readouterr()
    assert capsys.readouterr().out.strip()


def test_there_is_a_line_for_each_of_those_tools():
    section = (ROOT / "docs" / "coming-from.md").read_text().split("\n## ")[1]
    assert len(lines_for_users_of_other_tools()) >= 15
    assert all(
        f"\n| `{tool}" in section for tool in ("hyperfine", "pytest", "asv", "python -m pyperf", "python -m timeit")
    )


@pytest.mark.parametrize("name", ["docs/pairs.md", "docs/python.md"])
def test_the_default_tolerances_of_a_page_are_those_of_the_code(name):
    rows = re.findall(r"^\| (`\w+`.*?) \| ([\d.e-]+) \| ([\d.e-]+) \|$", (ROOT / name).read_text(), re.MULTILINE)
    told = {
        kind: dict(rtol=float(rtol), atol=float(atol))
        for kinds, rtol, atol in rows
        for kind in re.findall(r"`(\w+)`", kinds)
    }
    known = {kind: one for kind, one in DEFAULT_TOLERANCE.items() if isinstance(one, dict)}
    of_python = {kind: known.pop(kind) for kind in ("float", "complex")}  # the arguments decide which of the two
    assert told == known and all(one in (FLOAT64, FLOAT32) for one in of_python.values())


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
