"""Warm a side up until it stops getting faster: the last window is no faster than any before, and clocks agree.

A window that is slower was disturbed; more warming would not help against that.
"""

import time
from collections.abc import Callable

FASTER, CLOCK_AGREE = 0.02, 0.01
WINDOW_SAMPLES = 3
LEAST_ON_GPU = 0.05  # seconds of work before a GPU's clocks can be called steady
MOST_ON_CPU, MOST_ON_GPU = 1.0, 5.0
MOST_OF_RANKS = 0.05  # on CPUs: one sample differs too much from the next for two windows to agree


def warm_up(
    sample: Callable[[int], tuple[float, float | None]],
    call_seconds: float,
    sample_seconds: float,
    *,
    least: float,
    most: float,
    agree: Callable[[float], float] = float,
) -> float:
    """Take samples until a plateau, for `least` to `most` seconds; returns seconds a call there.

    `sample(calls)` gives seconds a call and the device's clock, or None where it has none. Of several
    ranks both it and `agree` give the same to all.
    """
    started = time.perf_counter()
    windows: list[tuple[float, float | None]] = [(call_seconds, None)]
    while True:
        calls = max(1, round(sample_seconds / max(windows[-1][0], 1e-9)))
        windows.append(min(sample(calls) for _ in range(WINDOW_SAMPLES if calls > 1 else 1)))
        spent = agree(time.perf_counter() - started)
        settled = not agree(len(windows) < 3 or not _settled(windows, calls == 1))
        if spent > most or (settled and spent > least):
            return min(seconds for seconds, _ in windows[-2:])


def _settled(windows: list[tuple[float, float | None]], single: bool) -> bool:
    """A `single` call that is longer than a sample has steady and unsteady clocks in it: none is waited for."""
    *earlier, (seconds, clock) = windows
    if seconds < (1 - FASTER) * min(before for before, _ in earlier):
        return False
    last = earlier[-1][1]
    return single or last is None or clock is None or abs(clock / last - 1) < CLOCK_AGREE
