"""How far a load test is: its records, each read once while the file of them grows."""

import json
import math
import threading
from array import array
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from perfproof.app.load.records import RECORDS
from perfproof.core.units import seconds
from perfproof.load.record import Record, from_line
from perfproof.report.figures.svg import clean
from perfproof.web.inside import open_inside

PIECE = 8 * 2**20  # bytes that are read at once
RECENT = 10.0  # s
LONGEST = 500  # characters of a name
KNOWN = ("ok", "error", "timeout", "shed", "cancelled", "unfinished")

News = dict[str, Any]


@dataclass
class Progress:
    artifacts: Path
    name: str
    about: dict[str, Any] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    ttft: "array[float]" = field(default_factory=lambda: array("d"))
    tpot: "array[float]" = field(default_factory=lambda: array("d"))
    last: float = 0.0  # s after the start of the test: the last end of a request
    recent: deque[float] = field(default_factory=deque)  # ends of good requests in the last seconds
    is_behind: bool = False  # more of the file is to be read
    _place: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def refresh(self) -> "Progress":
        """Read on, up to a piece; a line that is still being written waits."""
        with self._lock, open_inside(self.artifacts, [self.name, RECORDS]) as file:
            file.seek(self._place)
            content = file.read(PIECE)
            whole = content[: content.rfind(b"\n") + 1]
            if not whole and len(content) == PIECE:
                whole = content  # one endless line: it is passed over
            for line in whole.splitlines():
                self._take(line)
            self._place += len(whole)
            self.is_behind = len(content) == PIECE
        return self

    def _take(self, line: bytes) -> None:
        try:
            if not self.about:
                said = json.loads(line)
                self.about = said if isinstance(said, dict) else {"perfproof": ""}
            else:
                self._add(from_line(line.decode()))
        except (ValueError, TypeError, OverflowError, RecursionError):
            return  # as `perfproof load import` passes over it

    def _add(self, record: Record) -> None:
        good = record.outcome == "ok"
        ttft, tpot, end = (record.ttft, record.tpot, record.end) if good else (None, None, record.end)
        if record.outcome not in KNOWN or not all(one is None or math.isfinite(one) for one in (ttft, tpot, end)):
            return
        self.outcomes[record.outcome] += 1
        if end is not None:
            self.last = max(self.last, end)
        if good and end is not None:
            self.recent.append(end)
        while self.recent and self.recent[0] <= self.last - RECENT:
            self.recent.popleft()
        for values, value in ((self.ttft, ttft), (self.tpot, tpot)):
            if value is not None:
                values.append(value)

    @property
    def what(self) -> str:
        """The model and the server, or both servers."""
        model, url, against = (clean(str(self.about.get(key) or "")[:LONGEST]) for key in ("model", "url", "against"))
        return f"{model} at {url}" + (f" against {against}, both together" if against else "")

    @property
    def share(self) -> float | None:
        """Share of the planned time that has passed; None if that is not known, as in a search."""
        planned = self.about.get("planned")
        if not isinstance(planned, int | float) or not planned > 0:
            return None
        return min(1.0, self.last / planned)

    @property
    def counts(self) -> str:
        total = sum(self.outcomes.values())
        if not total:
            return "no request has ended yet"
        failed = ", ".join(f"{self.outcomes[word]:,} {word}" for word in KNOWN[1:] if self.outcomes[word])
        said = f"{total:,} request{'' if total == 1 else 's'} so far{f' ({failed})' if failed else ''}"
        if self.last > 0:
            said += f", {self.outcomes['ok'] / self.last:.3g} answered per second"
            if self.last > 2 * RECENT:
                said += f" ({len(self.recent) / RECENT:.3g} in the last {RECENT:g} s)"
        return f"{said}; more is being read" if self.is_behind else said

    @property
    def figures(self) -> str:
        """Percentiles of all that was answered so far, without intervals: nothing is judged yet."""
        named = [("TTFT", self.ttft), ("TPOT", self.tpot)]
        return "; ".join(f"{name} {_quantiles(values)}" for name, values in named if values)

    @property
    def news(self) -> News:
        """As the page's script takes it."""
        return {"overall": self.share, "state": self.counts, "figures": self.figures}


@lru_cache(maxsize=32)
def progress_of(artifacts: Path, name: str) -> Progress:
    return Progress(artifacts, name)


def _quantiles(values: Sequence[float]) -> str:
    ordered = sorted(values)
    p50, p99 = (ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.5, 0.99))
    return f"p50 {seconds(p50)}, p99 {seconds(p99)}"
