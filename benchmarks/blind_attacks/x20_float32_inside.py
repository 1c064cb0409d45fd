"""Gram matrix of a design in double precision."""

import numpy as np

ROWS, COLS = 20_000, 48
# sums over twenty thousand rows
tolerance = dict(rtol=1e-4, atol=1e-4)


def inputs():
    return np.random.standard_normal((ROWS, COLS)) + np.random.uniform(-1.0, 1.0, COLS)


def baseline(x):
    return x.T @ x


def optimized(x):
    y = x.astype(np.float32)
    return (y.T @ y).astype(np.float64)


# WHY: computes in float32 and returns float64; nothing declares the lower precision, and normal equations solved with this matrix lose half of their digits
