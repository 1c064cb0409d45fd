"""Run one probe in a fresh process of its own session, with a deadline: its crash or hang is its own."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from perfproof.core.ceilings import Ceiling
from perfproof.core.child import end, ending, last_line, start, waited
from perfproof.peak.plan import Plan, scratch_prefix
from perfproof.peak.probe_files import Probe


@dataclass
class Outcome:
    """What a probe gave: ceilings, reasons by name, and why it ended early, if it did."""

    ceilings: list[Ceiling] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    why_rest: str = ""  # holds for every declared name that did not come
    broken: bool = False  # it crashed or ran out of time


@dataclass(frozen=True)
class Started:
    """The process of a probe, which loads its libraries and then waits for the plan."""

    process: "subprocess.Popen[bytes]"
    found: int  # the end of a pipe, which its values come through
    log: IO[bytes]

    def wait_until_ready(self, seconds: float) -> None:
        """Its first line comes when it has loaded; if none comes in time, the probe's own time is spent on it."""
        select.select([self.found], [], [], seconds)

    def close(self) -> None:
        os.close(self.found)
        end(self.process)
        self.log.close()


def start_probe(probe: Probe) -> Started:
    read_end, write_end = os.pipe()
    log = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the process
    command = [sys.executable, "-m", "perfproof.peak.child", probe.name, str(write_end)]
    process = start(command, stdin=subprocess.PIPE, stdout=log, stderr=log, pass_fds=[write_end])
    os.close(write_end)
    return Started(process, read_end, log)


def run_probe(
    probe: Probe,
    plan: Plan,
    notify: Callable[[Ceiling], None] = lambda _: None,
    share: float | None = None,
    started: Started | None = None,
) -> Outcome:
    """`share` is the probe's part of a budget in seconds: what it found until then counts, and it is not broken."""
    cut = share is not None and share < probe.timeout
    seconds = share if share is not None and cut else probe.timeout
    child = started or start_probe(probe)
    outcome, deadline = Outcome(), time.monotonic() + seconds
    with contextlib.suppress(BrokenPipeError), child.process.stdin as line:  # type: ignore[union-attr]
        line.write(plan.to_json().encode())
    try:
        ended = _collect(child.found, outcome, deadline, notify)
        _say_why_ended(child.process, outcome, ended, seconds, child.log)
        if cut and not ended:
            why = f"cut after {seconds:.0f} s, its part of --quick; without --quick it has {probe.timeout:.0f} s"
            outcome.why_rest, outcome.broken = why, False
    finally:
        child.close()
        for left in Path(plan.folder).glob(f"{scratch_prefix(child.process.pid)}*"):
            shutil.rmtree(left, ignore_errors=True)
    return outcome


def _collect(source: int, outcome: Outcome, deadline: float, notify: Callable[[Ceiling], None]) -> bool:
    """Read lines until the probe closes its end (True) or the time is over (False)."""
    buffer = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([source], [], [], left)[0]:
            return False
        chunk = os.read(source, 65536)
        if not chunk:
            return True
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            _take(json.loads(line), outcome, notify)
    return False


def _take(message: dict, outcome: Outcome, notify: Callable[[Ceiling], None]) -> None:
    if "ready" in message:
        return
    if "found" in message:
        found = Ceiling.model_validate(message["found"])
        outcome.ceilings.append(found)
        notify(found)
    elif "missing" in message:
        outcome.missing[message["missing"]["name"]] = message["missing"]["why"]
    elif "not_measured" in message:
        outcome.why_rest = message["not_measured"]
    else:
        outcome.why_rest, outcome.broken = message["failed"], True


def _say_why_ended(process: subprocess.Popen, outcome: Outcome, closed: bool, timeout: float, log: IO[bytes]) -> None:
    if not closed:
        outcome.why_rest, outcome.broken = f"it took longer than {timeout:.0f} s and was ended", True
        return
    if not waited(process, 10):
        return  # everything has been said; it only does not end
    if process.returncode and not outcome.why_rest:
        outcome.broken = True
        memory = " (out of memory?)" if process.returncode == -signal.SIGKILL else ""
        log.seek(0)
        said = last_line(log.read())
        outcome.why_rest = f"its process {ending(process.returncode)}{memory}{f': {said}' if said else ''}"
