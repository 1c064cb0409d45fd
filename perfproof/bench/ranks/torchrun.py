"""Ranks that torchrun itself starts, for `--effort final`: one interpreter a rank, new for every launch.

Each rank calls back over a socket in a folder that only this user can enter. The key that it has to show is in its
environment, never on a command line; the socket is gone before any pair is loaded. The lines of the workers that a rank
forks have keys of their own.
"""

import contextlib
import hmac
import json
import secrets
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, cast

from perfproof.bench.launches import START_SECONDS, Launch, Launches, own_layout
from perfproof.core import child
from perfproof.core.errors import UnfitError
from perfproof.worker.ranks.rank_main import KEY, LINE

HERE = "--rdzv-backend c10d --rdzv-endpoint 127.0.0.1:0 --local-addr 127.0.0.1"  # any free port of this machine
ARGUMENTS = f"-m torch.distributed.run {HERE} --max-restarts 0"
END_SECONDS = 10.0


class Torchrun:
    """A launch of as many ranks as a pair has: what `Launch` is to a pair in one process."""

    by_torchrun = True
    apart = False

    def __init__(self, environment: dict[str, str], scratch: Path, ranks: int):
        self.scratch, self._pids = scratch, [0] * ranks
        self._log = (scratch / f"torchrun-{secrets.token_hex(4)}.log").open("wb+")
        self._ranks: list[Launch] = []
        key = secrets.token_hex(32)
        with tempfile.TemporaryDirectory(dir=scratch) as folder, _listener(f"{folder}/line", ranks) as listener:
            program = [*ARGUMENTS.split(), f"--nproc-per-node={ranks}", "-m", "perfproof.worker.ranks.rank_main"]
            variables = {**own_layout(environment), LINE: f"{folder}/line", KEY: key}
            self.process = child.start(
                [sys.executable, *program], env=variables, stdout=self._log, stderr=self._log, cwd=scratch
            )
            try:
                self._ranks = self._answer(listener, ranks, key)
            except BaseException:
                self.close()
                raise

    def parents(self, ranks: int) -> list[Launch]:
        return self._ranks

    def close(self) -> None:
        """The ranks end when their lines do, and torchrun's agent after them; what does not is killed."""
        for rank in self._ranks:
            rank.control.close()
        for end in (lambda: None, self.process.terminate, self._kill):
            end()
            if child.waited(self.process, END_SECONDS if self._ranks else 0.1):
                break
        self._log.close()

    def _kill(self) -> None:
        for pid in (self.process.pid, *filter(None, self._pids)):
            child.send(signal.SIGKILL, pid)

    def _answer(self, listener: socket.socket, ranks: int, key: str) -> list[Launch]:
        """Wait until every rank has called, each with the key."""
        found: dict[int, Launch] = {}
        deadline = time.monotonic() + START_SECONDS
        listener.settimeout(0.5)
        while len(found) < ranks:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise UnfitError(f"torchrun did not start {ranks} ranks: {self._last_words()}; run it again")
            with contextlib.suppress(TimeoutError):
                control, _ = listener.accept()
                hello = _hello(control, deadline)
                if hello is None or not hmac.compare_digest(str(hello.get("key")), key):
                    control.close()
                    continue
                self._pids[hello["rank"]] = hello["ready"]
                found[hello["rank"]] = Launch(control, self.process, self.scratch, self._log, ready=True)
        return [found[rank] for rank in range(ranks)]

    def _last_words(self) -> str:
        self._log.seek(0)
        return child.last_line(self._log.read(), 1000) or "it printed nothing"


def start_torchrun(launches: Launches, ranks: int) -> Launch:
    """New interpreters for all ranks, as a launch that the caller closes: it has what a pair on ranks asks of one."""
    return cast(Launch, Torchrun(launches.environment, launches.scratch, ranks))


def _listener(path: str, ranks: int) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen(ranks)
    return listener


def _hello(control: socket.socket, deadline: float) -> dict[str, Any] | None:
    """What a caller says first: its rank, its key, and that it is ready (it is, when torch is imported)."""
    control.settimeout(max(0.1, deadline - time.monotonic()))
    try:
        said = json.loads(control.recv(65536) or b"null")
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) else None
