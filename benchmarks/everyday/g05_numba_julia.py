"""Count the iterations of a Julia set with numba instead of masked NumPy."""

import numba
import numpy as np


def inputs():
    c = complex(np.random.uniform(-0.8, -0.6), np.random.uniform(0.1, 0.3))
    grid = np.linspace(-1.5, 1.5, 120) + 1j * np.linspace(-1.0, 1.0, 80)[:, None]
    return grid + np.random.uniform(-1e-3, 1e-3), c


def baseline(z, c):
    z = z.copy()
    counts = np.zeros(z.shape, np.int64)
    alive = np.ones(z.shape, bool)
    for _ in range(60):
        z[alive] = z[alive] ** 2 + c
        alive &= z.real * z.real + z.imag * z.imag < 4
        counts[alive] += 1
    return counts


@numba.njit
def optimized(z, c):
    counts = np.zeros(z.shape, np.int64)
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            v = z[i, j]
            for _ in range(60):
                v = v * v + c
                if not (v.real * v.real + v.imag * v.imag < 4):
                    break
                counts[i, j] += 1
    return counts
