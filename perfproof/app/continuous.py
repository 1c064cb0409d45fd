"""Measure a plan: entry by entry, each saved as it ends, so that a killed call goes on where it was.

artifacts/continuous/<plan>/state.json   what this round has done
artifacts/continuous/<plan>/alert.json   what changed in the last round that ended; no file where nothing did
"""

import fcntl
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfproof.app import alerts as alerting
from perfproof.app.plan_file import command_of
from perfproof.app.session import now, terminated_like_interrupted
from perfproof.core.atomic import write_atomic
from perfproof.core.continuous import Alerts, ContinuousState, Done
from perfproof.core.errors import DocumentError, UsageError
from perfproof.core.plan import Entry, Plan
from perfproof.history.artifacts import make_artifacts

FOLDER, STATE, ALERT, LOCK = "continuous", "state.json", "alert.json", "lock"
INTERRUPTED = 130


class Interrupted(Exception):
    """A command was stopped by a person or a system: it is no result."""


@dataclass(frozen=True)
class Round:
    """One call: the plan, what of it is wanted, and where everything lies."""

    plan: Plan
    sha256: str
    entries: Sequence[Entry]
    artifacts_dir: str
    seconds: float = float("inf")

    @property
    def folder(self) -> Path:
        return Path(self.artifacts_dir) / FOLDER / self.plan.name


def carry_on(asked: Round, restart: bool, say: Callable[[str], None]) -> tuple[ContinuousState, Alerts | None]:
    """Measure what this round still lacks; with the last entry comes what changed since the round before."""
    end = time.monotonic() + asked.seconds
    with _alone(asked.folder), terminated_like_interrupted():
        state = begin(asked, restart)
        for entry in asked.entries:
            if entry.name in state.done:
                say(f"{entry.name}: done already, {state.done[entry.name].run}")
                continue
            if time.monotonic() >= end:
                say(f"{entry.name}: the budget is used up; the next call goes on here")
                return state, None
            say(f"{entry.name}: {' '.join(command_of(entry, asked.artifacts_dir))}")
            state.done[entry.name] = measured(entry, asked.artifacts_dir)
            save(asked, state)
        alerts = alerting.alerts_of(asked.plan, asked.entries, state, asked.artifacts_dir)
        _write_alerts(asked.folder / ALERT, alerts)
        state.finished = now()
        save(asked, state)
    return state, alerts


def begin(asked: Round, restart: bool) -> ContinuousState:
    """The round that was not finished, or a new one that remembers the words of the last."""
    last = load_state(asked.folder)
    if last is not None and last.finished is None and last.plan_sha256 == asked.sha256 and not restart:
        return last
    state = ContinuousState(plan=asked.plan.name, plan_sha256=asked.sha256, started=now())
    if last is not None:
        state.round = last.round + 1
        state.before = last.before | {name: done.words for name, done in last.done.items() if done.words}
        state.known_changes = last.known_changes
    save(asked, state)
    return state


def load_state(folder: Path) -> ContinuousState | None:
    path = folder / STATE
    if not path.is_file():
        return None
    try:
        return ContinuousState.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        why = str(error).splitlines()[0]
        raise DocumentError(f"{path}: cannot be read: {why}; remove it to begin anew") from None


def save(asked: Round, state: ContinuousState) -> None:
    write_atomic(asked.folder / STATE, state.model_dump_json(indent=1) + "\n")


def measured(entry: Entry, artifacts_dir: str) -> Done:
    """One entry, by a process of its own: whatever it does, the plan goes on."""
    started = now()
    code, document = _call(command_of(entry, artifacts_dir))
    return alerting.done_of(entry, started, code, document, artifacts_dir)


def _call(words: list[str]) -> tuple[int, dict[str, Any] | None]:
    """Exit code and the document that was printed, if any."""
    child = subprocess.Popen([sys.executable, "-m", "perfproof", *words], stdout=subprocess.PIPE, text=True)
    try:
        printed, _ = child.communicate()
    except BaseException:
        child.terminate()  # it saves what it has, and leaves no process behind
        child.communicate()
        raise
    if child.returncode < 0 or child.returncode == INTERRUPTED:
        raise Interrupted(f"perfproof {words[0]} was stopped; the same command goes on with it")
    try:
        document = json.loads(printed)
    except ValueError:
        return child.returncode, None
    return child.returncode, document if isinstance(document, dict) else None


def _write_alerts(path: Path, alerts: Alerts) -> None:
    """That the file is there is the alarm."""
    if alerts.alerts:
        write_atomic(path, alerts.model_dump_json(indent=1) + "\n")
    else:
        path.unlink(missing_ok=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two calls of one plan at a time would disturb each other's measurements; the lock ends with its process."""
    try:
        make_artifacts(folder)
        with open(folder / LOCK, "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError:
        raise UsageError(f"this plan is being measured already, in {folder}; wait for it to end") from None
    except PermissionError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}; choose another --artifacts-dir") from None
