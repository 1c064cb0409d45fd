"""How many sets of values another process draws, for one look at calls on what was not there before."""

from collections.abc import Sequence

from perfproof.core.units import MiB

ROUNDS, SECONDS, TRIES = 31, 0.3, 3
BYTES, MOST_BYTES, DRAWING_SECONDS = 21 * MiB, 341 * MiB, 0.7


def sets_to_draw(set_bytes: int, call_seconds: Sequence[float], draw_seconds: float) -> int:
    """None if they are too large to travel."""
    if set_bytes > MOST_BYTES:
        return 0
    fit = (BYTES / set_bytes, DRAWING_SECONDS / max(1e-9, draw_seconds))
    return int(max(1.0, min(ROUNDS, 1 + SECONDS / (2 * sum(call_seconds)), *fit)))
