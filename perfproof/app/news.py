"""Progress of a run: lines and states for the caller to show, and a file in the run's folder for the dashboard.

It draws nothing by itself: the caller says when time has passed (`tick`), and from which core.
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
        self._last: tuple[Progress, float] | None = None  # and when it came
        self._began = 0.0  # the target that is measured

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
        now = time.monotonic()
        if self._last is None or self._last[0].target != news.target:
            self._began = now
        self._last = (news, now)
        if news.line:
            self.say(news.line)
        if news.line or now - self._told >= PUBLISH_SECONDS:
            self._told = now if news.share is not None else self._told  # what says no share delays none that does
            told = {"share": news.share, "left": news.seconds_left, "line": news.line, "ratio": news.ratio}
            self._tell(target=news.target, phase=news.phase, **told)
        self.draw(self.state(now))

    def tick(self) -> None:
        """Time has passed: draw the state as it is now."""
        self.draw(self.state(time.monotonic()))

    def finished(self, result: TargetResult) -> None:
        """With one target the result itself follows at once; with several a line says how far the run is."""
        self.done += 1
        self._last = None
        took = f"({units.seconds(result.seconds)})"
        for row in target_rows(result):
            count, reason = f"[{self.done}/{self.total}]", f": {one_line(result.reason)}" if result.reason else ""
            if self.total > 1:
                self.say(f"{count} {row.label}: {row.word} {took}")
            whole = " ".join(part for part in (count, row.said, row.ratio, row.label, took) if part) + reason
            self._tell(target=result.target, phase="done", share=1.0, left=None, line=whole)

    def state(self, now: float) -> str:
        """What is measured, for how long, how long it still takes, and what is being done; empty between targets."""
        last = self._last
        if last is None:
            return ""
        news, came = last
        left = None if news.seconds_left is None else news.seconds_left - (now - came)
        remaining = f", {left:.0f} s left" if left is not None and left >= 0.5 else ""
        share = "" if not news.share else f" ({100 * news.share:.0f} %)"
        times = f"{now - self._began:.0f} s{remaining}"
        return f"[{self.done + 1}/{self.total}] {news.target} {times}: {news.phase}{share}"

    def _tell(self, **news: Any) -> None:
        """One line of JSON. If the file cannot be written, the run goes on."""
        if self._file is None:
            return
        with suppress(OSError), self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"done": self.done, "total": self.total} | news) + "\n")
