"""Every command that prints a document has --json, --format and -o, and they mean the same everywhere."""

import json

import pytest

from perfproof.cli import folder
from perfproof.cli.app import command_files, load_command

WITHOUT_A_DOCUMENT = {  # what they do is the result: a server, a written file, a line
    "completion",
    "dashboard",
    "expectations prune",
    "expectations update",
    "history import",
    "history reindex",
    "intake new",
    "new",
    "open",
    "report chapters",
    "route",
    "serve",
}
STREAMS = {"monitor"}


def leaves(command, name):
    children = getattr(command, "commands", {})
    for child in children:
        yield from leaves(children[child], f"{name} {child}")
    if not children:
        yield name, {written for parameter in command.params for written in parameter.opts}


@pytest.fixture(scope="module")
def options():
    return dict(one for name in command_files() for one in leaves(load_command(name), name))


def test_every_command_that_prints_a_document_has_all_three_options(options):
    lacking = {name for name, written in options.items() if not {"--json", "--format", "-o"} <= written}
    assert lacking == WITHOUT_A_DOCUMENT | STREAMS


def test_an_option_is_declared_once(options):
    for name in command_files():
        for command in [load_command(name), *getattr(load_command(name), "commands", {}).values()]:
            written = [one for parameter in command.params for one in parameter.opts]
            assert len(written) == len(set(written)), name
    assert "--output" in options["calc fit"]


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """A folder with a command of one's own, which prints what it was given."""
    text = '''"""Say it."""
from typing import Annotated
import typer
def command(json: Annotated[bool, typer.Option("--json")] = False) -> int:
    print('{"said": 1}' if json else "said")
    return 3
'''
    (tmp_path / "made").mkdir()
    made = tmp_path / "made" / "explain.py"
    made.write_text(text)
    monkeypatch.setattr(folder, "command_files", lambda: {"explain": made})
    import importlib.util

    spec = importlib.util.spec_from_file_location("made_command", made)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(folder.importlib, "import_module", lambda name: module)


@pytest.mark.parametrize("arguments", [["--json"], ["--format", "json"]])
def test_json_by_its_option_and_by_its_format(perfproof, commands, arguments):
    said = perfproof("explain", *arguments)
    assert json.loads(said.out) == {"said": 1} and said.code == 3


def test_a_file_has_the_format_of_its_suffix_and_its_name_is_printed(perfproof, commands, tmp_path):
    said = perfproof("explain", "-o", "x.json")
    assert json.loads((tmp_path / "x.json").read_text()) == {"said": 1}
    assert said.out == "x.json\n" and said.code == 3
    assert perfproof("explain", "-o", "x.txt").code == 3 and (tmp_path / "x.txt").read_text() == "said\n"
    assert perfproof("explain", "-o", "-").out == "said\n"


@pytest.mark.parametrize("arguments", [["--format", "pdf"], ["-o", "x.pdf"], ["-o", "no/such/folder/x.json"]])
def test_a_format_or_a_file_that_cannot_be_is_refused_before_anything_is_done(perfproof, commands, arguments):
    said = perfproof("explain", *arguments)
    assert said.code == 2 and said.out == "" and arguments[1] in said.err


def test_settings_of_all_commands_do_not_reach_formats_that_were_added(perfproof, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.perfproof]\nformat = "md"\n')
    assert perfproof("explain", "launch").code == 0


def test_real_commands_write_files(perfproof, tmp_path):
    assert perfproof("explain", "launch", "-o", "word.json").code == 0
    assert "launch" in json.dumps(json.loads((tmp_path / "word.json").read_text()))
    assert perfproof("hw", "topology", "-o", "topology.json").code == 0
    assert json.loads((tmp_path / "topology.json").read_text())
    assert perfproof("calc", "--format", "json").code == 0


def test_a_run_is_written_in_the_format_of_the_suffix(perfproof, pair_files, tmp_path, fake_bench):
    (pair,) = pair_files("mine")
    assert perfproof("run", pair, "-o", "run.json").code == 0
    assert json.loads((tmp_path / "run.json").read_text())["targets"]
    made = perfproof("run", pair, "-o", "run.md")
    assert made.code == 0 and "verdict" in made.out and made.out.endswith("run.md\n")  # the screen keeps the result
    assert "verdict" not in perfproof("run", pair, "-q", "-o", "run.md").out
    assert (tmp_path / "run.md").read_text().count("|") > 3
    assert json.loads(perfproof("run", pair, "--format", "json").out)["targets"]
