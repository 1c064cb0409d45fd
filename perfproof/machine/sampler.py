"""Sample the machine beside a run: `with Sampler(path): ...`, then `read(path)`.

The sampling is done by a process of its own; whatever goes wrong with it, the run goes on, and `why` says what it was.
Times are time.perf_counter_ns, as those of samples are.
"""

import os
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

from perfproof.core import child
from perfproof.machine.telemetry.recording import read
from perfproof.machine.telemetry.summary import summary
from perfproof.machine.telemetry.throttling import mark, throttled

__all__ = ["Sampler", "mark", "read", "summary", "throttled"]

END_SECONDS = 2.0
LOOK_SECONDS = 0.01


class Sampler:
    """Writes telemetry to `path` while the context is open. `gpus` are numbers in the driver's order; None is all."""

    def __init__(self, path: Path | str, hz: float = 20, gpus: Iterable[int] | None = None) -> None:
        self.path = Path(path).absolute()
        self.hz = hz
        self.gpus = "all" if gpus is None else ",".join(map(str, gpus))
        self.why = ""
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Sampler":
        module = "perfproof.machine.telemetry.process"
        arguments = [str(self.path), str(self.hz), self.gpus, str(os.getpid())]
        try:
            self.path.unlink(missing_ok=True)  # an older file would look like the first rows
            streams = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
            self._process = child.start([*child.python(), "-m", module, *arguments], **streams)
        except OSError as error:
            self.why = f"the sampler did not start: {error.strerror}"
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def wait_ready(self, seconds: float = 5.0) -> bool:
        """Whether the first rows are there; a run doesn't wait for them, a short command would miss them."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._process is not None and self._process.poll() is None:
            if self.path.exists() and self.path.read_bytes().count(b"\n") > 1:
                return True
            time.sleep(LOOK_SECONDS)
        return False

    def stop(self) -> None:
        """Ask for the last row and wait for the end; a sampler that hangs in the driver is left behind, killed."""
        if self._process is None:
            return
        try:
            _, said = self._process.communicate(timeout=END_SECONDS)  # closes standard input: the sign to end
            if self._process.returncode:
                self.why = f"the sampler ended early: {child.last_line(said) or f'code {self._process.returncode}'}"
        except subprocess.TimeoutExpired:
            self._process.kill()
            child.waited(self._process, LOOK_SECONDS)
            self.why = f"the sampler did not end within {END_SECONDS:.0f} s"
        self._process = None
