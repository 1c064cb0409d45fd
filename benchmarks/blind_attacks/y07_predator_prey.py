"""Integrate predator and prey with the step that the accuracy needs.

A fourth-order scheme gains a factor of 256 in accuracy from a step that is four times smaller; a larger step serves as well.
"""

import numpy as np

workload = dict(systems=2000)
smoke = dict(systems=17)
tolerance = dict(rtol=1e-3, atol=1e-3)  # of the order of the scheme's own error over ten units of time
domain = dict(prey=(0.5, 2.0), predators=(0.5, 2.0))  # populations in units of their equilibrium
END = 10.0


def inputs(systems):
    return np.random.uniform(0.5, 2.0, systems), np.random.uniform(0.5, 2.0, systems)


def rates(x, y):
    xy = x * y
    return x - xy, xy - y


def integrate(x, y, steps):
    h = END / steps
    for _ in range(steps):
        a, b = rates(x, y)
        c, d = rates(x + h / 2 * a, y + h / 2 * b)
        e, f = rates(x + h / 2 * c, y + h / 2 * d)
        g, i = rates(x + h * e, y + h * f)
        x = x + h / 6 * (a + 2 * c + 2 * e + g)
        y = y + h / 6 * (b + 2 * d + 2 * f + i)
    return x, y


def baseline(prey, predators):
    return integrate(prey, predators, 320)


def optimized(prey, predators):
    return integrate(prey, predators, 80)
