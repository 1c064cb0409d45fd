"""Filter a track with a fixed sensor covariance."""

import numpy as np

rng = np.random.default_rng(0)
SIZE = 400
factor = rng.standard_normal((SIZE, SIZE))
covariance = factor @ factor.T + SIZE * np.eye(SIZE)


def whiten(residual):
    return np.linalg.inv(covariance) @ residual


def gate(residual):
    return residual @ whiten(residual)


state, inside = np.zeros(SIZE), 0
for step in range(25):
    measured = state + rng.standard_normal(SIZE)
    residual = measured - state
    state = state + 0.1 * whiten(residual)
    inside += gate(residual) < SIZE
print(inside)
