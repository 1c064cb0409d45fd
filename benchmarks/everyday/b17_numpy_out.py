"""Update arrays in place with out=, not through temporaries.

A momentum step as a formula makes four temporaries and copies two of them back: 14 passes over an array. With out= and
one kept scratch buffer it is 10 passes and no fresh memory, so bytes predict 1.4x, and page faults may add to it.
"""

import numpy as np

MOMENTUM = 0.9
RATE = 0.01

workload = dict(count=8_000_000)
workload_cpu = dict(count=1_000_000)  # arrays of 4 MB
smoke = dict(count=1_001)
mutates = ["weights", "velocity"]
tolerance = dict(rtol=1e-6, atol=1e-6)  # two float32 products and sums of values near 1, each rounded at 2**-24
tier = "idiomatic"


def inputs(count):
    weights, velocity, gradient = np.random.randn(3, count).astype(np.float32)
    return weights, velocity, gradient


def reference(weights, velocity, gradient):
    for i in range(0, len(weights), 1_000):
        part = slice(i, i + 1_000)
        velocity[part] = MOMENTUM * velocity[part] + gradient[part].astype(np.float64)
        weights[part] = weights[part] - RATE * velocity[part]


def baseline(weights, velocity, gradient):
    velocity[:] = MOMENTUM * velocity + gradient
    weights[:] = weights - RATE * velocity


def prepare_optimized(weights, velocity, gradient):
    return np.empty_like(weights)


def optimized(scratch, weights, velocity, gradient):
    np.multiply(velocity, MOMENTUM, out=velocity)
    np.add(velocity, gradient, out=velocity)
    np.multiply(velocity, RATE, out=scratch)
    np.subtract(weights, scratch, out=weights)


def cost(count):
    return dict(flops=4 * count, bytes=20 * count, baseline_bytes=4 * 14 * count, optimized_bytes=4 * 10 * count)
