"""Sum the fields of a dataclass with slots."""

import random
from dataclasses import dataclass


@dataclass
class Point:
    x: float
    y: float
    z: float


def inputs():
    return Point(random.random(), random.random(), random.random())


def baseline(p):
    return sum(getattr(p, n) for n in ("x", "y", "z"))


def optimized(p):
    return p.x + p.y + p.z
