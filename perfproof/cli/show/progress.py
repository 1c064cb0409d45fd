"""News of a run on standard error: a live line on a terminal, one plain line per target elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from perfproof.app.news import News

REDRAW_SECONDS = 0.25


@contextmanager
def progress_line(quiet: bool, silent: bool = False) -> Iterator[News]:
    """If there is no terminal, `quiet` leaves only warnings; `silent` does so everywhere."""
    if sys.stderr.isatty() and not silent:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True, highlight=False, markup=False, emoji=False)  # a:x: is a name
        with Live(console=console, auto_refresh=False, transient=True) as live:
            yield News(console.print, _Line(live).draw, console.print)
    else:
        yield News(warn=_print) if quiet or silent else News(_print, warn=_print)


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


class _Line:
    """Drawn when there is news, and not too often."""

    def __init__(self, live: Any) -> None:
        self._live, self._drawn = live, 0.0

    def draw(self, state: str) -> None:
        from rich.text import Text

        now = time.monotonic()
        if now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            self._live.update(Text(state, no_wrap=True, overflow="ellipsis"), refresh=True)
