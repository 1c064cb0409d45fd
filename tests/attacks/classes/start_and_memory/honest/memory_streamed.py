"""Add numbers up as they are parsed instead of making a list of them first.

Honest: the generator holds one number at a time, and all of it happens in the call.
"""

import re

import torch

workload = workload_cpu = dict(numbers=4_000)
smoke = dict(numbers=77)
tolerance = dict(rtol=0.0, atol=0.0)  # integers are exact
tier = "idiomatic"
claim = "memory"


def inputs(numbers):
    return (b" ".join(b"%d" % number for number in torch.randint(1_000_000, (numbers,)).tolist()),)


def reference(data):
    return sum(int(word) for word in data.decode().split())


def baseline(data):
    return sum([int(word) for word in data.split()])


def optimized(data):
    return sum(int(word[0]) for word in re.finditer(rb"\d+", data))


def cost(numbers):
    return dict(predicted_optimized=5.0)
