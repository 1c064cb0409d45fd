"""`perfproof peak`: measures for real, keeps the ceilings of this machine, and says what it could not measure."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema
import pytest

from perfproof.core.ceilings import Ceiling
from perfproof.core.schema import schema_text
from perfproof.machine import ceilings
from perfproof.peak.processes import Outcome


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("PERFPROOF_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def fake_probe(monkeypatch):
    """Every probe gives what the test puts into `outcomes`, by the probe's name."""
    outcomes = {}
    monkeypatch.setattr("perfproof.peak.measure.run_probe", lambda probe, *_: outcomes.get(probe.name, Outcome()))
    return outcomes


def copy(value):
    return Ceiling(name="memory/copy", value=value, unit="bytes/s", low=value, high=value, repeats=3, counted="twice")


def test_it_measures_prints_saves_and_draws(perfproof, state, monkeypatch):
    monkeypatch.setattr("perfproof.peak.measure.UNSTEADY_SPREAD", float("inf"))  # this machine may be busy
    only = "loopback/round-trip,disk,cache/32KiB"
    done = perfproof("peak", "--quick", "--device", "cpu", "--only", only, "--output", "p.json", "--picture", "p.svg")
    assert done.code == 0, done.err
    assert "loopback/round-trip" in done.out and "µs" in done.out and "disk/buffered" in done.out
    assert "memory/copy" not in done.out
    saved = next(state.rglob("*.json"))
    assert f"saved in {saved}" in done.out and "wrote p.json" in done.out and "drew p.svg" in done.out
    document = json.loads(Path("p.json").read_text())
    jsonschema.validate(document, json.loads(schema_text("ceilings")))
    values = {one["name"]: one for one in document["ceilings"]}
    assert 0 < values["loopback/round-trip"]["value"] < 1 and values["loopback/round-trip"]["unit"] == "s"
    assert values["disk/buffered"]["value"] > 1e6 and values["disk/buffered"]["counted"]
    assert ElementTree.parse("p.svg").getroot().tag.endswith("svg")
    assert done.err == ""  # progress is for terminals


def test_json_is_the_document_and_nothing_else(perfproof, state, fake_probe):
    fake_probe["cpu_memory"] = Outcome([copy(1e10)])
    done = perfproof("peak", "--device", "cpu", "--json", "--no-save")
    document = json.loads(done.out)
    jsonschema.validate(document, json.loads(schema_text("ceilings")))
    assert done.code == 0 and [one["name"] for one in document["ceilings"]] == ["memory/copy"]
    assert not state.exists()


def test_only_replaces_just_those(perfproof, state, fake_probe):
    first = copy(1e10).model_copy(update={"name": "disk/direct"})
    fake_probe |= {"cpu_memory": Outcome([copy(1e10)]), "disk": Outcome([first])}
    perfproof("peak", "--device", "cpu")
    fake_probe["cpu_memory"] = Outcome([copy(2e10)])
    perfproof("peak", "--device", "cpu", "--only", "memory")
    (path,) = state.rglob("*.json")
    stored = ceilings.parse(path.read_text(), str(path))
    assert stored.get("memory/copy").value == 2e10 and stored.get("disk/direct").value == 1e10


def test_what_is_too_noisy_is_shown_and_not_saved(perfproof, state, fake_probe):
    fake_probe["cpu_memory"] = Outcome([copy(1e10).model_copy(update={"high": 3e10})])
    done = perfproof("peak", "--device", "cpu", "--only", "memory")
    assert "unsteady" in done.out and "not saved, too noisy: memory/copy" in done.out and "saved in" not in done.out
    assert not list(state.rglob("*.json"))


def test_a_probe_that_crashes_is_not_measured_and_exit_4(perfproof, state, fake_probe):
    fake_probe["disk"] = Outcome(why_rest="its process was killed by SIGKILL (out of memory?)", broken=True)
    done = perfproof("peak", "--device", "cpu", "--only", "disk", "--only", "memory/copy")
    assert done.code == 4
    assert "not measured" in done.out and "disk/direct: its process was killed by SIGKILL" in done.out
    assert not list(state.rglob("*.json"))  # nothing was measured, so nothing is kept


def test_an_unknown_name_is_refused_with_the_names(perfproof, state):
    done = perfproof("peak", "--device", "cpu", "--only", "warp")
    assert done.code == 5 and "no ceiling of cpu is called 'warp'" in done.err and done.err.count("\n") == 1


def test_a_folder_that_is_not_there_is_refused_before_anything_is_measured(perfproof, state):
    done = perfproof("peak", "--device", "cpu", "--output", "nowhere/p.json")
    assert done.code == 2 and "its folder does not exist" in done.err
