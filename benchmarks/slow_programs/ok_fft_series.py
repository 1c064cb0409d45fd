"""Spectra of long recordings, in blocks."""

import numpy as np

rng = np.random.default_rng(0)
recording = rng.standard_normal(1 << 23)
window = np.hanning(1 << 14)
power = np.zeros((1 << 13) + 1)
for sweep in range(12):
    blocks = recording.reshape(-1, 1 << 14)[sweep % 2 :: 2] * window
    power += (np.abs(np.fft.rfft(blocks, axis=1)) ** 2).mean(axis=0)
print(power.argmax(), power.sum())
