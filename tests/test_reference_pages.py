"""Tables of figures and of commands: each figure is in its source, each command and option exists."""

import json
import re
import shlex
from pathlib import Path

import pytest

from perfproof.cli.app import main
from perfproof.machine.datasheet import named

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SHEETS = ("A100 SXM 80 GB", "H100 SXM", "H200 SXM", "B200")
STATES = {"kept", "partly", "missing", "differs"}
PAGES = ("evidence/seed-rows.md", "power.md", "moving.md", "cutlass.md", "architectures.md")


def rows(page):
    text = (DOCS / page).read_text()
    lines = [line for line in text.splitlines() if line.startswith("|") and not set(line) <= set("|-: ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def commands(page):
    """Commands in code, without what they run themselves."""
    found = re.findall(r"`(perfproof [^`]+)`", (DOCS / page).read_text())
    return [shlex.split(one.partition(" -- ")[0])[1:] for one in found]


def test_every_row_has_a_state_and_a_command():
    table = [row for row in rows("evidence/seed-rows.md") if row[0].isdigit()]
    numbers = [int(row[0]) for row in table]
    assert numbers == sorted(set(numbers)) and len(table) >= 50
    for _, _, state, command, reason in table:
        assert state in STATES and command.startswith("`perfproof ")
        assert reason or state == "kept"


@pytest.fixture(scope="module")
def helps():
    return {}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_of_a_page_exists(page, helps, capsys):
    asked = commands(page)
    assert asked
    for words in asked:
        path = words[:1]
        if words[0] in ("calc", "hw", "triage", "intake", "report", "expectations") and len(words) > 1:
            path += [word for word in words[1:2] if re.fullmatch(r"[a-z-]+", word) and not word.startswith("-")]
        if tuple(path) not in helps:
            assert main([*path, "--help"]) == 0, words
            helps[tuple(path)] = capsys.readouterr().out
        for word in words[len(path) :]:
            if re.match(r"--?[a-z]", word):
                assert re.search(rf"(?<![\w-]){re.escape(word.partition('=')[0])}(?![\w-])", helps[tuple(path)]), words


def test_a_command_that_does_not_exist_would_be_found(capsys):
    assert main(["no-such-command", "--help"]) != 0
    capsys.readouterr()


def test_figures_of_cards_are_those_of_the_data_sheets():
    table = {row[0]: row[1:] for row in rows("moving.md") if len(row) == 5}
    sheets = [named(name) for name in SHEETS]
    assert table[""] == list(SHEETS)
    assert table["memory, TB/s"] == [f"{sheet.memory_bytes_s / 1e12:.4g}" for sheet in sheets]
    assert table["power, W"] == [f"{sheet.power_watts:.4g}" for sheet in sheets]
    for dtype in ("fp64", "tf32", "bf16", "fp8", "fp4"):
        figures = [f"{sheet.flops[dtype] / 1e12:.4g}" if dtype in sheet.flops else "–" for sheet in sheets]
        assert table[f"{dtype}, dense TFLOP/s"] == figures


def test_energies_are_those_of_the_saved_runs():
    saved = {}
    for line in (DOCS / "evidence" / "data" / "h200-chapters.jsonl").read_text().splitlines():
        one = json.loads(line)
        if one["verdict"] != "indicative":
            for variant, judged in one["ratios"].items():
                joules = one["energy_joules"]
                pair = joules["baseline"], joules[variant]
                figures = [f"{judged['ratio']:.3g}x", *(f"{1e3 * value:.4g} mJ" for value in pair)]
                saved[f"{one['target']} {variant}"] = [*figures, f"{pair[0] / pair[1]:.3g}x"]
    table = {row[0]: row[1:] for row in rows("power.md") if re.match(r"ch\d\d:", row[0])}
    assert table == saved


def test_power_at_a_full_load_is_that_of_the_ceilings():
    ceilings = (DOCS / "evidence" / "h200-ceilings.md").read_text()
    for row in rows("power.md"):
        if len(row) == 5 and "MHz" in row[2]:
            rate = row[1].replace("1330 TFLOP/s", "1.33 PFLOP/s")
            assert re.search(rf"{re.escape(rate)}.*{row[2]}, {row[3]}", ceilings), row
