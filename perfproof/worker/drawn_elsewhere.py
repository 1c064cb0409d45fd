"""How many sets of values another process draws, for calls on what was not there before. The run asks for them."""

from collections.abc import Sequence

from perfproof.core.units import MiB

ROUNDS, SECONDS, TRIES = 31, 0.3, 3
BYTES, MOST_BYTES, DRAWING_SECONDS = 64 * MiB, 1024 * MiB, 2.0


def sets_to_draw(set_bytes: int, call_seconds: Sequence[float], draw_seconds: float) -> int:
    """How many sets another process draws for all tries; none if they are too large to travel."""
    if TRIES * set_bytes > MOST_BYTES:
        return 0
    fit = (BYTES / set_bytes / TRIES, DRAWING_SECONDS / max(1e-9, draw_seconds) / TRIES)
    return TRIES * int(max(1.0, min(ROUNDS, 1 + SECONDS / (2 * sum(call_seconds)), *fit)))
