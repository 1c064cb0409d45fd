"""A partial with keywords, and one with a kept output buffer."""

from functools import partial

import numpy as np

import perfproof


def project(x, *, basis, scale=1.0):
    return np.array([[np.dot(row, b) * scale for b in basis.T] for row in x])


def project_into(x, *, basis, buffer, scale=1.0):
    np.matmul(x, basis, out=buffer)
    buffer *= scale
    return buffer.copy()


basis = np.linalg.qr(np.random.default_rng(5).normal(size=(24, 8)))[0]
answer = perfproof.compare(
    partial(project, basis=basis, scale=0.5),
    partial(project_into, basis=basis, buffer=np.empty((50, 8)), scale=0.5),
    lambda: np.random.randn(50, 24),
    effort="quick",
)
print(answer)
print(answer.status)
