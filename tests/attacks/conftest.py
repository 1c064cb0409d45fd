"""Run a file of this folder: briefly, and as a user's own file that may borrow from a sibling."""

from collections.abc import Callable
from pathlib import Path

import pytest

from perfproof.bench import process, target
from perfproof.bench.job import Job
from perfproof.bench.launches import Launches
from perfproof.bench.resources import Peaks
from perfproof.core.documents import TargetResult
from perfproof.worker import drawn_elsewhere
from tests.conftest import BRIEF


@pytest.fixture
def run_attack(run_pair) -> Callable[..., TargetResult]:
    """Only a lab's step may borrow, so each file is read as one."""

    def run(pair: Path | str, **options: object) -> TargetResult:
        return run_pair(pair, chapter="labs/attacks", own=True, **{"effort": BRIEF, **options})

    return run


@pytest.fixture
def few_outputs_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of a second of comparing, and at least one output per side: every call of an honest pair is right.

    It remembers nothing either, so few calls on values from elsewhere show that.
    """
    monkeypatch.setattr(process, "CHECK_SECONDS", 0.1)
    monkeypatch.setattr(drawn_elsewhere, "ROUNDS", 9)


@pytest.fixture
def verified_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair is verified at both of its sizes and not timed."""
    monkeypatch.setattr(target, "_measure", lambda *_: None)


@pytest.fixture
def memory_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is weighed where it is the claim; beside another one it stops nothing that gains nothing."""
    weigh = target.measure_memory

    def weigh_a_claim(job: Job, launches: Launches, processes: int) -> Peaks:
        return weigh(job, launches, processes) if job.claim == "memory" else Peaks()

    monkeypatch.setattr(target, "measure_memory", weigh_a_claim)
