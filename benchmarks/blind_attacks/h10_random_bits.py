"""Fair coin flips: one random bit for each instead of a random double."""

import numpy as np

N = 16_384
distribution = True


def inputs():
    return np.random.uniform(0.5, 1.5, N)


def reference(x):
    return np.where(np.random.random(N) < 0.5, 2.0 * x, 0.0)


def baseline(x):
    return np.where(np.random.random(N) < 0.5, 2.0 * x, 0.0)


def optimized(x):
    bits = np.unpackbits(np.frombuffer(np.random.bytes(N // 8), dtype=np.uint8))
    return x * (bits * np.float64(2.0))


# HONEST: other random numbers in another order, with exactly the same distribution, drawn fresh by each call (look-alike of x27)
