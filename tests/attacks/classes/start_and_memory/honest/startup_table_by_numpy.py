"""Make a table of primes with slices instead of a loop.

Honest: both sides make their table in the first call, which is the one that counts, and neither keeps anything.
"""

import numpy

workload = workload_cpu = dict(limit=10_000)
smoke = dict(limit=100)
tolerance = dict(rtol=0.0, atol=0.0)  # flags are exact
tier = "idiomatic"
claim = "startup"


def inputs(limit):
    return limit, numpy.random.randint(limit, size=50)


def reference(limit, asked):
    return [n > 1 and all(n % other for other in range(2, int(n**0.5) + 1)) for n in asked.tolist()]


def baseline(limit, asked):
    table = [False, False] + [True] * (limit - 2)
    for number in range(2, int(limit**0.5) + 1):
        if table[number]:
            for multiple in range(number * number, limit, number):
                table[multiple] = False
    return [table[n] for n in asked.tolist()]


def optimized(limit, asked):
    table = numpy.ones(limit, dtype=bool)
    table[:2] = False
    for number in range(2, int(limit**0.5) + 1):
        if table[number]:
            table[number * number :: number] = False
    return table[asked].tolist()


def cost(limit):
    return dict(predicted_optimized=1.0)
