"""Price an option with one call that draws all its paths.

Both sides sample: they draw the same 2,000 numbers from the generator that they are given, and take the mean of the same pay-offs.
"""

import math

import numpy as np
import torch

workload = dict(paths=2000)
smoke = dict(paths=37)
STRIKE, DRIFT, SPREAD = 100.0, -0.02, 0.2


def inputs(paths):
    return np.random.default_rng(int(torch.randint(2**62, ()))), float(np.random.uniform(90, 120)), paths


def baseline(rng, spot, paths):
    total = 0.0
    for _ in range(paths):
        total += max(spot * math.exp(DRIFT + SPREAD * rng.standard_normal()) - STRIKE, 0.0)
    return total / paths


def optimized(rng, spot, paths):
    ends = spot * np.exp(DRIFT + SPREAD * rng.standard_normal(paths))
    return float(np.maximum(ends - STRIKE, 0.0).mean())
