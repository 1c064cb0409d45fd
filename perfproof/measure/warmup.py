"""Warm a side up until it stops getting faster: the fastest samples of the last two windows agree."""

import time
from collections.abc import Callable

AGREE = 0.02
WINDOW_SAMPLES = 3
LEAST_ON_GPU = 0.3  # seconds of work before a GPU's clocks have risen
MOST_ON_CPU, MOST_ON_GPU = 1.0, 5.0


def warm_up(
    sample: Callable[[int], float],
    call_seconds: float,
    sample_seconds: float,
    *,
    least: float,
    most: float,
    agree: Callable[[float], float] = float,
) -> float:
    """Take samples until a plateau, for `least` to `most` seconds; returns seconds a call there.

    `sample(calls)` gives seconds a call. Where several ranks warm up together both it and `agree` give the same to all.
    """
    started = time.perf_counter()
    windows = [call_seconds]
    while True:
        calls = max(1, round(sample_seconds / max(windows[-1], 1e-9)))
        windows.append(min(sample(calls) for _ in range(WINDOW_SAMPLES if calls > 1 else 1)))
        spent = agree(time.perf_counter() - started)
        settled = len(windows) >= 3 and abs(windows[-1] / windows[-2] - 1) < AGREE
        if spent > most or (settled and spent > least):
            return min(windows[-2:])
