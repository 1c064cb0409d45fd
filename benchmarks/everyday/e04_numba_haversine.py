"""Great-circle distances with numba instead of NumPy temporaries."""

import math

import numba
import numpy as np


def inputs():
    return np.random.uniform(-80, 80, 20000), np.random.uniform(-179, 179, 20000)


def baseline(lat, lon):
    a, b = np.radians(lat), np.radians(lon)
    h = np.sin((a[1:] - a[:-1]) / 2) ** 2 + np.cos(a[1:]) * np.cos(a[:-1]) * np.sin((b[1:] - b[:-1]) / 2) ** 2
    return 2 * 6371.0 * np.arcsin(np.sqrt(h))


@numba.njit(cache=True)
def optimized(lat, lon):
    out = np.empty(len(lat) - 1)
    k = math.pi / 180
    for i in range(len(out)):
        p, q = lat[i] * k, lat[i + 1] * k
        h = math.sin((q - p) / 2) ** 2 + math.cos(p) * math.cos(q) * math.sin((lon[i + 1] - lon[i]) * k / 2) ** 2
        out[i] = 2 * 6371.0 * math.asin(math.sqrt(h))
    return out
