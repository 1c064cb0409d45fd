"""Whole programs: what is started, how long it took, what it used.

A program is a list of arguments, never a line for a shell. It runs with an empty standard input, its output goes to
files, it has a session of its own, and nothing that it starts outlives it.
"""

import ctypes
import hashlib
import os
import re
import secrets
import shlex
import shutil
import socket
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perfproof.bench.programs import spawner
from perfproof.core import child
from perfproof.core.errors import UnfitError, UsageError

PADDING_BYTES = 4096
END_SECONDS = 5.0
MOST_TEXT = 256 * 1024  # of an output that is kept


@dataclass(frozen=True)
class Program:
    """One side: what is run, where, with which variables beyond (or in place of) those of the run itself."""

    label: str
    arguments: tuple[str, ...]
    cwd: Path
    variables: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """The variables and a padding drawn anew: the size of the environment moves a program's stack."""
        padding = "x" * secrets.randbelow(PADDING_BYTES)
        return {**os.environ, **self.variables, "PERFPROOF_PADDING": padding}

    def executable(self) -> str:
        """The file that is run, found as the program itself would be; UsageError where there is none."""
        name = self.arguments[0]
        path = self.variables.get("PATH", os.environ.get("PATH", os.defpath))
        found = shutil.which(str(self.cwd / name)) if os.sep in name else shutil.which(name, path=path)
        if found is None:
            raise UsageError(f"{self.label}: there is no program {name!r} to run; check the name, PATH and --cwd")
        return os.path.abspath(found)


@dataclass(frozen=True)
class Outcome:
    """What one run of a program was."""

    start_ns: int
    end_ns: int
    cpu_seconds: float  # user and system, of the program and every child that it waited for
    peak_bytes: int | None  # of the largest process in it; None where it is below what can be told
    floor_bytes: int  # below this, peak memory cannot be told
    status: int  # exit code; negative: killed by that signal
    late: bool  # killed at the time limit
    left: int  # processes that outlived it, and were ended
    stdout_sha256: str

    @property
    def seconds(self) -> float:
        return (self.end_ns - self.start_ns) * 1e-9

    @property
    def failure(self) -> str:
        """Why it counts as failed; empty where it ended with 0."""
        if self.late:
            return "ran out of time and was killed with its process group"
        return child.ending(self.status) if self.status else ""


def split_command(text: str, option: str) -> tuple[str, ...]:
    """A command as a list of arguments. Nothing of it ever meets a shell, so what only a shell does is refused."""
    try:
        arguments = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{option} {text!r} cannot be split into arguments: {error}; close what is quoted") from None
    if not arguments or not arguments[0]:
        raise UsageError(f"{option} is empty; write a program and its arguments")
    if found := shell_syntax(text):
        remedy = f"write sh -c {shlex.quote(text)} if a shell is meant (its start is then timed too), or a script"
        raise UsageError(f"{option} has {found}, which only a shell understands and none is used; {remedy}")
    return arguments


def shell_syntax(text: str) -> str:
    """The first thing that a shell would act on: an operator, $VAR, `command`, *.py, ~, X=1 before the program."""
    quote, before, escaped = "", " ", False
    for at, character in enumerate(text):
        rest = text[at:]
        if escaped or (character == "\\" and quote != "'"):
            escaped = not escaped
        elif character == quote:
            quote = ""
        elif not quote and character in "'\"":
            quote = character
        elif quote != "'" and _acts_on(rest, before, bool(quote)):
            return repr(rest.split()[0])
        before = character
    first = text.split()[0]
    if re.match(r"[A-Za-z_]\w*=", first):
        return f"{first!r} before the program (--env-a and --env-b set variables)"
    return ""


def _acts_on(rest: str, before: str, quoted: bool) -> bool:
    """Would a shell act on how this text begins? In double quotes it only expands."""
    if re.match(r"`|\$[A-Za-z_{(]", rest):
        return True
    return not quoted and (rest[0] in "|&;<>()*?" or (rest[0] == "~" and before.isspace()))


class Spawner:
    """The small process that starts programs, and the folder their output goes to. Use it as a context."""

    def __init__(self, purpose: str = "timing whole programs") -> None:
        if not hasattr(os, "pidfd_open"):
            raise UnfitError(f"{purpose} needs Linux 5.3 or newer (pidfd_open)")
        self._folder = tempfile.TemporaryDirectory(prefix="perfproof-programs-", ignore_cleanup_errors=True)
        self.scratch = Path(self._folder.name)
        ours, theirs = socket.socketpair()
        prctl = ctypes.CDLL(None).prctl

        def adopt_orphans() -> None:
            prctl(
                child.PR_SET_CHILD_SUBREAPER, 1
            )  # kept through exec; loading ctypes there would make that process larger

        command = [sys.executable, "-I", "-S", spawner.__file__, str(theirs.fileno())]
        self._process = child.start(command, pass_fds=[theirs.fileno()], preexec_fn=adopt_orphans)
        theirs.close()
        self._line = ours

    def run(self, program: Program, name: str, seconds: float) -> Outcome:
        """Run it once; its output is in `stdout_of(name)` and `stderr_of(name)` until the next run of that name."""
        outputs = self.stdout_of(name), self.stderr_of(name)
        answer = self.ask(program, program.environment(), outputs, seconds)
        if answer is None:
            raise UnfitError("the process that starts programs has ended; run the command again")
        if "refused" in answer:
            raise UsageError(f"{program.label}: {program.arguments[0]!r} cannot be started: {answer['refused']}")
        return Outcome(
            **used(answer),
            floor_bytes=answer["floor"],
            status=os.waitstatus_to_exitcode(answer["status"]),
            stdout_sha256=_hash_of(self.stdout_of(name)),
        )

    def ask(
        self, program: Program, environment: dict[str, str], outputs: tuple[Path, Path], seconds: float
    ) -> dict[str, Any] | None:
        """The answer of the small process; None if it has ended, OSError if `stop` has closed the line."""
        request = {
            "program": program.executable(),
            "arguments": list(program.arguments),
            "environment": environment,
            "cwd": str(program.cwd),
            "stdout": str(outputs[0]),
            "stderr": str(outputs[1]),
            "seconds": seconds,
        }
        spawner.write(self._line.fileno(), request)
        return spawner.read(self._line.fileno())

    def stop(self) -> None:
        """End what runs, from any thread."""
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)

    def stdout_of(self, name: str) -> Path:
        return self.scratch / f"{name}.stdout"

    def stderr_of(self, name: str) -> Path:
        return self.scratch / f"{name}.stderr"

    def close(self) -> None:
        """Closing the line ends the process, and whatever it still runs."""
        self._line.close()
        child.end(self._process, grace=END_SECONDS)
        self._folder.cleanup()

    def __enter__(self) -> "Spawner":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def used(answer: dict[str, Any]) -> dict[str, Any]:
    """What both who time programs and who only run them keep of an answer."""
    return {
        "start_ns": answer["start_ns"],
        "end_ns": answer["end_ns"],
        "cpu_seconds": answer["user"] + answer["system"],
        "peak_bytes": answer["peak"] if answer["peak"] > answer["floor"] else None,
        "late": answer["late"],
        "left": answer["left"],
    }


def kept_text(path: Path) -> str:
    """An output as text; of a long one the beginning and the end."""
    try:
        data = path.read_bytes()
    except OSError:
        return ""
    if len(data) > MOST_TEXT:
        cut = f"\n[{len(data) - MOST_TEXT} bytes left out]\n".encode()
        data = data[: MOST_TEXT // 2] + cut + data[-MOST_TEXT // 2 :]
    return data.decode(errors="replace")


def _hash_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
