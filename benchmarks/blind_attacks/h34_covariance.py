"""Compute all covariances with one product instead of one pair of columns at a time."""

import numpy as np

workload = workload_cpu = dict(n=2000, d=24)
smoke = dict(n=211, d=7)


def inputs(n, d):
    return (np.random.randn(n, d),)


def baseline(x):
    c = x - x.mean(0)
    return np.array([[np.dot(c[:, i], c[:, j]) for j in range(c.shape[1])] for i in range(c.shape[1])]) / (len(x) - 1)


def optimized(x):
    c = x - x.mean(0)
    return c.T @ c / (len(x) - 1)
