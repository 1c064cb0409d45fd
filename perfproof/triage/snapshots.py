"""Take the snapshot steps: a file in steps/ is one, with a docstring, a `DEADLINE` in seconds and `collect(evidence)`.

A step that says `ALONE = True` looks at what the machine does by itself, and is taken before the others, which run
beside each other. What one step does, or fails to do, touches no other.
"""

import ast
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from perfproof.core.errors import UsageError
from perfproof.core.triage import Status, TriageStep
from perfproof.triage import steps
from perfproof.triage.evidence import RECORDS
from perfproof.triage.runner import Ran, Runner

TOGETHER = 3
OUTPUT_BYTES = 1 << 16  # of a step's own process: a traceback at most
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Snapshot:
    name: str
    purpose: str
    deadline: float
    alone: bool


def snapshots(only: Sequence[str] = ()) -> list[Snapshot]:
    """The steps of the folder, or those that are asked for; they are read, not imported."""
    files = sorted(path for folder in steps.__path__ for path in Path(folder).glob("[a-z]*.py"))
    found = [_read(path) for path in files]
    names = [step.name for step in found]
    for name in only:
        if name not in names and name != "none":
            raise UsageError(f"--only {name!r}: there is no such step; choose among {', '.join(names)}, or none")
    return [step for step in found if not only or step.name in only]


def take(chosen: Sequence[Snapshot], folder: Path, ends: float, tell: Tell, done: list[TriageStep]) -> None:
    """All of them, each within its own deadline and before `ends` (time.monotonic); each is added to `done`."""
    for step in chosen:
        if step.alone:
            done.append(_take(step, folder, ends, Runner, tell))
    rest = [step for step in chosen if not step.alone]
    crew = Crew()
    with ThreadPoolExecutor(max_workers=TOGETHER) as together:
        asked = [together.submit(_take, step, folder, ends, crew.runner, tell) for step in rest]
        try:
            for one in asked:
                done.append(one.result())
        except BaseException:
            for one in asked:
                one.cancel()
            crew.stop()
            raise


class Crew:
    """The runners of steps that go on beside each other, so that all of them can be stopped."""

    def __init__(self) -> None:
        self._lock, self._runners, self._stopped = threading.Lock(), [], False  # type: ignore[var-annotated]

    def runner(self) -> Runner:
        with self._lock:
            one = Runner()
            self._runners.append(one)
            if self._stopped:
                one.stop()
            return one

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            for one in self._runners:
                one.stop()


def _read(path: Path) -> Snapshot:
    tree = ast.parse(path.read_text())
    values = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    purpose = (ast.get_docstring(tree) or "").partition("\n")[0].rstrip(".")
    return Snapshot(path.stem, purpose, float(values["DEADLINE"]), bool(values.get("ALONE", False)))  # type: ignore[arg-type]


def _take(step: Snapshot, folder: Path, ends: float, make: Callable[[], Runner], tell: Tell) -> TriageStep:
    tell(f"{step.name}: {step.purpose}")
    deadline = min(step.deadline, ends - time.monotonic())
    if deadline <= 0:
        return TriageStep(
            name=step.name,
            purpose=step.purpose,
            status="not run",
            why="the budget was used up",
            deadline_seconds=step.deadline,
        )
    began = time.monotonic()
    with make() as runner:
        ran = runner.run(
            [sys.executable, "-P", "-m", "perfproof.triage.step_child", step.name, str(folder)], deadline, OUTPUT_BYTES
        )
    status, why, record = _judged(ran, folder / RECORDS / f"{step.name}.json", deadline)
    return TriageStep(
        name=step.name,
        purpose=step.purpose,
        status=status,
        why=why,
        deadline_seconds=round(deadline, 3),
        seconds=round(time.monotonic() - began, 3),
        parsed=record.get("parsed", ""),
        commands=record.get("commands", []),
    )


def _judged(ran: Ran, path: Path, deadline: float) -> tuple[Status, str, dict]:
    """Status, reason, and the record that the step's process left."""
    try:
        record = json.loads(path.read_text())
    except (OSError, ValueError):
        record = {}
    if ran.refused:
        return "failed", ran.refused, record
    if ran.late:
        return "timed out", f"ended after its {deadline:.0f} s", record
    if not record or ran.code:
        return "failed", ran.last_line, record
    return record["status"], record["why"], record
