"""News of a run on standard error: a live line on a terminal, one plain line per target elsewhere.

The line moves twice per second, so that a long phase does not look like a hang. The thread that draws it runs on the
core that telemetry uses, not on those of the workers.
"""

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from perfproof.app.news import News

TICK_SECONDS = 0.5
CLEAR = "\r\x1b[K"


@contextmanager
def progress_line(quiet: bool, silent: bool = False) -> Iterator[News]:
    """If there is no terminal, `quiet` leaves only warnings; `silent` does so everywhere."""
    if silent or not sys.stderr.isatty():
        yield News(warn=_print) if quiet or silent else News(_print, warn=_print)
        return
    line = _Line(sys.stderr)
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
