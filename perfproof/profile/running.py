"""Run a profiler with a deadline, as a session of its own, and leave no process of it behind.

At the deadline, and when it has written too much, it is asked to end (SIGINT: profilers then write what they have), and
after a grace it is killed.
Profilers start daemons that leave the group; every process that was started under ours carries a mark in its
environment, by which it is found.
"""

import json
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

import psutil

from perfproof.core import child
from perfproof.profile.plans import Ran

# By itself, by the deadline, by the limit of what it may write, because its recording was complete.
Ended = Literal["", "late", "large", "complete"]
AFTER_SECONDS = 2.0  # for a program to end by itself when its recording is complete
AGAIN_SECONDS = 15.0  # for its steps to begin after all: then the recording is taken again
MARK = "PERFPROOF_PROFILED"
GRACE_SECONDS = 20.0  # for a trace to be written
END_SECONDS = 10.0  # for the kernel to end what was killed
LOOK_SECONDS = 0.02
WEIGH_SECONDS = 0.5  # between two looks at what it has written
PRINTED = {"out": "stdout", "err": "stderr"}
MOST_TEXT = 1 << 20  # of what it printed: the end is kept


def run(
    command: Sequence[str],
    folder: Path,
    name: str,
    seconds: float,
    environment: Mapping[str, str] | None = None,
    grace: float = GRACE_SECONDS,
    most_bytes: int | None = None,
    complete: Path | None = None,
) -> Ran:
    """Run to the end, the deadline or the limit of what it may write; what it printed is in NAME.stdout and NAME.stderr
    of the folder, and all other files of the name are its own too. When the file `complete` is there, the recording is
    over, and little time is left to the program."""
    mark = secrets.token_hex(16)
    started = time.monotonic()
    with (folder / f"{name}.stdout").open("wb") as out, (folder / f"{name}.stderr").open("wb") as err:
        try:
            variables = {**os.environ, **(environment or {}), MARK: mark}
            process = child.start(command, stdout=out, stderr=err, env=variables)
        except OSError as error:
            return Ran(None, 0.0, late=False, left=0, out="", err="", why=child.cannot_start(command, error))
        ended: Ended = ""
        try:
            too_large = lambda: most_bytes is not None and written(folder, name) > most_bytes  # noqa: E731
            ended = _wait(process, seconds, too_large, complete)
            if ended:
                child.send(signal.SIGINT, process.pid)
                child.waited(process, grace)
            taken = time.monotonic() - started
        finally:
            left = _end_all(process, mark)
    printed = {short: _tail(folder / f"{name}.{kind}") for short, kind in PRINTED.items()}
    code, left = (None, 0) if ended else (process.returncode, left)
    return Ran(code, taken, ended == "late", left, **printed, large=ended == "large", complete=ended == "complete")


def files_of(folder: Path, name: str) -> list[Path]:
    """Everything that a command of this name wrote into the folder."""
    inside = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [path for path in inside if str(path.relative_to(folder)).startswith((f"{name}.", f"{name}-"))]


def written(folder: Path, name: str) -> int:
    """Bytes of it; a file that has gone meanwhile counts no more."""
    found = 0
    for path in files_of(folder, name):
        with suppress(FileNotFoundError):
            found += path.stat().st_size
    return found


def _wait(
    process: subprocess.Popen[bytes], seconds: float, too_large: Callable[[], bool], complete: Path | None = None
) -> Ended:
    """What came before its own end, if anything did."""
    deadline, recorded = time.monotonic() + seconds, False
    end = deadline
    while (rest := end - time.monotonic()) > 0:
        if child.waited(process, min(rest, WEIGH_SECONDS)):
            return ""
        if too_large():
            return "large"
        if complete is not None and recorded != complete.is_file():  # a recording may be taken again
            recorded = not recorded
            end = min(deadline, time.monotonic() + _left_after(complete)) if recorded else deadline
    if process.poll() is not None:
        return ""
    return "complete" if recorded else "late"


def _left_after(complete: Path) -> float:
    """Seconds for the program after its recording; a recording by time may be taken again, by steps."""
    try:
        return AGAIN_SECONDS if json.loads(complete.read_text()).get("may_be_taken_again") else AFTER_SECONDS
    except (OSError, ValueError, AttributeError):  # it has gone, or is being written
        return AGAIN_SECONDS


def _end_all(process: subprocess.Popen[bytes], mark: str) -> int:
    """Kill the group, and whatever left it; how many processes other than the command there still were."""
    left = {one.pid for one in _marked(mark)} - {process.pid}
    child.end(process)
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
