"""One line of progress, which the next one replaces: on a terminal, or in a cell of a notebook."""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from perfproof.app.news import News

REDRAW_SECONDS = 0.25
CELL_WIDTH = 100


@contextmanager
def progress_line(wanted: bool) -> Iterator[News]:
    """News for a run. The line is gone at the end; without a terminal or a notebook there is none."""
    line = _Line() if wanted and _shown_on() else None
    try:
        yield _OneLine(line)
    finally:
        if line:
            line.clear()


class _OneLine(News):
    """The state of the one comparison; lines that stay are left out, warnings are not."""

    def __init__(self, line: "_Line | None") -> None:
        super().__init__(draw=line.draw if line else lambda text: None, warn=_warn)

    def state(self, now: float) -> str:
        return super().state(now).partition("] ")[2]


class _Line:
    def __init__(self) -> None:
        self._drawn, self._length = 0.0, 0

    def draw(self, text: str) -> None:
        now = time.monotonic()
        if now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            self._write(text)

    def clear(self) -> None:
        self._write("")

    def _write(self, text: str) -> None:
        stream = _shown_on()
        if stream is None:
            return
        width = shutil.get_terminal_size().columns - 1 if stream.isatty() else CELL_WIDTH
        shown = text[:width]
        stream.write(f"\r{shown:<{self._length}}" if shown else f"\r{'':<{self._length}}\r")
        stream.flush()
        self._length = len(shown)


def _shown_on() -> TextIO | None:
    """Standard error of a terminal; in a notebook standard output, which a cell shows without a colour."""
    if sys.stderr is not None and sys.stderr.isatty():
        return sys.stderr
    return sys.stdout if _in_notebook() else None


def _in_notebook() -> bool:
    """A kernel of Jupyter, asked without importing anything."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


def _warn(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
