"""Run a program to its end or its deadline, with nothing of it left behind.

The program is started by bench's spawner, a small process in a session of its own that adopts whatever the program
leaves behind: a child that moved into another session is ended too, and so is everything if this process is killed.
No shell is involved.
"""

import ctypes
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfproof.bench.programs import spawner
from perfproof.bench.programs.program import PR_SET_CHILD_SUBREAPER, Program
from perfproof.core.errors import UnfitError
from perfproof.triage.capture import Capture

END_SECONDS = 5.0


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
        text = (self.err or self.out).decode(errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return lines[-1][:300] if lines else f"exit code {self.code}"


class Runner:
    """Starts one program at a time. Use it as a context; `stop`, from any thread, ends what runs."""

    def __init__(self) -> None:
        if not hasattr(os, "pidfd_open"):
            raise UnfitError("running a command for triage needs Linux 5.3 or newer (pidfd_open)")
        self._folder = tempfile.TemporaryDirectory(prefix="perfproof-triage-", ignore_cleanup_errors=True)
        ours, theirs = socket.socketpair()
        prctl = ctypes.CDLL(None).prctl
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", spawner.__file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: prctl(PR_SET_CHILD_SUBREAPER, 1),
        )
        theirs.close()
        self._line = ours

    def run(
        self,
        arguments: Sequence[str],
        seconds: float,
        limit: int,
        variables: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        """Run it once; of each of its two outputs at most `limit` bytes are kept."""
        folder = cwd or Path.cwd()
        program = Program("the command", tuple(arguments), folder, dict(variables or {}))
        executable = program.executable()
        out, err = (Capture(Path(self._folder.name) / name, limit) for name in ("out", "err"))
        answer: dict[str, Any] | None = None
        try:
            request = {
                "program": executable,
                "arguments": list(arguments),
                "environment": {**os.environ, **(variables or {})},
                "cwd": str(folder),
                "stdout": str(out.path),
                "stderr": str(err.path),
                "seconds": max(seconds, 0.0),
            }
            spawner.write(self._line.fileno(), request)
            answer = spawner.read(self._line.fileno())
        except OSError:
            answer = None  # `stop` has closed the line
        finally:
            said = out.close(), err.close()
        return _ran(tuple(arguments), answer, said, out.left_out + err.left_out)

    def stop(self) -> None:
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._line.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _ran(arguments: tuple[str, ...], answer: dict[str, Any] | None, said: tuple[bytes, bytes], left_out: int) -> Ran:
    if answer is None:
        return Ran(arguments, *said, left_out, refused="it was interrupted")
    if "refused" in answer:
        return Ran(arguments, *said, left_out, refused=f"it cannot be started: {answer['refused']}")
    return Ran(
        arguments,
        *said,
        left_out,
        start_ns=answer["start_ns"],
        end_ns=answer["end_ns"],
        cpu_seconds=answer["user"] + answer["system"],
        peak_bytes=answer["peak"] if answer["peak"] > answer["floor"] else None,
        code=os.waitstatus_to_exitcode(answer["status"]),
        late=answer["late"],
        left=answer["left"],
    )
