"""Watch the machine, with or without a command of the user's, and sum it up."""

import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

from perfproof.app.prometheus import Latest, serving
from perfproof.app.session import terminated_like_interrupted
from perfproof.core.child import waited
from perfproof.core.errors import UnfitError, UsageError
from perfproof.core.telemetry import TelemetrySummary
from perfproof.machine.sampler import Sampler, summary
from perfproof.machine.telemetry.recording import Recording, Telemetry

START_SECONDS = 30.0  # the driver of GPUs that nobody uses takes its time
END_SECONDS = 5.0  # for a command that was interrupted, and again for one that was asked to end
MOST_HZ = 1000.0
EVERY_SECONDS = 1.0  # between two views

Show = Callable[[float, Telemetry], None]  # the seconds so far, and all readings
View = AbstractContextManager[Show]


@dataclass(frozen=True)
class Wishes:
    """What the user asked for."""

    program: tuple[str, ...] = ()
    interval: float | None = None
    seconds: float | None = None
    hz: float = 20
    record: str | None = None
    prometheus: int | None = None
    host: str = "127.0.0.1"

    def __post_init__(self) -> None:
        for option, value in (("--interval", self.interval), ("--seconds", self.seconds)):
            if value is not None and not value > 0:
                raise UsageError(f"{option} {value:g} leaves no time: write more than 0 seconds")
        if not 0 < self.hz <= MOST_HZ:
            raise UsageError(f"--hz {self.hz:g} can't be kept: write a number above 0, up to {MOST_HZ:.0f}")
        if self.program and self.seconds is not None:
            raise UsageError("--seconds beside a command, whose end is the end: leave one of the two out")
        if self.record and Path(self.record).exists():
            raise UsageError(f"--record {self.record}: the file exists; choose another name")
        if self.record and not Path(self.record).absolute().parent.is_dir():
            raise UsageError(f"--record {self.record}: there is no such folder; make it first")


def monitor(wishes: Wishes, view: View, say: Callable[[str], None]) -> TelemetrySummary:
    """Sample, show, serve; then the summary, with the command's exit code if there was a command."""
    with ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="perfproof-"))
        path = Path(wishes.record or f"{scratch}/telemetry.jsonl")
        sampler = stack.enter_context(Sampler(path, wishes.hz))
        recording = _started(sampler, path)
        if wishes.prometheus is not None:
            port = stack.enter_context(serving(wishes.host, wishes.prometheus, lambda: _latest(recording)))
            say(f"metrics at {wishes.host}:{port}/metrics")
        show = stack.enter_context(view)
        with terminated_like_interrupted():
            code = _watch(wishes, recording, show)
        sampler.stop()
        found = summary(recording.update())
    return found.model_copy(update={"command": list(wishes.program), "exit_code": code})


def _started(sampler: Sampler, path: Path) -> Recording:
    if not sampler.wait_ready(START_SECONDS):
        sampler.stop()
        raise UnfitError(f"no telemetry: {sampler.why or 'the sampler gave no reading'}; is {path.parent} writable?")
    recording = Recording(path)
    recording.update()
    return recording


def _watch(wishes: Wishes, recording: Recording, show: Show) -> int | None:
    """Until the command ends, the time is over or the person stops it; the command's exit code."""
    process = _start(wishes.program) if wishes.program else None
    began, interval = time.monotonic(), wishes.interval or EVERY_SECONDS
    try:
        while process is None or process.poll() is None:
            left = interval if wishes.seconds is None else min(interval, began + wishes.seconds - time.monotonic())
            if left <= 0:
                break
            time.sleep(left) if process is None else waited(process, left)
            show(time.monotonic() - began, recording.update())
    except KeyboardInterrupt:
        _end(process)
    if process is None:
        return None
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def _start(program: tuple[str, ...]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(program)
    except OSError as error:
        raise UsageError(f"cannot run {program[0]}: {error.strerror}; name a program and its arguments") from None


def _end(process: subprocess.Popen[bytes] | None) -> None:
    """Ctrl-C on a terminal has reached the command too; one that goes on is asked to end, then killed."""
    if process is None:
        return
    for insist in (process.terminate, process.kill):
        try:
            process.wait(END_SECONDS)
            return
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            insist()
    process.wait()


def _latest(recording: Recording) -> Latest:
    series = recording.telemetry.series if recording.telemetry else {}
    return {name: (one.column, one.values[-1]) for name, one in series.items() if one.values}
