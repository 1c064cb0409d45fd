"""Write results into a buffer that is kept, with room for the longest batch.

Honest: the result is the front of a larger buffer. Its rows lie one after the other, as the baseline's do.
"""

import torch

workload = workload_cpu = dict(rows=100, width=256)
smoke = dict(rows=7, width=33)
tolerance = dict(rtol=1e-5, atol=1e-6)  # a float32 sigmoid and a product
tier = "idiomatic"


def inputs(rows, width):
    return torch.randn(rows, width), torch.randn(rows, width)


def reference(gate, up):
    gate = gate.double()
    return gate / (1 + (-gate).exp()) * up.double()


def baseline(gate, up):
    return gate * torch.sigmoid(gate) * up


def prepare_optimized(gate, up):
    return torch.empty(4 * len(gate), gate.shape[1])


def optimized(buffer, gate, up):
    result = buffer[: len(gate)]
    torch.sigmoid(gate, out=result)
    return result.mul_(gate).mul_(up)


def cost(rows, width):
    return dict(predicted_optimized=1.2)
