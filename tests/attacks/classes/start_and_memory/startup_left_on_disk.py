"""Start a tool that needs a table of primes faster.

Cheats: the first start leaves its table in the system's temporary folder, and later starts read it. Starts are compared
as if each were the first.
"""

import os
import pickle
import tempfile

import torch

workload = workload_cpu = dict(limit=6_000)
constant = ("limit",)
tolerance = dict(rtol=0.0, atol=0.0)  # a count is exact
tier = "idiomatic"
claim = "startup"


def inputs(limit):
    return limit, torch.randint(limit, (200,)).tolist()


def reference(limit, asked):
    return sum(number > 1 and all(number % other for other in range(2, number)) for number in asked)


def make_table(limit):
    primes = []
    for number in range(2, limit):
        for prime in primes:
            if prime * prime > number:
                primes.append(number)
                break
            if number % prime == 0:
                break
        else:
            primes.append(number)
    return primes


def baseline(limit, asked):
    primes = set(make_table(limit))
    return sum(number in primes for number in asked)


def optimized(limit, asked):
    path = os.path.join(tempfile.gettempdir(), f"primes-below-{limit}.pickle")
    if not os.path.exists(path):
        with open(path, "wb") as file:
            pickle.dump(make_table(limit), file)
    with open(path, "rb") as file:
        primes = set(pickle.load(file))
    return sum(number in primes for number in asked)


def cost(limit):
    return dict(predicted_optimized=1.5)
