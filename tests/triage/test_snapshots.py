"""Steps are files; each has its deadline, and what one does touches no other."""

import time

import pytest

from perfproof.core.errors import UsageError
from perfproof.triage import snapshots as module
from perfproof.triage.snapshots import Snapshot, snapshots, take


def run(names, tmp_path, ends=120.0):
    done = []
    take(names, tmp_path, time.monotonic() + ends, lambda line: None, done)
    return {step.name: step for step in done}


def test_the_folder_is_the_list_and_every_step_says_its_purpose_and_deadline():
    found = {step.name: step for step in snapshots()}
    assert {"identity", "processor", "sixty_seconds", "gpu", "software", "storage_network", "permissions"} <= set(found)
    assert all(step.purpose and 0 < step.deadline <= 30 for step in found.values())
    alone = sum(step.deadline for step in found.values() if step.alone)
    beside = [step.deadline for step in found.values() if not step.alone]
    assert alone + max(beside) < 60


def test_an_unknown_step_is_refused_with_the_names():
    with pytest.raises(UsageError, match="identity"):
        snapshots(["identify"])
    assert snapshots(["none"]) == []


def test_a_step_that_crashes_or_is_late_leaves_the_others_alone(tmp_path):
    wanted = [
        Snapshot("identity", "", 60.0, alone=False),
        Snapshot("no_such_step", "", 60.0, alone=False),
        Snapshot("sixty_seconds", "", 1.0, alone=False),
    ]
    found = run(wanted, tmp_path)
    assert found["identity"].status == "ok" and found["identity"].parsed == "parsed/host.json"
    assert found["no_such_step"].status == "failed" and "No module" in found["no_such_step"].why
    assert found["sixty_seconds"].status == "timed out" and "1 s" in found["sixty_seconds"].why


def test_a_step_for_which_there_is_no_time_is_not_run(tmp_path):
    found = run([Snapshot("identity", "", 60.0, alone=True)], tmp_path, ends=-1.0)
    assert (found["identity"].status, found["identity"].why) == ("not run", "the budget was used up")


def test_an_interrupt_stops_all_steps_at_once(tmp_path, monkeypatch):
    """The first step raises what Ctrl-C raises; the one beside it sleeps for longer than the test may take."""
    real = module._take

    def interrupted(step, *rest):
        if step.name == "identity":
            raise KeyboardInterrupt
        return real(step, *rest)

    monkeypatch.setattr(module, "_take", interrupted)
    wanted = [Snapshot(name, "", 250.0, alone=False) for name in ("identity", "sixty_seconds")]
    with pytest.raises(KeyboardInterrupt):
        run(wanted, tmp_path, ends=500.0)
