"""News of a run on standard error: a live line on a terminal; elsewhere a line per target, and one for each minute.

The line moves twice per second, so that a long phase does not look like a hang. The thread that draws it runs on the
core that telemetry uses, not on those of the workers.
"""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from perfproof.app.news import News

TICK_SECONDS = 0.5
QUIET_SECONDS = 60.0  # of a log: after so long a line says that the run goes on
CLEAR = "\r\x1b[K"


@contextmanager
def progress_line(quiet: bool, silent: bool = False) -> Iterator[News]:
    """If there is no terminal, `quiet` leaves only warnings; `silent` does so everywhere."""
    if silent or (quiet and not sys.stderr.isatty()):
        yield News(warn=_print)
        return
    line: _Line | _Log = _Line(sys.stderr) if sys.stderr.isatty() else _Log()
    news, ended = News(line.say, line.draw, line.say), threading.Event()
    ticker = threading.Thread(target=_tick, args=(news, ended), daemon=True)
    ticker.start()
    try:
        yield news
    finally:
        ended.set()
        ticker.join()
        line.draw("")


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _tick(news: News, ended: threading.Event) -> None:
    from perfproof.machine import layout

    with suppress(OSError, AttributeError):  # no such call on this system
        os.sched_setaffinity(threading.get_native_id(), layout.cores()[0])
    while not ended.wait(TICK_SECONDS):
        news.tick()


class _Log:
    """A log of CI: what stays is printed, and the state only if nothing was printed for a minute."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def draw(self, state: str) -> None:
        if state and time.monotonic() - self._last >= QUIET_SECONDS:
            self.say(state)

    def say(self, line: str) -> None:
        self._last = time.monotonic()
        _print(line)


class _Line:
    """The last line of a terminal; what stays is printed above it."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal, self._lock = terminal, threading.Lock()

    def draw(self, state: str) -> None:
        room = self._columns() - 1
        self._write(CLEAR + (state if len(state) <= room else f"{state[: room - 1]}…"))

    def say(self, line: str) -> None:
        self._write(f"{CLEAR}{line}\n")

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._terminal.fileno()).columns or 80
        except (OSError, ValueError):
            return shutil.get_terminal_size().columns

    def _write(self, text: str) -> None:
        with self._lock, suppress(OSError):  # a terminal that is gone ends no run
            self._terminal.write(text)
            self._terminal.flush()
