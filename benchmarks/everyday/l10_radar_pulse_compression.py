# Pulse compression: correlate every received sweep with the transmitted chirp.
import numpy as np
from scipy import fft

constant = ("pulse",)
layout = "any"  # the peak search that follows only indexes it
workload = dict(sweeps=8, samples=4096, length=512)
smoke = dict(sweeps=3, samples=301, length=40)


def constants(length):
    t = np.linspace(-0.5, 0.5, length)
    return np.hamming(length) * np.exp(1j * np.pi * 0.4 * length * t**2)


def inputs(sweeps, samples, length, pulse):
    echo = 0.1 * (np.random.randn(sweeps, samples) + 1j * np.random.randn(sweeps, samples))
    for row in echo:
        for _ in range(3):
            at = np.random.randint(0, samples - length)
            row[at : at + length] += np.random.rayleigh() * np.exp(2j * np.pi * np.random.rand()) * pulse
    return echo


def baseline(echo, pulse):
    return np.array([np.correlate(row, pulse, mode="valid") for row in echo])


def optimized(echo, pulse):
    n = fft.next_fast_len(echo.shape[1] + len(pulse) - 1)
    spectrum = fft.fft(echo, n, axis=1) * fft.fft(pulse, n).conj()
    return fft.ifft(spectrum, axis=1)[:, : echo.shape[1] - len(pulse) + 1]
