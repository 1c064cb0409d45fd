"""The server of known behaviour as a process of its own: `builtin`, with settings as in builtin?base=5ms&slots=4."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qsl

from perfproof.core.errors import UnfitError, UsageError

NAME = "builtin"
TIMES = ("base", "prefill", "sequence", "context")
NUMBERS = ("slots", "chunk", "tokens-per-event")
UNITS = (("us", 1e-6), ("ms", 1e-3), ("s", 1.0))


def is_own(text: str) -> bool:
    return text.partition("?")[0] == NAME


def arguments_of(text: str) -> list[str]:
    """The options of the server's process."""
    found = []
    for key, value in parse_qsl(text.partition("?")[2], keep_blank_values=True):
        name = key.replace("_", "-")
        if name == "cache":
            found.append("--cache")
        elif name in TIMES:
            found += [f"--{name}", repr(_seconds(value, text))]
        elif name in NUMBERS and value.isdigit() and int(value) > 0:
            found += [f"--{name}", value]
        else:
            known = ", ".join((*TIMES, *NUMBERS, "cache"))
            raise UsageError(f"{text!r}: {key}={value} is no setting of the built-in server; it has {known}")
    return found


def _seconds(value: str, text: str) -> float:
    for unit, factor in UNITS:
        if value.endswith(unit):
            try:
                return max(0.0, float(value.removesuffix(unit)) * factor)
            except ValueError:
                break
    raise UsageError(f"{text!r}: {value!r} is no time: write 5ms or 20us")


@contextmanager
def started(arguments: list[str]) -> Iterator[str]:
    """The address of a running server; it ends with the block, and with this process."""
    command = [sys.executable, "-m", "perfproof.load.known_server", *arguments]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None and server.stdout is not None
    try:
        port = server.stdout.readline().strip()
        if not port:
            raise UnfitError("the built-in server did not start; python -m perfproof.load.known_server shows why")
        yield f"127.0.0.1:{port}"
    finally:
        server.stdin.close()
        server.wait(timeout=10)
        server.stdout.close()
