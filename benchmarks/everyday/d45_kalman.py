"""A Kalman filter as a class with state: numpy matrices against plain floats."""

from dataclasses import dataclass
import numpy as np


@dataclass
class Track:
    position: float
    speed: float
    history: list


class Slow:
    def __init__(self):
        self.x = np.zeros(2)
        self.p = np.eye(2)

    def update(self, z):
        f = np.array([[1.0, 0.1], [0.0, 1.0]])
        self.x = f @ self.x
        self.p = f @ self.p @ f.T + 0.01 * np.eye(2)
        k = self.p[:, 0] / (self.p[0, 0] + 0.5)
        self.x = self.x + k * (z - self.x[0])
        self.p = self.p - np.outer(k, self.p[0])


def inputs():
    return (np.random.randn(300).cumsum().tolist(),)


def baseline(zs):
    t, out = Slow(), []
    for z in zs:
        t.update(z)
        out.append(float(t.x[0]))
    return Track(float(t.x[0]), float(t.x[1]), out)


def optimized(zs):
    x0 = x1 = 0.0
    a, b, c, d = 1.0, 0.0, 0.0, 1.0
    out = []
    for z in zs:
        x0 += 0.1 * x1
        a, b, c, d = a + 0.1 * c + 0.1 * (b + 0.1 * d) + 0.01, b + 0.1 * d, c + 0.1 * d, d + 0.01
        s = a + 0.5
        k0, k1 = a / s, c / s
        r = z - x0
        x0, x1 = x0 + k0 * r, x1 + k1 * r
        a, b, c, d = a - k0 * a, b - k0 * b, c - k1 * a, d - k1 * b
        out.append(x0)
    return Track(x0, x1, out)
