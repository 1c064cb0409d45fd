"""Make running sums with itertools.accumulate, not with a loop that appends.

Both add the same numbers in the same order. The loop interprets an addition and a call of append for each; accumulate
does the addition in C and the list takes what it yields.
"""

import random
from fractions import Fraction
from itertools import accumulate

workload = workload_cpu = dict(count=20_000)
smoke = dict(count=23)
tolerance = dict(rtol=1e-10, atol=1e-10)  # up to 20,000 double additions, each rounded at 2**-53 of a sum below 1,000
tier = "idiomatic"


def inputs(count):
    return ([random.gauss(0.0, 1.0) for _ in range(count)],)


def reference(values):
    total, sums = Fraction(0), []
    for value in values:
        total += Fraction(value)
        sums.append(float(total))
    return sums


def baseline(values):
    total, sums = 0.0, []
    for value in values:
        total += value
        sums.append(total)
    return sums


def optimized(values):
    return list(accumulate(values))


def cost(count):
    return dict(flops=count, bytes=16 * count)
