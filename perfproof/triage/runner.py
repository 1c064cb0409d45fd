"""Run a program to its end or its deadline, with nothing of it left behind.

The program is started by bench's spawner, a small process in a session of its own that adopts whatever the program
leaves behind: a child that moved into another session is ended too, and so is everything if this process is killed.
No shell is involved.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfproof.bench.programs.program import Program, Spawner, used
from perfproof.core.child import last_line
from perfproof.triage.capture import Capture


@dataclass(frozen=True)
class Ran:
    """One run. `refused` says why it did not even start."""

    arguments: tuple[str, ...]
    out: bytes = b""
    err: bytes = b""
    left_out: int = 0
    start_ns: int = 0
    end_ns: int = 0
    cpu_seconds: float = 0.0
    peak_bytes: int | None = None
    code: int | None = None
    late: bool = False
    left: int = 0
    refused: str = ""

    @property
    def seconds(self) -> float:
        return (self.end_ns - self.start_ns) * 1e-9

    @property
    def last_line(self) -> str:
        """What it complained about, as far as one line tells."""
        return last_line(self.err or self.out, 300) or f"exit code {self.code}"


class Runner:
    """Starts one program at a time. Use it as a context; `stop`, from any thread, ends what runs."""

    def __init__(self) -> None:
        self._spawner = Spawner("running a command for triage")
        self.stop, self.close = self._spawner.stop, self._spawner.close

    def run(
        self,
        arguments: Sequence[str],
        seconds: float,
        limit: int,
        variables: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        """Run it once; of each of its two outputs at most `limit` bytes are kept."""
        program = Program("the command", tuple(arguments), cwd or Path.cwd(), dict(variables or {}))
        program.executable()  # UsageError if there is none
        out, err = (Capture(self._spawner.scratch / name, limit) for name in ("out", "err"))
        answer: dict[str, Any] | None = None
        try:
            environment = {**os.environ, **program.variables}
            answer = self._spawner.ask(program, environment, (out.path, err.path), max(seconds, 0.0))
        except OSError:
            answer = None  # `stop` has closed the line
        finally:
            said = out.close(), err.close()
        return _ran(tuple(arguments), answer, said, out.left_out + err.left_out)

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _ran(arguments: tuple[str, ...], answer: dict[str, Any] | None, said: tuple[bytes, bytes], left_out: int) -> Ran:
    if answer is None:
        return Ran(arguments, *said, left_out, refused="it was interrupted")
    if "refused" in answer:
        return Ran(arguments, *said, left_out, refused=f"it cannot be started: {answer['refused']}")
    return Ran(arguments, *said, left_out, **used(answer), code=os.waitstatus_to_exitcode(answer["status"]))
