"""Ask another program a question: within a time, without a terminal, in English, and with no part of it left behind."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SECONDS = 8.0
CHILDREN = Path(__file__).parent / "children"


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
        lines = [line.strip() for line in (self.err or self.out).splitlines() if line.strip()]
        return lines[-1][:200] if lines else f"exit code {self.code}"


def ask(arguments: list[str], seconds: float = SECONDS, environment: dict[str, str] | None = None) -> Answer:
    """Run a program. It gets a session of its own, so that everything it started ends with it."""
    try:
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, "LC_ALL": "C", **(environment or {})},
            start_new_session=True,
        )
    except OSError as error:
        return Answer(why=f"{Path(arguments[0]).name} cannot be started: {error.strerror}")
    try:
        out, err = process.communicate(timeout=seconds)
        return Answer(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        return Answer(why=f"{Path(arguments[0]).name} did not answer within {seconds:.0f} s")
    finally:
        _end(process)


def ask_child(name: str, seconds: float = SECONDS, environment: dict[str, str] | None = None) -> Answer:
    """Run a file of children/ with our interpreter: what may crash, hang, or must not be loaded here."""
    return ask([*python(), str(CHILDREN / f"{name}.py")], seconds, environment)


def python() -> list[str]:
    return [sys.executable, "-P"]  # the child's folder is no place to import from


def _end(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # the group outlives its leader if a part of it still runs
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    process.wait()
