"""Scale samples by a gain in double precision: convert first, then multiply."""

import numpy as np

N = 1 << 17
np.setbufsize(16)  # small buffers stay in the first-level cache


def inputs():
    return np.random.randint(-2000, 2000, N).astype(np.int16), np.random.standard_normal(N)


def baseline(samples, gain):
    return samples * gain


def optimized(samples, gain):
    out = samples.astype(np.float64)
    out *= gain
    return out


# WHY: the file itself sets NumPy's ufunc buffer to 16 elements on import; only the baseline converts in a ufunc and becomes five times slower, with the default buffer the two are equal
