"""A sick node is called sick, from the documents of the bundle; without them nothing is claimed."""

import json

import pytest

from perfproof.machine.hardware import read_hardware
from perfproof.triage import session
from perfproof.triage.health import judge_health
from perfproof.triage.opening import Bundle
from perfproof.triage.session import TriageOptions
from perfproof.triage.verdicts import verdicts


@pytest.fixture
def made(tmp_path):
    return session.begin(TriageOptions(output_root=tmp_path / "out"), lambda line: None)


def test_a_machine_that_is_out_of_memory_is_one_to_watch(made, make_bundle):
    hardware = read_hardware()
    hardware.memory.total_bytes, hardware.memory.available_bytes = 1000, 1
    made.save("hardware", hardware)
    judge_health(made)
    assert made.steps[0].status == "ok" and "to watch" in made.steps[0].why
    health = json.loads((made.folder / "parsed/health.json").read_text())
    (shown,) = verdicts(Bundle(make_bundle().manifest, {"health": health}))
    assert any(line.startswith("to watch: host: share of memory available is 0.001") for line in shown.because)


def test_without_the_machine_written_down_nothing_is_judged(made):
    judge_health(made)
    assert made.steps[0].status == "not run"


def test_a_damaged_document_fails_the_step_alone(made):
    made.write("parsed/hardware.json", "{}")
    judge_health(made)
    assert made.steps[0].status == "failed"
