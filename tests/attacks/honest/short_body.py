"""Add two numbers at once.

Honest: takes less than a microsecond, so that everything around it takes longer.
"""

import random

workload = dict(n=1)
tolerance = dict(rtol=1e-12, atol=1e-12)  # one rounding of float64
tier = "idiomatic"


def inputs(n):
    return random.random() + n, random.random()


def reference(a, b):
    return a + b


def baseline(a, b):
    return sum((a, b))


def optimized(a, b):
    return a + b


def cost(n):
    return dict(predicted_optimized=1.0)
