"""Progress of a run: lines and states for the caller to show, and a file in the run's folder for the dashboard.

Nothing is drawn by a thread of its own: a spinner would be a disturbance that the measurement has to live with.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from perfproof.bench.run import Progress
from perfproof.core import units
from perfproof.core.documents import TargetResult
from perfproof.history.folders import PROGRESS
from perfproof.report.rows import one_line, target_rows

PUBLISH_SECONDS = 1.0


def _nobody(text: str) -> None:
    """Show nothing: a program that calls reads the results."""


class News:
    """`say` gets lines that stay, `draw` the state, which the next one replaces, `warn` what must not be missed."""

    def __init__(
        self,
        say: Callable[[str], None] = _nobody,
        draw: Callable[[str], None] = _nobody,
        warn: Callable[[str], None] = _nobody,
    ) -> None:
        self.say, self.draw, self.warn = say, draw, warn
        self.total = self.done = 0  # targets
        self._told = 0.0
        self._file: Path | None = None

    @contextmanager
    def published_in(self, folder: Path) -> Iterator[None]:
        """News also go into a file in this folder, which is gone when the run has ended."""
        self._file = file = folder / PROGRESS
        try:
            yield
        finally:
            self._file = None
            file.unlink(missing_ok=True)

    def notify(self, news: Progress) -> None:
        if news.line:
            self.say(news.line)
        now = time.monotonic()
        if news.line or now - self._told >= PUBLISH_SECONDS:
            self._told = now
            told = {"share": news.share, "left": news.seconds_left, "line": news.line, "ratio": news.ratio}
            self._tell(target=news.target, phase=news.phase, **told)
        self.draw(self.state(news))

    def finished(self, result: TargetResult) -> None:
        self.done += 1
        for row in target_rows(result):
            count, took = f"[{self.done}/{self.total}]", f"({units.seconds(result.seconds)})"
            reason = f": {one_line(result.reason)}" if result.reason else ""
            said = " ".join(part for part in (count, row.said, row.ratio, row.label, took) if part) + reason
            self.say(said)
            self._tell(target=result.target, phase="done", share=1.0, left=None, line=said)

    def state(self, news: Progress) -> str:
        share = "" if news.share is None else f" {100 * news.share:.0f} %"
        left = "" if news.seconds_left is None else f", {news.seconds_left:.0f} s left"
        return f"[{self.done + 1}/{self.total}] {news.target}: {news.phase}{share}{left}"

    def _tell(self, **news: Any) -> None:
        """One line of JSON. If the file cannot be written, the run goes on."""
        if self._file is None:
            return
        with suppress(OSError), self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"done": self.done, "total": self.total} | news) + "\n")
