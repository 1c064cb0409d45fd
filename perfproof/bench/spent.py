"""Where the seconds of a target go: every question to a worker is on the account of what it asks for."""

import contextlib
import time
from collections.abc import Iterator

STARTING = "starting interpreters"
WORDS = {
    "open": "loading the pair",
    "cost": "loading the pair",
    "verify": "verification",
    "ready": "preparation and warm-up",
    "plan": "drawing values",
    "draw": "drawing values",
    "run": "samples",
    "try_others": "verification",
    "glance": "other clocks",
    "lay_out": "other clocks",
    "kernels": "other clocks",
    "recall": "checks of timed calls",
    "check": "checks of timed calls",
    "memory": "memory",
    "startup": "start-up",
    "energy": "energy",
}
_seconds: dict[str, float] = {}


def words(command: str) -> str:
    """What a command does, as a user would say it."""
    return WORDS.get(command, command)


@contextlib.contextmanager
def on(command: str) -> Iterator[None]:
    """Put the time of what is done inside on the account of a command."""
    started = time.perf_counter()
    try:
        yield
    finally:
        word = words(command)
        _seconds[word] = _seconds.get(word, 0.0) + time.perf_counter() - started


def take() -> dict[str, float]:
    """Seconds by what they went into, the longest first, since this was last asked."""
    found = {word: round(seconds, 3) for word, seconds in sorted(_seconds.items(), key=lambda item: -item[1])}
    _seconds.clear()
    return found
