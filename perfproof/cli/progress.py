"""What a run says while it runs, on standard error: a live line on a terminal, one plain line a target elsewhere.

The live line is drawn only when there is news, by no thread of its own: a spinner would be a disturbance that the
measurement has to live with.
"""

import sys
import time
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any

from perfproof.core import units
from perfproof.core.documents import TargetResult
from perfproof.report.rows import one_line, target_rows

if TYPE_CHECKING:
    from perfproof.bench.run import Progress

REDRAW_SECONDS = 0.25


class ProgressLine:
    """Shows `Progress` values; use it as a context. `quiet` keeps it silent where there is no terminal."""

    def __init__(self, total: int, quiet: bool) -> None:
        self.total, self.done = total, 0
        self.live: Any = None
        self.quiet = quiet and not sys.stderr.isatty()
        self.drawn = 0.0
        self.stack = ExitStack()

    def __enter__(self) -> "ProgressLine":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True, highlight=False, markup=False)
            self.live = self.stack.enter_context(Live(console=console, auto_refresh=False, transient=True))
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stack.close()

    def notify(self, news: "Progress") -> None:
        if news.line:
            self._say(news.line)
        now = time.monotonic()
        if self.live is not None and now - self.drawn >= REDRAW_SECONDS:
            from rich.text import Text

            self.drawn = now
            self.live.update(Text(self.state(news), no_wrap=True, overflow="ellipsis"), refresh=True)

    def finished(self, result: TargetResult) -> None:
        self.done += 1
        for row in target_rows(result):
            parts = (
                f"[{self.done}/{self.total}]",
                row.word,
                row.ratio,
                row.label,
                f"({units.seconds(result.seconds)})",
            )
            reason = f": {one_line(result.reason)}" if result.reason else ""
            self._say(" ".join(part for part in parts if part) + reason)

    def state(self, news: "Progress") -> str:
        share = "" if news.share is None else f" {100 * news.share:.0f} %"
        left = "" if news.seconds_left is None else f", {news.seconds_left:.0f} s left"
        return f"[{self.done + 1}/{self.total}] {news.target}: {news.phase}{share}{left}"

    def _say(self, line: str) -> None:
        if self.live is not None:
            self.live.console.print(line)
        elif not self.quiet:
            print(line, file=sys.stderr, flush=True)
