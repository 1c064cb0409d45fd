"""Plans: what is read, what is refused, and the commands that come of it."""

import json

import pytest

from perfproof.app.plan_file import chosen_entries, command_of, read_plan
from perfproof.core.errors import PerfproofError
from perfproof.core.plan import Entry

GOOD = {"name": "p", "entries": [{"name": "one", "targets": ["ch01"]}]}


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "plan"
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


def test_json_and_yaml_are_the_same_plan(written):
    from_json, first = read_plan(written(GOOD))
    from_yaml, second = read_plan(written("name: p\nentries:\n- {name: one, targets: [ch01]}\n"))
    assert from_json == from_yaml and first != second


def test_an_entry_becomes_a_command_with_its_options():
    entry = Entry(name="a", targets=["x", "y"], effort="final", budget="3m", timeout="9", fast=True, device="cuda:1")
    options = ["--effort", "final", "--budget", "3m", "--timeout", "9", "--device", "cuda:1", "--fast"]
    assert command_of(entry, "out") == ["run", "x", "y", *options, "--artifacts-dir", "out", "--json"]
    assert command_of(entry.model_copy(update={"gate": "expectations"}), "out")[0] == "verify"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "valid dictionary"),
        ("[1", "neither YAML nor JSON"),
        ("a: b: c", "neither YAML nor JSON"),
        ("!!python/object/apply:os.system [echo]", "neither YAML nor JSON"),
        ({"name": "p", "entries": []}, "entries: List should have at least 1 item"),
        ({"name": "../p", "entries": GOOD["entries"]}, "name: "),
        (GOOD | {"entires": 1}, "entires: Extra inputs"),
        (GOOD | {"schema_version": 2}, "schema_version: "),
        (GOOD | {"budget": "soon"}, "budget 'soon' is no time"),
        (GOOD | {"entries": GOOD["entries"] * 2}, "two entries have the name one"),
        (GOOD | {"entries": [{"name": "a", "targets": []}]}, "entries.0.targets"),
        (GOOD | {"entries": [{"name": "a", "targets": ["x"], "effort": "huge"}]}, "entries.0.effort"),
        (GOOD | {"entries": [{"name": "a", "targets": ["x"], "budget": "0"}]}, "a.budget '0' leaves no time"),
        ("x" * 1_000_001, "more than 1,000,000 bytes"),
    ],
)
def test_a_plan_with_a_mistake_is_refused_in_one_line_that_names_it(written, content, why):
    with pytest.raises(PerfproofError) as refused:
        read_plan(written(content))
    assert why in str(refused.value) and "\n" not in str(refused.value)


def test_a_plan_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(PerfproofError, match="No such file"):
        read_plan(tmp_path / "nothing")


def test_a_tag_of_the_plan_is_a_tag_of_every_entry(written):
    plan, _ = read_plan(written(GOOD | {"tags": ["night"]}))
    assert chosen_entries(plan, ["night"]) == plan.entries == chosen_entries(plan, [])
