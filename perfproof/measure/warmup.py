"""Warm a side up until it stops getting faster: the fastest samples of the last two windows agree."""

import time
from collections.abc import Callable

AGREE = 0.02
WINDOW_SAMPLES = 3
LEAST_ON_GPU = 0.3  # seconds of work before a GPU's clocks have risen


def warm_up(sample: Callable[[int], float], call_seconds: float, sample_seconds: float, device: str) -> float:
    """Take samples until a plateau; returns seconds a call there. `sample(calls)` gives seconds a call."""
    on_gpu = device.startswith("cuda")
    most = 5.0 if on_gpu else 1.0
    started = time.perf_counter()
    windows = [call_seconds]
    while True:
        calls = max(1, round(sample_seconds / max(windows[-1], 1e-9)))
        windows.append(min(sample(calls) for _ in range(WINDOW_SAMPLES if calls > 1 else 1)))
        spent = time.perf_counter() - started
        settled = len(windows) >= 3 and abs(windows[-1] / windows[-2] - 1) < AGREE
        if spent > most or (settled and (not on_gpu or spent > LEAST_ON_GPU)):
            return min(windows[-2:])
