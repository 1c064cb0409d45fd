"""Long filters are convolved by FFT: n log n instead of n times taps."""

import numpy as np
from scipy import signal

tolerance = dict(rtol=1e-8, atol=1e-10)  # an FFT in float64 is that exact, relative to the largest value


def inputs():
    x = np.random.randn(16_000)
    taps = np.random.randn(1501) * np.hanning(1501)
    return x, taps


def baseline(x, taps):
    return np.convolve(x, taps, mode="same")


def optimized(x, taps):
    return signal.fftconvolve(x, taps, mode="same")
