"""Examples in help texts fit the terminal, and nothing of them is lost."""

import re

import pytest

from perfproof.cli.app import main
from perfproof.cli.folder import command_files

LONG = """Do it.

\b
tool --one thing        what it does
tool --two other things and more of them  in two words
tool --three

The end.
"""


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("name", sorted(command_files()))
def test_no_line_of_a_help_text_is_wider_than_the_terminal(name, columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([name, "--help"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > columns] == []


def test_what_a_command_does_stands_beside_it_or_below_it(monkeypatch):
    from types import SimpleNamespace

    from perfproof.cli.help_examples import fit_examples

    wide, narrow = SimpleNamespace(help=LONG), SimpleNamespace(help=LONG)
    monkeypatch.setenv("COLUMNS", "100")
    fit_examples(wide)
    monkeypatch.setenv("COLUMNS", "40")
    fit_examples(narrow)
    assert wide.help == LONG
    assert "\ntool --one thing\n    what it does\ntool --two other things and more of\n      them\n" in narrow.help
    assert re.sub(r"\s+", " ", narrow.help) == re.sub(r"\s+", " ", LONG)
