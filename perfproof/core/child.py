"""Other processes: each in a session of its own, without a terminal, within a time, with no part of it left behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 8.0
PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Answer:
    """What a program said. `why` is empty if it ran to its end, whatever its exit code."""

    code: int | None = None
    out: str = ""
    err: str = ""
    why: str = ""

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def text(self) -> str:
        return f"{self.out}\n{self.err}"

    @property
    def last_line(self) -> str:
        """What it complained about, as far as one line tells."""
        return last_line(self.err or self.out) or self.why or f"exit code {self.code}"


def ask(
    arguments: Sequence[str],
    seconds: float = SECONDS,
    environment: Mapping[str, str | None] | None = None,
    cwd: Path | None = None,
    errors: str = "replace",
) -> Answer:
    """Run a program to its end and read what it prints, in English. A variable that is None is taken away."""
    variables = {**os.environ, "LC_ALL": "C", **(environment or {})}
    try:
        process = start(
            arguments,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors=errors,
            cwd=cwd,
            env={name: value for name, value in variables.items() if value is not None},
        )
    except OSError as error:
        return Answer(why=cannot_start(arguments, error))
    try:
        out, err = process.communicate(timeout=seconds)
        return Answer(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        return Answer(why=f"{Path(arguments[0]).name} did not answer within {seconds:.0f} s")
    finally:
        end(process)
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def start(arguments: Sequence[str], **settings: Any) -> "subprocess.Popen[Any]":
    """Start it in a session of its own, which Ctrl-C does not reach, and with an empty standard input."""
    return subprocess.Popen(list(arguments), **{"stdin": subprocess.DEVNULL, "start_new_session": True, **settings})


def cannot_start(arguments: Sequence[str], error: OSError) -> str:
    return f"{Path(arguments[0]).name} cannot be started: {error.strerror}"


def python() -> list[str]:
    return [sys.executable, "-P"]  # the folder of a file that it runs is no place to import from


def waited(process: "subprocess.Popen[Any]", seconds: float) -> bool:
    """Whether it ended within the time."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    return process.returncode is not None


def end(process: "subprocess.Popen[Any]", grace: float = 0.0) -> None:
    """Wait for its own end, then kill it and what it started: the group outlives its leader if a part still runs."""
    if grace:
        waited(process, grace)
    send(signal.SIGKILL, process.pid)
    process.wait()


def send(number: signal.Signals, group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def ending(code: int) -> str:
    """How a process ended, from its exit code: exited with 3, was killed by SIGSEGV."""
    return f"exited with {code}" if code >= 0 else f"was killed by {signal.Signals(-code).name}"


def last_line(text: str | bytes, most: int = 200) -> str:
    """The last line that is not empty; empty if there is none."""
    text = text.decode(errors="replace") if isinstance(text, bytes) else text
    return next((line.strip()[:most] for line in reversed(text.splitlines()) if line.strip()), "")
