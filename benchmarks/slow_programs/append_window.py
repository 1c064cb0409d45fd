"""A rolling z-score over a stream of sensor values."""

import numpy as np

rng = np.random.default_rng(0)


def stream(count):
    level = 0.0
    for _ in range(count):
        level = 0.99 * level + rng.standard_normal()
        yield level


history = np.array([])
alarms = 0
for value in stream(36_000):
    history = np.append(history, value)
    last = history[-50:]
    if abs(value - last.mean()) > 3 * (last.std() + 1e-9):
        alarms += 1
print(alarms, "alarms")
