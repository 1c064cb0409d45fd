"""Several engine servers as child processes, each on a free port of this machine; one that dies is started again."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace

from perfproof.core.parent_death import end_with_parent
from perfproof.engine.server.settings import VARIABLE, ServeSettings, to_text
from perfproof.load.http_client import Address

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # seconds before a dead worker is started again
STEADY = 60.0  # seconds: a worker that lived so long starts again at the first pause
LOOK = 0.2  # seconds


@dataclass
class Child:
    number: int
    port: int
    process: subprocess.Popen[bytes]
    started: float = field(default_factory=time.monotonic)
    pause: float = FIRST_PAUSE


@dataclass
class Fleet:
    settings: ServeSettings
    count: int
    children: list[Child] = field(default_factory=list)
    restarts: int = 0

    @property
    def addresses(self) -> list[Address]:
        return [Address("127.0.0.1", child.port, "", tls=False) for child in self.children]

    def start(self) -> None:
        for number in range(1, self.count + 1):
            listening = _listen(0)
            port = listening.getsockname()[1]
            self.children.append(Child(number, port, self._spawn(number, listening)))

    async def keep_alive(self) -> None:
        """Until cancelled."""
        while True:
            for child in self.children:
                if child.process.poll() is not None:
                    await self._restart(child)
            await asyncio.sleep(LOOK)

    def stop(self, seconds: float) -> None:
        """Workers finish what they have begun, within so many seconds."""
        for child in self.children:
            child.process.terminate()
        end = time.monotonic() + seconds
        for child in self.children:
            try:
                child.process.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.process.kill()
                child.process.wait()

    async def _restart(self, child: Child) -> None:
        if time.monotonic() - child.started > STEADY:
            child.pause = FIRST_PAUSE
        status = child.process.returncode
        print(f"worker on port {child.port} ended with {status}; restart in {child.pause:g} s", file=sys.stderr)
        await asyncio.sleep(child.pause)
        child.pause = min(LONGEST_PAUSE, 2 * child.pause)
        child.process, child.started = self._spawn(child.number, _listen(child.port)), time.monotonic()
        self.restarts += 1

    def _spawn(self, number: int, listening: socket.socket) -> subprocess.Popen[bytes]:
        """This process keeps no copy of the socket: a port without a worker refuses connections at once."""
        with listening:
            log = f"{self.settings.step_log}.{number}" if self.settings.step_log else None
            settings = replace(
                self.settings, host="127.0.0.1", descriptor=listening.fileno(), step_log=log, ends_on_failure=True
            )
            environment = os.environ | {VARIABLE: to_text(settings)}
            environment.pop("PERFPROOF_API_KEY", None)
            processes = self.count * max(self.settings.ranks, 1 + self.settings.prefill_process)
            environment.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // processes)))
            command = [sys.executable, "-m", "perfproof.engine"]
            return subprocess.Popen(
                command,
                env=environment,
                pass_fds=(listening.fileno(),),
                start_new_session=True,  # Ctrl-C reaches the router only, which ends its workers in order
                preexec_fn=lambda: end_with_parent(signal.SIGTERM),
            )


def _listen(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    listening.listen(128)
    return listening
