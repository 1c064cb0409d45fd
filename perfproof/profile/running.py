"""Run a profiler with a deadline, as a session of its own, and leave no process of it behind.

At the deadline it is asked to end (SIGINT: profilers then write what they have), and after a grace it is killed.
Profilers start daemons that leave the group; every process that was started under ours carries a mark in its
environment, by which it is found.
"""

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from perfproof.profile.plans import Ran

MARK = "PERFPROOF_PROFILED"
GRACE_SECONDS = 20.0  # for a trace to be written
END_SECONDS = 10.0  # for the kernel to end what was killed
LOOK_SECONDS = 0.02
PRINTED = ("stdout", "stderr")
MOST_TEXT = 1 << 20  # of what it printed: the end is kept


def run(
    command: Sequence[str],
    folder: Path,
    name: str,
    seconds: float,
    environment: Mapping[str, str] | None = None,
    grace: float = GRACE_SECONDS,
) -> Ran:
    """Run to the end or the deadline; what it printed is in NAME.stdout and NAME.stderr of the folder."""
    mark = secrets.token_hex(16)
    started = time.monotonic()
    with (folder / f"{name}.stdout").open("wb") as out, (folder / f"{name}.stderr").open("wb") as err:
        try:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, **(environment or {}), MARK: mark},
                start_new_session=True,
            )
        except OSError as error:
            why = f"{Path(command[0]).name} cannot be started: {error.strerror}"
            return Ran(None, 0.0, late=False, left=0, out="", err="", why=why)
        late = False
        try:
            late = _wait(process, seconds, grace)
            taken = time.monotonic() - started
        finally:
            left = _end_all(process, mark)
    code = None if late else process.returncode
    return Ran(code, taken, late, 0 if late else left, *(_tail(folder / f"{name}.{kind}") for kind in PRINTED))


def _wait(process: subprocess.Popen[bytes], seconds: float, grace: float) -> bool:
    """Whether the deadline came first."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
        return False
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(grace)
    return True


def _end_all(process: subprocess.Popen[bytes], mark: str) -> int:
    """Kill the group, and whatever left it; how many processes other than the command there still were."""
    left = {one.pid for one in _marked(mark)} - {process.pid}
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    end = time.monotonic() + END_SECONDS
    while (found := _marked(mark)) and time.monotonic() < end:
        for one in found:
            with suppress(psutil.Error):
                one.kill()
        time.sleep(LOOK_SECONDS)
    return len(left)


def _marked(mark: str) -> list[psutil.Process]:
    found = []
    for one in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if one.status() != psutil.STATUS_ZOMBIE and one.environ().get(MARK) == mark:
                found.append(one)
    return found


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - MOST_TEXT))
        return file.read().decode(errors="replace")
