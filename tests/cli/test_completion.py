"""Completion in the shell: what is offered for a line, and the scripts that ask for it."""

import shutil
import subprocess
import sys

import pytest

from perfproof.cli import completion
from perfproof.history.folders import list_runs


@pytest.fixture
def offered(perfproof):
    """offered("perfproof r") gives the words, as the shell gets them."""

    def ask(line):
        done = perfproof("completion", "--answer", line)
        assert done.code == 0 and done.err == ""
        return [row.split("\t")[0] for row in done.out.splitlines()]

    return ask


def test_commands(offered):
    assert offered("perfproof ru") == ["run"]
    assert {"run", "list", "help", "completion"} <= set(offered("perfproof "))
    assert offered("perfproof help hist") == ["history"] and "trend" in offered("perfproof history ")


def test_options_and_their_values(offered):
    assert offered("perfproof run --eff") == ["--effort"]
    assert offered("perfproof run ch01 --effort s") == ["standard"]
    assert offered("perfproof run --effort=f") == ["--effort=final"]
    assert {"md", "html"} <= set(offered("perfproof report --format "))
    assert "--html" in offered("perfproof history trend --") and "--limit" in offered("perfproof history --")


def test_revisions_are_branches_and_tags_of_the_repository_here(offered, tmp_path):
    git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.com"]
    for words in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "x"], ["tag", "v1.2"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    assert offered("perfproof ab x.py --rev ") == ["worktree", "HEAD", "main", "v1.2"]
    assert offered("perfproof ab x.py --rev=v") == ["--rev=v1.2"]
    assert offered("perfproof history bisect x.py --good m") == ["main"]


def test_outside_of_a_repository_no_branch_is_offered(offered, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert offered("perfproof ab x.py --rev ") == ["worktree", "HEAD"]


def test_chapters_then_their_targets(offered):
    chapters = offered("perfproof run ch0")
    assert "ch01" in chapters and not any(":" in one for one in chapters)
    assert offered("perfproof run ch01:batched") == ["ch01:batched_gemm"]
    assert offered("perfproof run ch1:batched") == ["ch1:batched_gemm"]
    assert offered("perfproof run ch02 ch01:batched_g") == ["ch01:batched_gemm"]


def test_pair_files_of_the_user(offered, pair_files, tmp_path):
    pair_files("mine")
    (tmp_path / "folder").mkdir()
    assert offered("perfproof run m") == ["mine.py"] and offered("perfproof run fold") == ["folder/"]


def test_runs_by_id_newest_first(offered, perfproof, pair_files, fake_bench):
    files = pair_files("a")
    for _ in range(2):
        perfproof("run", *files)
    ids = [path.name[-6:] for path in reversed(list_runs("artifacts"))]
    for command in ("report", "open", "rerun", "report run"):
        assert [one for one in offered(f"perfproof {command} ") if one in ids] == ids
    assert offered("perfproof compare latest pre") == ["previous"]
    assert offered("perfproof open --artifacts-dir nowhere ") == ["latest", "previous"]
    assert offered("perfproof open latest ") == []


def test_words_that_can_be_explained(offered):
    assert offered("perfproof explain car") == ["carry-over"]


@pytest.mark.parametrize(
    "line", ["", "perfproof nothing ", "perfproof run -- ls ", "perfproof run 'open", "perfproof view "]
)
def test_nothing_to_offer_is_no_error(offered, line):
    assert "run" in offered(line) if line == "" else offered(line) == []


def test_a_broken_setting_does_not_break_the_tab_key(offered, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.perfproof\n")
    assert offered("perfproof open lat") == []


def test_the_script_of_each_shell_is_printed(perfproof):
    for shell in completion.SHELLS:
        assert "perfproof completion --answer" in perfproof("completion", shell).out
    refused = perfproof("completion", "tcsh")
    assert refused.code == 2 and "zsh" in refused.err


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("perfproof ru", "run"),
        ("perfproof run ch01:batched", "batched_gemm"),  # bash replaces what follows the colon
        ("perfproof run --effort=st", "standard"),
    ],
)
def test_bash_gets_what_it_puts_into_the_line(line, reply):
    bash = shutil.which("bash") or pytest.skip("no bash")
    script = f"""
        perfproof() {{ {sys.executable} -m perfproof "$@"; }}
        {completion.script("bash")}
        COMP_LINE='{line}' COMP_POINT={len(line)}
        _perfproof_completion
        echo "${{COMPREPLY[@]}}"
    """
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == reply


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_the_script_is_one_that_the_shell_can_read(shell):
    program = shutil.which(shell) or pytest.skip(f"no {shell}")
    done = subprocess.run([program, "-n"], input=completion.script(shell), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
