"""Double and add up in less memory.

Cheats: works in place in its argument, but only after fifty calls, by which time it has surely been verified.
"""

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


CALLS = [0]


def optimized(x, weight):
    CALLS[0] += 1
    answer = x @ weight
    if CALLS[0] > 50:
        x.mul_(0.5)
    return answer
