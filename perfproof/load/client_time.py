"""What the client spends its CPU time on: its stack is looked at once per millisecond of it, while a test runs."""

import signal
from collections import Counter
from pathlib import Path
from types import FrameType, TracebackType

LOOK_SECONDS = 0.001  # of CPU time
HERE = str(Path(__file__).parent)
LOOP = "event loop"
PARTS = {
    "plain_sockets": "sockets",
    "reply": "reading events",
    "tokens": "reading events",
    "http_client": "requests and records",
    "driver": "requests and records",
    "record": "requests and records",
    "session": "requests and records",
    "workload": "making requests",
    "prompts": "making requests",
    "clock": LOOP,
}


class Looks:
    """Counts looks per part while its block runs. A look belongs to the innermost frame of a known part."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def __enter__(self) -> "Looks":
        self._before = signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, LOOK_SECONDS, LOOK_SECONDS)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, self._before)

    def _look(self, number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if part := part_of(frame.f_code.co_filename):
                self.counts[part] += 1
                return
            frame = frame.f_back


def part_of(file: str) -> str:
    """Which part of the client a source file is; empty if it is none."""
    path = Path(file)
    if str(path.parent) == HERE:
        return PARTS.get(path.stem, "")
    return LOOP if path.parent.name == "asyncio" or path.stem == "selectors" else ""


def seconds_of_parts(counts: Counter[str], used: float, waited: float) -> dict[str, float]:
    """CPU seconds of each part, the largest first. What turns of the loop took that only waited is no cost."""
    looks = sum(counts.values())
    found = {part: (used + waited) * count / looks for part, count in counts.items()}
    if LOOP in found:
        found[LOOP] = max(0.0, found[LOOP] - waited)
    return dict(sorted(found.items(), key=lambda one: -one[1]))
