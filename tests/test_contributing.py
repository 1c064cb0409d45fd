"""The examples of CONTRIBUTING.md work as they stand."""

import re
from pathlib import Path

import pytest

from perfproof.calc import calculators
from perfproof.cli.app import main
from perfproof.core.diagnosis import Abstained
from perfproof.core.errors import DocumentError
from perfproof.core.options import Effort
from perfproof.diagnose import rules
from perfproof.diagnose.diagnose import load_rule, rule_names
from perfproof.diagnose.evidence import Evidence, gather
from perfproof.pairs.contract import read_pair
from perfproof.profile import readers
from perfproof.profile.reading import read, reader_files

TEXT = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text()
RECORDED = Path(__file__).parent / "faults" / "recorded"
BRIEF = Effort("quick", 1, 1, couples=1, quads=5, most_quads=5, seconds=0.01, new_interpreters=False)
EXAMPLES = dict(re.findall(r"```python (\w+)\n(.*?)```", TEXT, re.DOTALL))


@pytest.fixture
def add(tmp_path, monkeypatch):
    """Put an example into a folder of its own that a package looks into too."""

    def add(kind, name, package=None):
        path = tmp_path / f"{name}.py"
        path.write_text(EXAMPLES[kind])
        if package:
            monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
        return path

    return add


def test_there_is_an_example_of_each():
    assert set(EXAMPLES) == {"pair", "calculator", "rule", "reader"}


def test_the_pair_keeps_the_contract_and_is_verified(add, run_pair):
    pair = read_pair(add("pair", "sum_of_squares"), "sum_of_squares", "ch01")
    assert pair.variants == ("optimized",) and pair.tier == "idiomatic"
    assert run_pair(pair.path, effort=BRIEF, fast=True).status == "ok"


def test_the_calculator_is_found_and_calculates(add, capsys):
    add("calculator", "loading", calculators)
    assert main(["calc", "loading", "--gigabytes", "16", "--gb-s", "2"]) == 0
    assert "8 s to load" in capsys.readouterr().out


def test_the_rule_is_found_abstains_and_finds(add):
    add("rule", "one_kernel", rules)
    assert "one_kernel" in rule_names()
    rule = load_rule("one_kernel")
    assert isinstance(rule.find(Evidence()), Abstained)
    found = rule.find(gather([RECORDED / "full_precision.json.gz"]))
    assert found.title == "one kernel takes most of the time"
    assert rule.find(gather([RECORDED / "sync_in_loop.json.gz"])) is None


def test_the_reader_is_found_reads_and_refuses(add, tmp_path):
    add("reader", "step_list", readers)
    assert "step_list" in reader_files()
    (tmp_path / "steps.csv").write_text("step,start_ms,end_ms\n0,0,10\n1,10,21\nx\n")
    events = read(tmp_path / "steps.csv")
    assert list(events.series["step"].values) == [10.0, 11.0] and len(events.warnings) == 1
    (tmp_path / "steps.csv").write_text("step,start_ms,end_ms\n")
    with pytest.raises(DocumentError, match="no steps"):
        read(tmp_path / "steps.csv")
