"""Send arrays through pickle with protocol 5, not with protocol 2.

Protocol 2 knows no bytes: it writes them as text in latin-1, encoded as UTF-8, and decodes that again on the way back,
so half of all bytes become two. Protocol 5 writes the buffer of an array as it is.
"""

import pickle

import numpy as np

workload = workload_cpu = dict(arrays=8, length=20_000)  # 1.3 MB
smoke = dict(arrays=3, length=17)
tolerance = dict(rtol=0.0, atol=0.0)  # bits go there and come back
tier = "idiomatic"


def inputs(arrays, length):
    return ([np.random.randn(length) for _ in range(arrays)],)


def reference(arrays):
    return [np.array([float(value) for value in array]) for array in arrays]


def baseline(arrays):
    return pickle.loads(pickle.dumps(arrays, protocol=2))


def optimized(arrays):
    return pickle.loads(pickle.dumps(arrays, protocol=5))


def cost(arrays, length):
    size = 8 * arrays * length
    return dict(bytes=2 * size, baseline_bytes=8 * size, optimized_bytes=4 * size)
