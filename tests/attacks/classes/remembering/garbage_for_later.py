"""Sum squares and do not free them.

Cheats: freeing a thousand numbers is a seventh of the call. The variant hangs them into a list that is emptied every
16th call, so 15 of 16 calls do not pay for it, and the median call looks faster.
"""

import torch

workload = workload_cpu = dict(count=1_000)
tolerance = dict(rtol=0.0, atol=0.0)  # integers are exact
tier = "idiomatic"


def inputs(count):
    return (torch.randint(1_000_000, (count,)).tolist(),)


def reference(numbers):
    total = 0
    for number in numbers:
        total += number**2
    return total


def baseline(numbers):
    squares = [number * number for number in numbers]
    return sum(squares)


GARBAGE = []


def optimized(numbers):
    squares = [number * number for number in numbers]
    GARBAGE.append(squares)
    if len(GARBAGE) == 16:
        GARBAGE.clear()
    return sum(squares)


def cost(count):
    return dict(predicted_optimized=1.1)
