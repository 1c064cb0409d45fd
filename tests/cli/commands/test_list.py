import json
import os
import re
import subprocess
import sys

import pytest

import perfproof.machine.facts
from perfproof.cli.app import main
from perfproof.cli.commands import list as module
from perfproof.core.errors import NothingMatched
from perfproof.core.facts import Facts
from perfproof.pairs import catalogue
from perfproof.pairs.declarations import GOALS
from tests.pairs.full_pair import TEXT


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A catalogue of four: timed, verified only, not at all, and in a lab; on a machine without a GPU."""
    files = {
        "chapters/ch01_goodput/timed.py": TEXT,
        "chapters/ch01_goodput/triton_kernel.py": TEXT.replace("import torch", "import torch\nimport triton"),
        "chapters/ch02_hardware/hopper.py": TEXT + "\nneeds = dict(cuda=9.0)\n",
        "labs/adding/step_01_first.py": TEXT.replace("Multiply and add", "Climb"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(catalogue, "catalogue_root", lambda: tmp_path)
    facts = Facts("cpu", None, 0, 1, lambda name: True, "no NVIDIA driver")
    monkeypatch.setattr(perfproof.machine.facts, "read_facts", lambda device: facts)
    return tmp_path


def objects(capsys, *targets, **options):
    code = module.command(list(targets), json=True, **options)
    return code, json.loads(capsys.readouterr().out)


def test_every_target_is_shown_with_its_lesson_and_whether_it_runs_here(root, capsys):
    assert module.command() == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ch01"
    assert lines[1].split()[:2] == ["ch01:timed", "timed"]
    assert "Multiply and add" in lines[1]
    shown = " ".join(" ".join(lines).split())
    assert "verified only" in shown and "Triton's interpreter" in shown
    assert "no NVIDIA driver" in shown
    assert lines[-1] == "4 targets: 2 timed, 1 verified only, 1 not here"


def test_lines_are_at_most_100_columns_in_a_pipe(root, capsys):
    long = root / "chapters" / "ch01_goodput" / f"{'very_' * 20}long.py"
    long.write_text(TEXT.replace("in one call", "in one call " + "and more " * 40))
    (root / "chapters" / "ch01_goodput" / "broken.py").write_text("x = " + "(" * 300)
    module.command()
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 100


def test_a_broken_file_is_shown_with_its_error_and_exit_2(root, capsys):
    (root / "chapters" / "ch01_goodput" / "bad.py").write_text(TEXT.replace("def cost", "def price"))
    assert module.command(["ch01"]) == 2
    shown = " ".join(capsys.readouterr().out.split())
    assert "ch01:bad broken (" in shown and "no `cost`; add `def cost(...):`" in shown
    assert "3 targets: 1 timed, 1 verified only, 1 broken" in shown


def test_json_has_one_object_a_target(root, capsys):
    code, listed = objects(capsys)
    assert code == 0
    assert [(one["target"], one["runs"]) for one in listed] == [
        ("ch01:timed", "timed"),
        ("ch01:triton_kernel", "verified"),
        ("ch02:hopper", "no"),
        ("labs/adding:step_01_first", "timed"),
    ]
    hopper = listed[2]
    assert hopper["needs"] == {"cuda": 9.0}
    assert hopper["reason"] == "needs a GPU of capability 9.0 or newer; no NVIDIA driver"
    assert (hopper["chapter"], hopper["tier"], hopper["claim"]) == ("ch02", "idiomatic", "time")
    assert hopper["lesson"].startswith("Multiply and add") and hopper["explanation"].startswith("The lesson above")
    assert os.path.isabs(hopper["path"])


def test_json_of_a_broken_file_has_the_same_keys_and_its_error(root, capsys):
    (root / "chapters" / "ch01_goodput" / "bad.py").write_text("")
    code, listed = objects(capsys, "ch01")
    assert code == 2
    assert len({frozenset(one) for one in listed}) == 1
    assert listed[0]["runs"] == "no" and "no docstring" in listed[0]["error"]


def on_the_menu(root):
    """Two places on the menu, one of them twice; one target has none."""
    for name, place in {
        "chapters/ch01_goodput/timed.py": ("both", "launch-bound"),
        "chapters/ch01_goodput/triton_kernel.py": ("training", "input-bound"),
        "labs/adding/step_01_first.py": ("training", "input-bound"),
    }.items():
        path = root / name
        path.write_text(path.read_text() + f"\nmenu = {place!r}\n")


def test_the_menu_groups_targets_by_goal_and_symptom(root, capsys):
    on_the_menu(root)
    assert module.command(menu=True) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line and not line.startswith(" ")] == [
        "training: input-bound",
        "both: launch-bound",
        "not on the menu",
        "4 targets: 2 timed, 1 verified only, 1 not here",
        "on your own program: perfproof ab --a 'YOUR COMMAND' with",
    ]
    first = " ".join(lines[: lines.index("")])
    assert "ch01:triton_kernel" in first and "labs/adding:step_01_first" in first and "ch01:timed" not in first


def test_json_of_the_menu_has_one_object_a_place(root, capsys):
    on_the_menu(root)
    _, places = objects(capsys, menu=True)
    assert [(one["goal"], one["symptom"], [row["target"] for row in one["targets"]]) for one in places] == [
        ("training", "input-bound", ["ch01:triton_kernel", "labs/adding:step_01_first"]),
        ("both", "launch-bound", ["ch01:timed"]),
        ("", "", ["ch02:hopper"]),
    ]
    declared = {one["target"]: one["menu"] for one in objects(capsys)[1]}
    assert declared["ch01:timed"] == ["both", "launch-bound"] and declared["ch02:hopper"] == []


def test_the_menu_on_a_terminal_has_headings_and_a_broken_file_its_place(root, capsys, monkeypatch):
    on_the_menu(root)
    (root / "chapters" / "ch01_goodput" / "bad.py").write_text("")
    assert module.command(menu=True) == 2
    assert "ch01:bad" in capsys.readouterr().out.partition("not on the menu")[2]
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    module.command(menu=True)
    shown = capsys.readouterr().out
    assert shown.index("training: input-bound") < shown.index("both: launch-bound") < shown.index("not on the menu")


def test_every_pair_of_the_chapters_is_on_the_menu(capsys):
    _, places = objects(capsys, menu=True)
    astray = {row["target"] for one in places if one["goal"] not in GOALS for row in one["targets"]}
    assert {target for target in astray if target.startswith("ch")} == set()


def test_targets_and_a_keyword_choose(root, capsys):
    assert [one["target"] for one in objects(capsys, "ch2")[1]] == ["ch02:hopper"]
    assert [one["target"] for one in objects(capsys, keyword="climb")[1]] == ["labs/adding:step_01_first"]


def test_an_unknown_target_is_refused(root):
    with pytest.raises(NothingMatched, match="did you mean ch01:timed"):
        module.command(["ch01:tmed"])


def test_the_device_is_asked_for(root, monkeypatch, capsys):
    asked = []

    def read_facts(device):
        asked.append(device)
        return Facts("cuda:1", 9.0, 2, 1, lambda name: True)

    monkeypatch.setattr(perfproof.machine.facts, "read_facts", read_facts)
    _, listed = objects(capsys, device="cuda:1")
    assert asked == ["cuda:1"]
    assert {one["runs"] for one in listed} == {"timed"}


def test_a_terminal_gets_colours_unless_they_are_not_wanted(root, capsys, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert module.command() == 0
    shown = capsys.readouterr().out
    assert "\x1b[32mtimed\x1b[0m" in shown and "labs/adding:step_01_first" in shown
    monkeypatch.setenv("NO_COLOR", "1")
    module.command()
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("columns", [60, 80, 132])
def test_the_list_is_as_wide_as_the_terminal(root, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    module.command()
    assert max(map(len, capsys.readouterr().out.splitlines())) <= columns


def test_the_command_line_lists(root, capsys):
    assert main(["list", "ch01", "-k", "timed", "--json"]) == 0
    assert [one["target"] for one in json.loads(capsys.readouterr().out)] == ["ch01:timed"]


def test_listing_loads_nothing_heavy(root):
    code = (
        "import sys, perfproof.cli.commands.list as l; from pathlib import Path; from perfproof.pairs import catalogue;"
        f"catalogue.catalogue_root = lambda: Path({str(root)!r}); l.command();"
        "sys.exit(repr(sorted({'torch', 'pydantic', 'rich', 'scipy', 'numpy'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root)
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("command", ["list", "run"])
def test_the_lab_that_the_help_offers_is_there(perfproof, command):
    from perfproof.pairs.catalogue import catalogue_root

    shown = perfproof(command, "--help").out
    labs = set(re.findall(r"labs/\w+", shown))
    assert labs and all((catalogue_root() / lab).is_dir() for lab in labs)
