"""Look words up in a set instead of a list.

Honest: the output is a list of flags, about half of them True, and exact.
"""

import torch

workload = workload_cpu = dict(words=100, known=200)
smoke = dict(words=5, known=3)
tolerance = dict(rtol=0.0, atol=0.0)  # flags are exact
tier = "naive"


def inputs(words, known):
    draw = torch.randperm(2 * known).tolist()
    asked = torch.randint(2 * known, (words,)).tolist()
    return [f"w{number}" for number in asked], [f"w{number}" for number in draw[:known]]


def reference(words, known):
    return [any(word == other for other in known) for word in words]


def baseline(words, known):
    return [word in known for word in words]


def optimized(words, known):
    lookup = set(known)
    return [word in lookup for word in words]


def cost(words, known):
    return dict(predicted_optimized=15.0)
