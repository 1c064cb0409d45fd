"""A server that a serve command starts, as in 'serve --demo': a process of its own, on a free port of this machine.

It is `perfproof serve` as a user would start it, so nothing of the engine is imported here. Both streams of the server
go into files: a full pipe would stop it.
"""

import http.client
import os
import re
import select
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from perfproof.core import child
from perfproof.core.errors import UnfitError, UsageError
from perfproof.core.parent_death import end_with_parent

START_SECONDS = 600.0  # a large model is read from its disk meanwhile
STOP_SECONDS = 10.0
LOOK = 0.1  # s
LAST_LINES = 3  # of what a server said before it ended
ENDED_BY_USAGE = 2  # the exit code of options that make no sense
ADDRESS = re.compile(r"http://[^\s/]+:(\d+)/")  # what it prints first
ERROR, READY = "perfproof: ", "ready: "  # what lines of its standard error begin with
KEY = "PERFPROOF_API_KEY"  # a server that only this test reaches needs none
REFUSED = {
    "--host": "the server of a test listens on this machine only",
    "--port": "the server of a test gets a free port",
    "--api-key": "the server of a test needs no key",
}

Say = Callable[[str], None]


def is_serve(text: str) -> bool:
    """`serve` or `perfproof serve` with options. The word alone is the name of a host, or a program."""
    words = text.split()
    return (words[:1] == ["serve"] and len(words) > 1) or words[:2] == ["perfproof", "serve"]


def options_of(text: str) -> list[str]:
    """The options of the command."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{text!r} cannot be split into options: {error}") from None
    options = words[words.index("serve") + 1 :]
    for option in options:
        if why := REFUSED.get(option.partition("=")[0]):
            raise UsageError(f"{text!r}: leave {option.partition('=')[0]} out; {why}")
    return options


@contextmanager
def served(text: str, say: Say) -> Iterator[str]:
    """The address of the server once it answers. It ends with the block, and with this process."""
    options = options_of(text)
    say(f"starting {text!r}; the test begins when it answers")
    with tempfile.TemporaryDirectory(prefix="perfproof-serve-") as folder:
        server = _start(text, options, Path(folder), say)
        try:
            yield server.wait_until_it_answers()
            if server.process.poll() is not None:
                say(f"{text!r} {server.ending(' during the test')}")
        finally:
            server.process.terminate()
            child.end(server.process, STOP_SECONDS)


def _start(text: str, options: Sequence[str], folder: Path, say: Say) -> "Server":
    environment = {name: value for name, value in os.environ.items() if name != KEY}
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = child.start(_command(options), stdout=out, stderr=err, env=environment, preexec_fn=end_with_parent)
    return Server(text, process, folder, say)


def _command(options: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "perfproof", "serve", *options, "--host", "127.0.0.1", "--port", "0"]


@dataclass
class Server:
    text: str
    process: "subprocess.Popen[bytes]"
    folder: Path
    say: Say
    end: float = field(default_factory=lambda: time.monotonic() + START_SECONDS)  # of the start at the latest
    told: int = 0  # lines of its standard error that were passed on

    def wait_until_it_answers(self) -> str:
        """Its address, when its /health is 200. The port takes connections long before."""
        while self._is_starting():
            port = self._port()
            if port is not None and self._is_healthy(port):
                return f"127.0.0.1:{port}"
            time.sleep(LOOK)
        if self.process.returncode is None:
            raise UnfitError(f"{self.text!r} did not answer within {START_SECONDS:g} s{self._last_words()}")
        error = UsageError if self.process.returncode == ENDED_BY_USAGE else UnfitError
        raise error(f"{self.text!r} {self.ending(' before it answered')}")

    def ending(self, when: str) -> str:
        return f"{child.ending(self.process.returncode)}{when}{self._last_words()}"

    def _is_starting(self) -> bool:
        """Is there still something to wait for? What it says meanwhile is passed on, but for its errors."""
        lines = self._said()
        for line in lines[self.told :]:
            if not line.startswith((ERROR, READY)):
                self.say(f"  {line}")
        self.told = len(lines)
        return self.process.poll() is None and time.monotonic() < self.end

    def _port(self) -> int | None:
        found = ADDRESS.match((self.folder / "out").read_text(errors="replace"))
        return int(found[1]) if found else None

    def _is_healthy(self, port: int) -> bool:
        """Ask on one connection and wait for its answer: each further one would fill the queue of the port."""
        asking = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            asking.request("GET", "/health")
            while self._is_starting():
                if select.select([asking.sock], [], [], LOOK)[0]:
                    return asking.getresponse().status == http.client.OK
            return False
        except (OSError, http.client.HTTPException):
            return False
        finally:
            asking.close()

    def _last_words(self) -> str:
        lines = self._said()[-LAST_LINES:]
        if lines and lines[-1].startswith(ERROR):
            lines = [lines[-1].removeprefix(ERROR)]
        return f": {' / '.join(lines)}" if lines else ""

    def _said(self) -> list[str]:
        """Whole lines of its standard error that are not empty."""
        text = (self.folder / "err").read_text(errors="replace")
        return [line.strip() for line in text[: text.rfind("\n") + 1].splitlines() if line.strip()]
