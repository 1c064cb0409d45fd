"""Old names of commands and options: refused with the line to write, which is a line that exists."""

import re
import shlex
from pathlib import Path

import pytest

from perfproof.cli import folder
from perfproof.cli.older_words import hint

PAGE = Path(__file__).parents[2] / "docs/coming-from.md"


@pytest.mark.parametrize(
    ("old", "line"),
    [
        ("utils --tool kv-cache -- --layers 80 --dtype fp8", "perfproof calc kv-cache --layers 80 --dtype fp8"),
        ("utils --tool=dump-hw", "perfproof hw dump"),
        ("utils compare-precision", "perfproof calc precision"),
        ("utils", "perfproof calc"),
        ("list-targets --chapter ch1", "perfproof list ch1"),
        ("list-targets", "perfproof list"),
        ("list_targets ch1 --json", "perfproof list ch1 --json"),
        ("run --targets ch1 --profile minimal", "perfproof run ch1 --profile minimal"),
        ("run --targets labs/x:y ch2 --profile none", "perfproof run labs/x:y ch2"),
        ("run --targets=ch1", "perfproof run ch1"),
        ("run --targets all", "perfproof run 'ch*'"),
        ("verify --targets all", "perfproof verify"),
        ("verify all", "perfproof verify"),
        ("detect-cutlass", "perfproof doctor"),
        ("run --targets", "perfproof run"),
        ("run --target-extra-arg x", "perfproof run TARGET --set SIZE=VALUE"),
    ],
)
def test_an_old_line_becomes_the_new_one(old, line):
    assert hint(shlex.split(old)).startswith(f"write: {line} (")


@pytest.mark.parametrize("words", ["", "run ch01", "run --bogus", "frobnicate", "verify ch01 --effort quick", "ab a b"])
def test_other_mistakes_get_no_such_hint(words):
    assert hint(shlex.split(words)) == ""


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("utils", "--tool", "probe-hw"), 2, "perfproof hw"),
        (("list-targets",), 2, "perfproof list"),
        (("run", "--targets", "ch01", "--profile", "minimal"), 2, "perfproof run ch01 --profile minimal"),
        (("verify", "all"), 5, "write: perfproof verify"),
    ],
)
def test_the_command_line_answers_with_the_hint(perfproof, words, code, said):
    refused = perfproof(*words)
    assert refused.code == code
    assert said in refused.err and refused.err.count("\n") == 1


def test_every_line_of_the_page_names_a_command_that_exists():
    lines = re.findall(r"`perfproof ([a-z]+)", PAGE.read_text())
    assert len(lines) > 60
    assert set(lines) - {"list-targets"} - set(folder.command_files()) <= {"list"}


def test_every_target_of_the_page_exists():
    from perfproof.pairs.targets import select

    named = set(re.findall(r"`perfproof (?:run|profile|sweep) ((?:ch\d\d|labs/\w+):\w+)", PAGE.read_text()))
    assert len(named) > 3
    assert {pair.name for pair in select(sorted(named))} == named
