"""Filter audio by a short-block FFT instead of a direct sum."""

import numpy as np
from scipy.signal import oaconvolve

workload = workload_cpu = dict(n=32768, taps=513)
smoke = dict(n=1500, taps=65)


def inputs(n, taps):
    return np.random.randn(n), np.random.randn(taps)


def baseline(signal, fir):
    return np.convolve(signal, fir)


def optimized(signal, fir):
    return oaconvolve(signal, fir)
