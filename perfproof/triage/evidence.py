"""What a step asks and what it is told: every question is recorded, every answer is kept as it came.

A step runs in a process of its own (`step_child`), which writes its record after each question: a step that is ended at
its deadline leaves an honest account of how far it came.
"""

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

from perfproof.core.atomic import write_atomic
from perfproof.core.child import Answer, ask
from perfproof.core.triage import Status, TriageCommand
from perfproof.machine import kernel_files

RECORDS = "steps"  # beside the bundle's own folders; joined into the manifest
DENIED = re.compile(
    r"permission denied|not permitted|must be root|insufficient permission|access denied", re.IGNORECASE
)


class Absent(Exception):
    """The subject of a step is not there: no GPU, no such kernel interface."""


class Evidence:
    """The record of one step, and the folder of the bundle that its answers go to."""

    def __init__(self, step: str, folder: Path) -> None:
        self.step, self.folder = step, folder
        self.commands: list[TriageCommand] = []
        self.parsed = ""

    def ask(self, *arguments: str, keep: str = "", seconds: float = 5.0) -> Answer:
        """Ask a program and keep what it says; a tool that is not installed is recorded as absent."""
        if shutil.which(arguments[0]) is None:
            why = f"{arguments[0]} is not on the PATH"
            self._record(TriageCommand(arguments=list(arguments), status="absent", why=why))
            return Answer(why=why)
        started = time.monotonic()
        answer = ask(list(arguments), seconds)
        took = time.monotonic() - started
        status, why = status_of(answer)
        output = self.keep(keep or f"{arguments[0]}.txt", answer.out or answer.err)
        self._record(
            TriageCommand(
                arguments=list(arguments),
                status=status,
                exit_code=answer.code,
                seconds=round(took, 3),
                why=why,
                output=output,
            )
        )
        return answer

    def read(self, path: str, keep: str = "") -> str | None:
        """A file of the kernel; None where it cannot be read, which is recorded."""
        text = kernel_files.read_text(path)
        status: Status = "ok" if text is not None else "absent"
        why = "" if text is not None else "there is no such file, or it may not be read"
        output = self.keep(keep, text or "") if keep else ""
        self._record(TriageCommand(arguments=["read", path], status=status, why=why, output=output))
        return text

    def keep(self, name: str, text: str) -> str:
        """Write an answer; nothing said is no file."""
        if not text.strip():
            return ""
        path = self.folder / "raw" / self.step / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text)
        return str(path.relative_to(self.folder))

    def save(self, name: str, value: Any) -> None:
        path = self.folder / "parsed" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, json.dumps(value, indent=1, sort_keys=True, default=str) + "\n")
        self.parsed = str(path.relative_to(self.folder))

    def write_record(self, status: Status, why: str = "") -> None:
        commands = [command.model_dump() for command in self.commands]
        record = {"status": status, "why": why, "parsed": self.parsed, "commands": commands}
        folder = self.folder / RECORDS
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / f"{self.step}.json", json.dumps(record))

    def _record(self, command: TriageCommand) -> None:
        self.commands.append(command)
        self.write_record("failed", "the step did not come to its end")


def status_of(answer: Answer) -> tuple[Status, str]:
    if answer.why:
        return ("timed out" if "did not answer" in answer.why else "failed"), answer.why
    if answer.ok:
        return "ok", ""
    denied = DENIED.search(answer.text)
    return ("denied" if denied else "failed"), answer.last_line
