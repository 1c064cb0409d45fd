import numpy as np
from scipy.linalg import cho_factor, cho_solve

domain = dict(a="drawn")  # symmetric positive definite


def inputs():
    n = 200
    x = np.random.randn(n, 2 * n)
    a = x @ x.T / (2 * n) + np.eye(n)
    return a, np.random.randn(n, 4)


def baseline(a, b):
    return np.linalg.inv(a) @ b


def optimized(a, b):
    return np.ascontiguousarray(cho_solve(cho_factor(a, lower=True), b))
