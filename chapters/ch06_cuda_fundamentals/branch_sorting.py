"""Sort the data that a branch depends on, or take the branch away: a guess that fails costs some 20 cycles.

A CPU guesses the outcome of a branch and works ahead. `masked_select` tests every element; if half of a random mask
is true, every second guess fails. On sorted values the branch changes once, and the guess is nearly always right. The
work and the calls are the same, only the order of the values differs. Predicts: 5 ns for half a failed guess on 4 ns
of work, 2.2x. No gain where: the operator has no branch per element, as in `optimized_branchless`, which needs no
sorting. Sorting is set-up here.
"""

import torch

WORK, GUESS, WRONG = (
    4e-9,
    10e-9,
    0.5,
)  # seconds per element, per failed guess, and the share that fails at a random half

workload = dict(elements=32_000, limits=16)  # few enough elements for torch to stay in one thread
workload_cpu = dict(elements=32_000, limits=16)
smoke = dict(elements=1_003, limits=5)
constant = ("values",)  # a table that is asked many times
tolerance = dict(rtol=1e-5, atol=1e-4)  # sums of up to 32,000 float32 near 0.5, in another order
tier = "idiomatic"
menu = ("both", "host-bound")


def inputs(elements, limits):
    return torch.rand(elements, device="cpu"), 0.3 + 0.4 * torch.rand(limits, device="cpu")


def reference(values, limits):
    wide = values.double()
    return torch.stack([(wide * (values > limit)).sum() for limit in limits])


def sums_above(values, limits):
    return torch.stack([torch.masked_select(values, values > limit).sum() for limit in limits])


def baseline(values, limits):
    return sums_above(values, limits)


def prepare_optimized(values, limits):
    return values.sort().values


def optimized(ordered, values, limits):
    return sums_above(ordered, limits)


def optimized_branchless(values, limits):
    return torch.stack([torch.where(values > limit, values, 0).sum() for limit in limits])


def cost(elements, limits):
    return dict(predicted_optimized=(WORK + WRONG * GUESS) / WORK)
