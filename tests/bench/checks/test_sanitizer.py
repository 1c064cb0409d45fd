"""A target under compute-sanitizer: a program on PATH stands in for it and prints written output in its forms."""

import sys
import textwrap
import time
from pathlib import Path

import pytest

from perfproof.bench import run as bench
from perfproof.bench.checks import sanitizer
from perfproof.core.documents import TargetResult
from perfproof.core.options import RunOptions
from perfproof.machine.facts import read_facts
from perfproof.pairs.contract import read_pair
from tests.bench.test_target import HONEST

PRINTED = Path(__file__).parents[2] / "profile" / "sanitizer"
FAKE = """
#!{python}
import subprocess, sys
from pathlib import Path
tool, program = sys.argv[sys.argv.index("--tool") + 1], sys.argv[sys.argv.index({python!r}):]
code = subprocess.run(program).returncode if {calls!r} else {code!r}
print((Path({printed!r}) / ({files!r}[tool] + ".txt")).read_text())
sys.exit(code)
"""


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Put a compute-sanitizer on the PATH that prints these files; with `calls` it runs the program, too."""

    def put(memcheck="memcheck_clean", racecheck="racecheck_clean", *, calls=False, code=0):
        files = {"memcheck": memcheck, "racecheck": racecheck}
        values = {"python": sys.executable, "calls": calls, "code": code, "printed": str(PRINTED), "files": files}
        program = tmp_path / "bin" / "compute-sanitizer"
        program.parent.mkdir(exist_ok=True)
        program.write_text(FAKE.format(**values).lstrip())
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent))

    return put


@pytest.fixture
def job(tmp_path):
    def make(source=HONEST):
        path = tmp_path / "pair.py"
        path.write_text(textwrap.dedent(source))
        pair = read_pair(path, "pair", "tests")
        return bench.make_job(pair, {}, RunOptions(), read_facts("cpu"), "5eed", time.monotonic() + 60)

    return make


def sanitized(job):
    return sanitizer.sanitize(job, bench.worker_environment(RunOptions(), read_facts("cpu")))


def test_clean_kernels_pass_both_tools(tool, job):
    tool()
    found = sanitized(job())
    assert [(one.tool, one.result, one.errors) for one in found] == [("memcheck", "pass", 0), ("racecheck", "pass", 0)]
    result = sanitizer.with_sanitizers(TargetResult(target="pair", status="ok", verdict="faster"), found)
    assert (result.status, result.verdict) == ("ok", "faster")
    assert {check.name: check.result for check in result.checks} == {"memcheck": "pass", "racecheck": "pass"}


def test_an_error_takes_the_verdict_away(tool, job):
    tool(memcheck="memcheck_errors", racecheck="racecheck_errors")
    found = sanitized(job())
    assert [(one.result, one.errors) for one in found] == [("fail", 2), ("fail", 1)]
    result = sanitizer.with_sanitizers(TargetResult(target="pair", status="ok", verdict="faster"), found)
    assert (result.status, result.verdict, result.ratios) == ("failed-verification", None, {})
    assert "memcheck" in result.reason and "coalesced_copy.cu:18" in result.reason


@pytest.mark.parametrize(("printed", "word"), [("no_kernel", "no kernel ran"), ("denied", "not supported")])
def test_a_tool_that_checked_nothing_did_not_run(tool, job, printed, word):
    tool(memcheck=printed)
    found = sanitized(job())[0]
    assert found.result == "not-run" and word in found.detail


def test_a_program_that_failed_was_not_checked_to_its_end(tool, job):
    tool(code=1)
    assert [one.result for one in sanitized(job())] == ["not-run", "not-run"]


def test_without_the_tool_nothing_ran_and_the_reason_says_what_to_install(job, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    found = sanitized(job())
    assert {one.result for one in found} == {"not-run"} and "PATH" in found[0].detail and "install" in found[0].detail


def test_the_program_under_the_tool_calls_every_side_at_smoke_sizes(tool, job, tmp_path, monkeypatch):
    monkeypatch.setattr(sanitizer, "TOOLS", ("memcheck",))
    tool(calls=True)
    said = tmp_path / "called"
    noted = f"\n    from pathlib import Path\n    def note(text):\n        Path({str(said)!r}).open('a').write(text)\n"
    source = HONEST.replace("    def inputs", f"{noted}\n    def inputs", 1)
    for side in ("baseline", "optimized"):
        source = source.replace(f"def {side}(x, y):", f"def {side}(x, y):\n        note(f'{side} {{len(x)}},')")
    assert [one.result for one in sanitized(job(source))] == ["pass"]
    assert said.read_text() == "baseline 77,optimized 77,"


def test_a_side_that_raises_is_not_run_with_its_message(tool, job, monkeypatch):
    monkeypatch.setattr(sanitizer, "TOOLS", ("memcheck",))
    tool(calls=True)
    broken = HONEST.replace("return torch.add(x, y, alpha=4)", "raise ValueError('no such axis')")
    found = sanitized(job(broken))[0]
    assert found.result == "not-run" and "no such axis" in found.detail
