"""`perfproof explain`: every code and word, in any case, with what to do."""

import json
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

import perfproof
from perfproof.cli.app import load_command
from perfproof.cli.commands import explain
from perfproof.cli.commands.explain import groups
from perfproof.core.explanations import CODES, VERDICTS
from perfproof.machine.preflight import REASONS

PACKAGE = Path(perfproof.__file__).parent
READ_RULES = cache(explain._rules)
GROUPS = groups()
SOME = ["launch", "interval", "carry-over", "tier", "canary", "twin", "quad", "couple", "unit", "rung", "isolation"]
SOME += ["oracle", "tolerance", "goodput", "indicative", "unstable", "inconclusive", "delta", "preempted", "pool"]
WORDS = sorted({name for words in GROUPS.values() for name in words} - set(CODES))
COMMANDS = sorted(
    {
        line
        for words in GROUPS.values()
        for one in words.values()
        for line in re.findall(r"`perfproof ([^`]+)`", one.meaning + one.remedy)
    }
)


@pytest.fixture(autouse=True)
def rules_read_once(monkeypatch):
    """The files of the rules do not change between tests, and reading them takes nearly all of a command's time."""
    monkeypatch.setattr(explain, "_rules", READ_RULES)


@pytest.mark.parametrize("name", [*CODES, *WORDS])
def test_everything_that_can_be_printed_is_explained(perfproof, name):
    shown = perfproof("explain", name)
    assert shown.code == 0
    assert shown.out.startswith(f"{name}: ") and "What to do: " in shown.out
    assert max(len(line) for line in shown.out.splitlines()) <= 100


def test_every_check_that_a_result_can_call_not_run_is_explained():
    found = set()
    for file in (*PACKAGE.glob("bench/**/*.py"), *PACKAGE.glob("worker/**/*.py")):
        text = file.read_text()
        if re.search(r'Check\(name=NAME, result=[^)]*"not-run"', text):
            found |= set(re.findall(r'^NAME = "(.+)"', text, re.MULTILINE))
        found |= set(re.findall(r'Check\(name="([^"]+)", result="not-run"', text))
    assert len(found) >= 5 and found <= {name for words in GROUPS.values() for name in words}


def test_case_does_not_matter(perfproof):
    assert perfproof("explain", "w104").out == perfproof("explain", "W104").out


def test_a_title_finds_its_code(perfproof):
    assert perfproof("explain", "launch-bound").out.startswith("W160: launch-bound")
    assert perfproof("explain", "The machine is busy").out == perfproof("explain", "W107").out


@pytest.mark.parametrize(("word", "code"), REASONS.items())
def test_a_word_of_allow_finds_its_code(perfproof, word, code):
    assert perfproof("explain", word).out.startswith(f"{code}: ")


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_that_is_recommended_can_be_given(line):
    name, *rest = shlex.split(line)
    command, context = load_command(name), None
    if rest and hasattr(command, "commands"):
        context = command.make_context(name, rest[:1])
        name, command, rest = command.resolve_command(context, rest)
    command.make_context(name, rest, parent=context)  # refuses what is missing or unknown


def test_what_verify_calls_gone_is_pruned_with_the_option_that_does_it():
    assert "`perfproof expectations prune --gone`" in GROUPS["Results over time"]["missing"].remedy


def test_a_code_with_many_cases_lists_them_between_its_meaning_and_its_remedy(perfproof):
    lines = perfproof("explain", "W147").out.splitlines()
    cases = [at for at, line in enumerate(lines) if line.startswith("- ")]
    assert len(cases) >= 4 and "drawn" in lines[2] and lines[2][0] != "-"
    assert max(cases) < next(at for at, line in enumerate(lines) if line.startswith("What to do"))


def test_as_json(perfproof):
    shown = json.loads(perfproof("explain", "same", "--json").out)
    assert shown == {"name": "same", **vars(VERDICTS["same"]), "cases": []}


def test_an_unknown_code_names_the_nearest(perfproof):
    refused = perfproof("explain", "rejectd")
    assert refused.code == 5
    assert refused.err.startswith("perfproof: nothing is called 'rejectd'; did you mean rejected")
    assert "`perfproof explain` lists all" in perfproof("explain", "zzz").err
    assert "W134 (the cpu is held back by heat)" in perfproof("explain", "back by").err


def test_without_a_word_all_are_listed_by_group(perfproof):
    shown = perfproof("explain")
    lines = shown.out.splitlines()
    assert shown.code == 0 and set(GROUPS) <= set(lines)
    assert lines.index("Verdicts") < lines.index("How it is measured") < lines.index("Warnings")
    for name in (*WORDS, *CODES):
        assert f"\n  {name} " in shown.out
    assert json.loads(perfproof("explain", "--json").out)["Verdicts"]["same"] == {**vars(VERDICTS["same"]), "cases": []}


@pytest.mark.parametrize(
    "word",
    SOME,
)
def test_words_of_the_output_are_explained_in_a_few_sentences(perfproof, word):
    shown = perfproof("explain", word)
    assert shown.code == 0 and shown.out.startswith(f"{word}: ") and "What to do: " in shown.out


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (["launches"], "launch"),
        (["quads"], "quad"),
        (["speed", "of", "light"], "speed of light"),
        (["speed-of-light"], "speed of light"),
        (["carry over"], "carry-over"),
        (["same"], "same"),
    ],
)
def test_a_word_may_be_written_as_it_is_read(perfproof, written, name):
    assert perfproof("explain", *written).out.startswith(f"{name}: ")


def test_no_word_means_two_things():
    """But for verdicts, which `verify` uses too: they are explained once."""
    names = [name for words in GROUPS.values() for name in words]
    assert len(names) == len(set(names))
    assert not set(REASONS) & set(WORDS)


def test_checks_of_a_load_test_are_explained_with_what_to_do():
    from perfproof.load import checks

    named = set(re.findall(r'name = "([^"]+)"', Path(checks.__file__).read_text()))
    words = {name: one for known in groups().values() for name, one in known.items()}
    assert len(named) >= 6
    for name in {*named, checks.CLIENT_LAG} - {"throttled GPU"}:
        assert words[name].remedy, name
