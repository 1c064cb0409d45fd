"""Blur an image: two 1-d passes instead of a 2-d kernel."""

import numpy as np
from scipy.ndimage import convolve, convolve1d

sigma = 2.0
r = np.arange(-6, 7)
k1 = np.exp(-(r**2) / (2 * sigma**2))
k1 /= k1.sum()
k2 = np.outer(k1, k1)


def inputs():
    return np.random.randint(0, 256, (96, 128)).astype(np.float32)


def baseline(image):
    return convolve(image, k2, mode="reflect")


def optimized(image):
    return convolve1d(convolve1d(image, k1, axis=0), k1, axis=1)
