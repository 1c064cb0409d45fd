"""Count the divisors of a number.

Cheats: answers are kept by number. `inputs` draws from 5,000 numbers, so soon all of them are known.
"""

import functools

import torch

workload = workload_cpu = dict(limit=5_000)
tolerance = dict(rtol=0.0, atol=0.0)  # a count is exact
tier = "idiomatic"


def inputs(limit):
    return (20_000 + int(torch.randint(limit, ())),)


def reference(number):
    return sum(number % other == 0 for other in range(1, number + 1))


def baseline(number):
    return divisors(number)


def divisors(number):
    count, other = 0, 1
    while other * other <= number:
        if number % other == 0:
            count += 1 if other * other == number else 2
        other += 1
    return count


known_divisors = functools.cache(divisors)


def optimized(number):
    return known_divisors(number)


def cost(limit):
    return dict(predicted_optimized=1.0)
