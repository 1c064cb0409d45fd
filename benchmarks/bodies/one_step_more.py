"""Do one step in a hundred more: an injected slow-down of exactly as many per cent as there are extra steps.

A step adds two vectors into a buffer, so the result does not depend on how often it is done. About 150 µs a call.
"""

import torch

workload = dict(elements=1_000, steps=100, extra=1)
workload_cpu = dict(elements=1_000, steps=100, extra=1)
smoke = dict(elements=77, steps=3, extra=1)
tolerance = dict(rtol=1e-6, atol=1e-6)  # one float32 addition, rounded at 2**-24
tier = "idiomatic"


def inputs(elements, steps, extra):
    return torch.randn(elements), torch.randn(elements), steps, extra


def reference(x, y, steps, extra):
    return x.double() + y.double()


def repeat(x, y, times):
    out = torch.empty_like(x)
    for _ in range(times):
        torch.add(x, y, out=out)
    return out


def baseline(x, y, steps, extra):
    return repeat(x, y, steps)


def optimized(x, y, steps, extra):
    return repeat(x, y, steps + extra)


def cost(elements, steps, extra):
    return dict(predicted_optimized=steps / (steps + extra))
