"""What a run says while it runs, on standard error: a live line on a terminal, one plain line a target elsewhere.

The live line is drawn only when there is news, by no thread of its own: a spinner would be a disturbance that the
measurement has to live with. The same news go into a file of the run's folder while it runs, for the dashboard.
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from perfproof.core import units
from perfproof.core.documents import TargetResult
from perfproof.history.folders import PROGRESS
from perfproof.report.rows import one_line, target_rows

if TYPE_CHECKING:
    from perfproof.bench.run import Progress

REDRAW_SECONDS = 0.25
PUBLISH_SECONDS = 1.0


class ProgressLine:
    """Shows `Progress` values; use it as a context. `quiet` keeps it silent where there is no terminal."""

    def __init__(self, total: int, quiet: bool) -> None:
        self.total, self.done = total, 0
        self.live: Any = None
        self.quiet = quiet and not sys.stderr.isatty()
        self.drawn = self.told = 0.0
        self.file: Path | None = None
        self.stack = ExitStack()

    def __enter__(self) -> "ProgressLine":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True, highlight=False, markup=False, emoji=False)  # a:x: is a name
            self.live = self.stack.enter_context(Live(console=console, auto_refresh=False, transient=True))
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stack.close()

    @contextmanager
    def published_in(self, folder: Path) -> Iterator[None]:
        """News also go into a file in this folder, which is gone when the run has ended."""
        self.file = file = folder / PROGRESS
        try:
            yield
        finally:
            self.file = None
            file.unlink(missing_ok=True)

    def notify(self, news: "Progress") -> None:
        if news.line:
            self._say(news.line)
        now = time.monotonic()
        if news.line or now - self.told >= PUBLISH_SECONDS:
            self.told = now
            self._tell(target=news.target, phase=news.phase, share=news.share, left=news.seconds_left, line=news.line)
        if self.live is not None and now - self.drawn >= REDRAW_SECONDS:
            from rich.text import Text

            self.drawn = now
            self.live.update(Text(self.state(news), no_wrap=True, overflow="ellipsis"), refresh=True)

    def finished(self, result: TargetResult) -> None:
        self.done += 1
        for row in target_rows(result):
            parts = (
                f"[{self.done}/{self.total}]",
                row.said,
                row.ratio,
                row.label,
                f"({units.seconds(result.seconds)})",
            )
            reason = f": {one_line(result.reason)}" if result.reason else ""
            said = " ".join(part for part in parts if part) + reason
            self._say(said)
            self._tell(target=result.target, phase="done", share=1.0, left=None, line=said)

    def state(self, news: "Progress") -> str:
        share = "" if news.share is None else f" {100 * news.share:.0f} %"
        left = "" if news.seconds_left is None else f", {news.seconds_left:.0f} s left"
        return f"[{self.done + 1}/{self.total}] {news.target}: {news.phase}{share}{left}"

    def _say(self, line: str) -> None:
        if self.live is not None:
            self.live.console.print(line)
        elif not self.quiet:
            print(line, file=sys.stderr, flush=True)

    def _tell(self, **news: Any) -> None:
        """One line of JSON. That nobody can read along is no reason to end a run."""
        if self.file is None:
            return
        with suppress(OSError), self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"done": self.done, "total": self.total} | news) + "\n")
