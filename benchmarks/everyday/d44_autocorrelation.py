"""Autocorrelation with the FFT, seeded as everyone does."""

import numpy as np


def inputs():
    np.random.seed(0)
    return np.random.randn(2000)


def baseline(x):
    x = x - x.mean()
    full = np.correlate(x, x, mode="full")
    return full[len(x) - 1 :] / full[len(x) - 1]


def optimized(x):
    x = x - x.mean()
    f = np.fft.rfft(x, 2 * len(x))
    r = np.fft.irfft(f * f.conj())[: len(x)]
    return r / r[0]
