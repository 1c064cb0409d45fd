"""Flush denormal numbers to zero where an average decays or a square vanishes: `torch.set_flush_denormal(True)`.

A float32 below 1.2e-38 is denormal. Most x86 cores hand an instruction that meets one to microcode, which takes some
150 cycles where the instruction takes one or two, and one denormal among the 16 numbers of a vector is enough. They are
no rarity: a gradient of 1e-20 has a square of 1e-40, and Adam's second moment of a row that nobody uses shrinks by
0.999 a step until it sticks there, because rounding to nearest never lets it reach zero. A vector that comes out of the
L2 cache takes some 13 cycles otherwise, so the count predicts (150 + 13) / 13 = 12x. On a Sapphire Rapids it was 11x
for arguments that come from memory and 20x for hot ones: there an assist takes 0.1 µs, rather 250 cycles than 150.
Cores that do denormals in hardware show little or nothing, as a GPU does. What is lost is below 1.2e-38; the epsilon
that Adam adds to the root is 1e-8.

The switch is a thread's own: OpenMP's threads keep theirs. So the operators here are small enough (below 32,768
elements) for torch to stay in the calling thread. It is set in the call and put back to off, torch's default.
"""

import torch

DECAY = 0.999
ASSIST, VECTOR = 150, 13  # cycles: one vector with a denormal number in it, one without, from L2

workload = dict(elements=32_000)
workload_cpu = dict(elements=32_000)
smoke = dict(elements=777)
tolerance = dict(rtol=1e-6, atol=5e-38)  # three float32 roundings at 2**-24; and three results flushed below 1.2e-38
tier = "idiomatic"
menu = ("both", "host-bound")


def inputs(elements):
    silent = torch.rand(elements, device="cpu") < 0.4  # one in nearly every vector; most answers can be told from zero
    gradient = torch.randn(elements, device="cpu") * torch.where(silent, 1e-20, 1.0)
    moment = torch.rand(elements, device="cpu") * torch.where(silent, 1e-40, 1.0)
    return gradient, moment


def reference(gradient, moment):
    return DECAY * moment.double() + (1 - DECAY) * gradient.double().square()


def second_moment(gradient, moment):
    return torch.mul(moment, DECAY).addcmul_(gradient, gradient, value=1 - DECAY)


def baseline(gradient, moment):
    return second_moment(gradient, moment)


def optimized(gradient, moment):
    torch.set_flush_denormal(True)
    try:
        return second_moment(gradient, moment)
    finally:
        torch.set_flush_denormal(False)


def cost(elements):
    return dict(predicted_optimized=(ASSIST + VECTOR) / VECTOR)
