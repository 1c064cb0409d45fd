"""Launches: separately started interpreters, each with its own layout, hash seed and environment, and their workers.

A launch is the unit of replication. Forks of one launch share its address layout, so they are repetitions inside a
unit, never units themselves.
"""

import contextlib
import json
import math
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any, BinaryIO, cast

from perfproof.bench import spent, starting
from perfproof.bench.starting import START_SECONDS
from perfproof.core.child import ending, last_line, send, start
from perfproof.core.errors import UnfitError, WorkerCrashed, WorkerTimeout
from perfproof.worker import libraries
from perfproof.worker.channel import Channel, ChannelClosed

END_SECONDS = 2.0


class Worker:
    """A forked process that holds one target; the run's side of its line."""

    def __init__(self, launch: "Launch", pid: int, channel: Channel, log: Path):
        self.launch, self.pid, self.channel, self.log = launch, pid, channel, log
        self.repeated, self.held_sets = 0.0, 0  # what its last reply said of the pool of arguments
        self._ended = False
        self._told: list[str] = []  # commands whose replies have not been read

    def tell(self, command: str, **fields: Any) -> None:
        """Send a command and go on; its reply is read before that of the next question."""
        with contextlib.suppress(ChannelClosed):  # seen, with its cause, by whoever asks next
            self.channel.send({"command": command, **fields})
        self._told.append(command)

    def hear(self, command: str, deadline: float) -> dict[str, Any]:
        """The reply to a command that was told; those to earlier ones are not wanted."""
        starting.attend(command)
        with spent.on(command):
            while self._told.pop(0) != command:
                self._receive(command, deadline)
            return self._receive(command, deadline)

    def ask(self, command: str, deadline: float, **fields: Any) -> dict[str, Any]:
        """Send a command, return the reply. A worker that dies, fails or hangs raises with what it printed last."""
        starting.attend(command)
        with spent.on(command):
            return self._ask(command, deadline, fields)

    def _ask(self, command: str, deadline: float, fields: dict[str, Any]) -> dict[str, Any]:
        try:
            self.channel.send({"command": command, **fields})
        except ChannelClosed:
            raise WorkerCrashed(self.launch.why_ended(self.pid)) from None
        while self._told:
            self._told.pop(0)
            self._receive(command, deadline)
        return self._receive(command, deadline)

    def _receive(self, command: str, deadline: float) -> dict[str, Any]:
        try:
            reply = self.channel.receive(deadline)
        except ChannelClosed:
            raise WorkerCrashed(self.launch.why_ended(self.pid)) from None
        except WorkerTimeout:
            self.kill()
            raise WorkerTimeout(f"ran out of time during {spent.words(command)}") from None
        if "failed" in reply:
            raise WorkerCrashed(reply["failed"])
        return reply

    def close(self) -> None:
        """Let the worker end by itself, then make sure."""
        if self._ended:
            return
        with contextlib.suppress(ChannelClosed):
            self.channel.send({"command": "close"})
        if self.launch.patient:
            self.launch.wait_ended(self.pid, seconds=END_SECONDS)
            self.kill()
        else:
            self._ended = True
            leaving.append(self)

    def kill(self) -> None:
        self._ended = True
        send(signal.SIGKILL, self.pid)
        self.channel.close()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


leaving: list[Worker] = []  # those that have been told to end and were not waited for


def see_off(launch: "Launch | None" = None) -> None:
    """Wait until the workers of a launch have ended, or all of them.

    A process that gives gigabytes back to a GPU holds up the launches of others: a sample of 1 ms took up to 50 ms.
    """
    for worker in [one for one in leaving if launch in (None, one.launch)]:
        worker.launch.wait_ended(worker.pid, seconds=END_SECONDS)
        worker.kill()
        leaving.remove(worker)


def start_launch(environment: dict[str, str], scratch: Path) -> "Launch":
    """Start an interpreter that becomes a warm parent."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    log = (scratch / f"parent-{secrets.token_hex(4)}.log").open("wb+")
    command = [sys.executable, "-m", "perfproof.worker.warm_parent", str(theirs.fileno())]
    streams = {"pass_fds": [theirs.fileno()], "stdout": log, "stderr": log}
    process = start(command, env=own_layout(environment), cwd=scratch, **streams)
    theirs.close()
    return Launch(ours, process, scratch, log)


class Launch:
    """One warm parent."""

    by_torchrun = False
    apart = False  # True if it is two interpreters, one for each side

    def __init__(
        self, control: socket.socket, process: subprocess.Popen, scratch: Path, log: BinaryIO, ready: bool = False
    ):
        self.control, self.process, self.scratch, self._log = control, process, scratch, log
        self._exits: dict[int, int] = {}
        self._ready, self._fit = ready, True
        # A process with a GPU's context takes a quarter of a second to begin and an eighth to end: with a GPU the next
        # one is forked, and the last one ends, while others are checked and warmed up.
        self.patient = True
        self.ahead: Worker | None = None

    def parents(self, ranks: int) -> "list[Launch]":
        """Whom each rank is forked from."""
        return [self] * ranks

    def with_libraries(self, names: Path) -> "Launch":
        """Another parent, forked from this one, that imports the libraries named in a file; it is not waited for."""
        self.wait_ready()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        log = (self.scratch / f"parent-{secrets.token_hex(4)}.log").open("wb+")
        message = json.dumps({"libraries": str(names)}).encode()
        socket.send_fds(self.control, [message], [theirs.fileno(), log.fileno()])
        theirs.close()
        pid = self._read(START_SECONDS, "forked")["forked"]
        return Launch(ours, cast(subprocess.Popen, Forked(pid)), self.scratch, log)

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def is_ready(self) -> bool:
        return self._ready

    def wait_ready(self, seconds: float = START_SECONDS) -> bool:
        """Is it fit to be forked from? One that imported a target's libraries may not be."""
        if not self._ready:
            self._fit = self._read(seconds, "ready").get("fit", True)
            self._ready = True
        return self._fit

    def fork(self) -> Worker:
        """A new worker; one that was forked ahead where there is one."""
        see_off(self)
        worker, self.ahead = self.ahead or self._fork(), None
        return worker

    def fork_rank(self) -> Worker:
        """A new worker in any case: one that was forked ahead has opened a device, and its reply is still to come."""
        see_off(self)
        return self._fork()

    def fork_ahead(self, device: str) -> None:
        """Let the next worker open its device while something else goes on."""
        if self.ahead is None and self._ready and not self.ended:
            self.ahead = self._fork()
            self.ahead.tell("warm", device=device)

    def _fork(self) -> Worker:
        self.wait_ready()
        ours, theirs = socket.socketpair()
        key = secrets.token_bytes(32)
        descriptor, name = tempfile.mkstemp(dir=self.scratch, prefix="worker-", suffix=".log")
        socket.send_fds(self.control, [json.dumps({"key": key.hex()}).encode()], [theirs.fileno(), descriptor])
        theirs.close()
        os.close(descriptor)
        pid = self._read(START_SECONDS, "forked")["forked"]
        return Worker(self, pid, Channel(ours, key), Path(name))

    def why_ended(self, pid: int) -> str:
        status = self.wait_ended(pid, seconds=5.0)
        if status is None and self.ended:
            return "the interpreter that the worker was forked from was killed"
        if status is None:
            return "the worker closed its line and did not end"
        code = os.waitstatus_to_exitcode(status)
        if code < 0:
            memory = " (out of memory?)" if code == -signal.SIGKILL else ""
            return ending(code).removeprefix("was ") + memory
        return f"{ending(code)} before the end"

    def wait_ended(self, pid: int, seconds: float) -> int | None:
        deadline = time.monotonic() + seconds
        while pid not in self._exits and time.monotonic() < deadline:
            try:
                self._read(max(0.01, deadline - time.monotonic()), "exited")
            except UnfitError:
                break
            except WorkerTimeout:
                pass
        return self._exits.get(pid)

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    def kill(self) -> None:
        starting.send(signal.SIGKILL, self.pid)

    def close(self) -> None:
        see_off(self)
        self.control.close()
        try:
            self.process.wait(2.0)
        except subprocess.TimeoutExpired:
            self.kill()
            self.process.wait()
        self._log.close()

    def _read(self, seconds: float, wanted: str) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while True:
            self.control.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                raw = self.control.recv(65536)
            except TimeoutError:
                raise WorkerTimeout(f"no `{wanted}` from a warm parent within {seconds:.0f} s") from None
            if not raw:
                raise UnfitError(f"a warm parent ended while starting: {self._last_words()}; run `perfproof run` again")
            message = json.loads(raw)
            if "exited" in message:
                self._exits[message["exited"]] = message["status"]
            if wanted in message:
                return message

    def _last_words(self) -> str:
        self._log.seek(0)
        return last_line(self._log.read(), 1000) or "it printed nothing"


class Forked:
    """A process that a warm parent has forked, with what `Launch` asks of one."""

    def __init__(self, pid: int):
        self.pid = pid

    def poll(self) -> int | None:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self, timeout: float | None = None) -> int:
        deadline = time.monotonic() + (timeout or math.inf)
        while self.poll() is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("warm parent", timeout or 0.0)
            time.sleep(0.005)
        return 0


class Launches:
    """The pool of warm parents of a run: started in the background, reused for every target.

    A comparison that needs more launches than the pool has makes it grow: two couples of one parent are one unit.
    """

    apart = False  # True where the sides cannot share a process, because their environments differ

    def __init__(self, environment: dict[str, str], device: str = "cpu"):
        """`device` is where workers compute; on a GPU the next one is forked ahead."""
        self._device = device
        self._folder = tempfile.TemporaryDirectory(prefix="perfproof-")
        self.scratch = Path(self._folder.name)
        # What compilers keep is shared by all workers of a run and by nothing else.
        own = {name: str(self.scratch / "compiled") for name in ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")}
        own["TMPDIR"] = str(self.scratch)
        self.environment = {**environment, **own}
        self.no_room = False  # True where the memory of one worker has to be free before the next one begins
        self._known: set[str] = set()  # libraries of the target at hand
        self._files: list[Path] = []  # their names, as they were found: a generation of parents for each
        self._lines: list[Line] = []  # one for each parent of the pool

    def get(self, number: int) -> Launch:
        """The warm parent of launch `number`, with the libraries of the target at hand."""
        self._wait(number)
        return self._lines[number].launches[-1]

    def import_libraries(self, names: list[str]) -> None:
        """From now on workers come with these imported too."""
        new = [name for name in names if name not in self._known]
        if not libraries.worth_a_process(new):
            return
        self._known.update(new)
        self._files.append(self.scratch / f"libraries-{secrets.token_hex(4)}")
        self._files[-1].write_text("\n".join(new))

    def forget_libraries(self) -> None:
        """From now on workers come as the pool has them."""
        self.no_room = False
        self._files.clear()
        self._known.clear()
        for line in self._lines:
            line.drop_children()

    def begin(self, count: int) -> None:
        """Let so many parents be brought up in the background, each with a child that imports the libraries."""
        while len(self._lines) < count:
            self._lines.append(Line())
        for line in self._lines[:count]:
            if (line.coming is None or line.coming.done()) and not line.is_there(len(self._files)):
                line.coming = starting.soon(self._bring_up, line)

    def start(self, count: int) -> None:
        """So many, before anything is measured."""
        self.begin(count)
        for number in range(count):
            self._wait(number)

    def _wait(self, number: int) -> None:
        """Until the parent of this launch is there; a target may have killed it."""
        while number >= len(self._lines) or not self._lines[number].is_there(len(self._files)):
            self.begin(number + 1)
            with spent.on(spent.STARTING):
                starting.wait(cast(Future, self._lines[number].coming))
        for launch in self._lines[number].launches:
            launch.patient = not self._device.startswith("cuda") or self.no_room

    def _bring_up(self, line: "Line") -> None:
        """A parent, and a child of the latest one for each generation of libraries that the line lacks."""
        if any(launch.ended for launch in line.launches):  # a target killed one; the next one is not to suffer for that
            line.end(0 if line.launches[0].ended else 1)
        if not line.launches:
            line.launches.append(start_launch(self.environment, self.scratch))
            starting.bring(line.launches[0])
        for file in self._files[len(line.launches) - 1 :]:
            parent = line.launches[-1]
            child = parent.with_libraries(file)
            line.launches.append(child)
            if not starting.bring(child):  # it cannot be forked: whom it was forked from can
                child.close()
                line.launches[-1] = parent

    def fork_ahead(self, number: int) -> None:
        """On a GPU: let the next worker of launch `number` open its device meanwhile."""
        there = number < len(self._lines) and self._lines[number].is_there(len(self._files))
        if self._device.startswith("cuda") and there:
            self._lines[number].launches[-1].fork_ahead(self._device)

    def new(self) -> Launch:
        """An interpreter of its own, for `--effort final` and start-up claims; the caller closes it."""
        launch = start_launch(self.environment, self.scratch)
        launch.wait_ready()
        return launch

    def take_log(self) -> str:
        """What the workers printed since the last time."""
        texts = []
        waiting = {launch.ahead.log for line in self._lines for launch in line.launches if launch.ahead}
        found = set(self.scratch.glob("worker-*.log")) - waiting
        for path in sorted(found, key=lambda path: path.stat().st_mtime):
            texts.append(path.read_text(errors="replace"))
            path.unlink()
        return "".join(texts)

    def close(self) -> None:
        self.forget_libraries()
        for line in self._lines:
            line.close()
        self._lines.clear()
        with contextlib.suppress(OSError):
            self._folder.cleanup()


class Line:
    """A parent of the pool, its child with libraries, the child's child with more of them."""

    def __init__(self) -> None:
        self.launches: list[Launch] = []
        self.coming: Future | None = None

    def is_there(self, generations: int) -> bool:
        """Is it ready, with all generations of libraries, and alive?"""
        if self.coming is None or not self.coming.done() or len(self.launches) <= generations:
            return False
        return not any(launch.ended for launch in self.launches)

    def drop_children(self) -> None:
        """The youngest first. One that is on its way is not waited for."""
        self._stop(keep=1)
        self.end(1)

    def close(self) -> None:
        self._stop(keep=0)
        self.end(0)

    def end(self, keep: int) -> None:
        """Close all but the first `keep`. One that was not fit stands in the line as whom it was forked from."""
        kept = self.launches[:keep]
        for launch in dict.fromkeys(reversed(self.launches)):
            if launch not in kept:
                launch.close()
        self.launches[:] = kept

    def _stop(self, keep: int) -> None:
        """Kill the interpreters that are still starting. The first `keep` of the line stay."""
        while self.coming is not None and not self.coming.done() and (not keep or self._brings_children()):
            self.coming.cancel()
            for launch in self.launches[keep:]:
                if launch not in self.launches[:keep]:
                    launch.kill()
            time.sleep(0.005)

    def _brings_children(self) -> bool:
        return bool(self.launches) and self.launches[0].is_ready


def own_layout(environment: dict[str, str]) -> dict[str, str]:
    """Hash seed and environment size move addresses and set orders: drawn for each launch, so that they average out."""
    return {
        **environment,
        "PYTHONHASHSEED": str(secrets.randbelow(2**32)),
        "PERFPROOF_PADDING": "x" * secrets.randbelow(4096),
    }
