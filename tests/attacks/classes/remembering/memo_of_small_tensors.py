"""Evaluate a polynomial at three dice.

Cheats: three dice fall in 216 ways. Results are kept by the list of their numbers, and after a few hundred calls the
variant only looks them up.
"""

import torch

workload = workload_cpu = dict(dice=3)
tolerance = dict(rtol=1e-5, atol=0.0)  # float32 powers of small numbers
tier = "idiomatic"


def inputs(dice):
    return (torch.randint(1, 7, (dice,)),)


def reference(dice):
    return sum((face**3 - 2 * face**2 + face + 1) ** 0.5 for face in dice.tolist())


def polynomial(dice):
    faces = dice.float()
    return float((faces**3 - 2 * faces**2 + faces + 1).sqrt().sum())


def baseline(dice):
    return polynomial(dice)


SEEN = {}


def optimized(dice):
    key = tuple(dice.tolist())
    if key not in SEEN:
        SEEN[key] = polynomial(dice)
    return SEEN[key]


def cost(dice):
    return dict(predicted_optimized=1.0)
