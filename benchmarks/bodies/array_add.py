"""Add two arrays into a buffer; both sides are the same code with buffers of their own.

Which buffers were created first decides where they lie, and on some layouts that alone is several per cent.
"""

import numpy

workload = dict(elements=60_000)
workload_cpu = dict(elements=60_000)
smoke = dict(elements=77)
constant = ("bias",)
tolerance = dict(rtol=1e-6, atol=1e-6)  # one float32 addition, rounded at 2**-24
tier = "idiomatic"


def inputs(elements):
    return numpy.random.rand(elements).astype("float32"), numpy.random.rand(elements).astype("float32")


def reference(x, bias):
    return x.astype("float64") + bias.astype("float64")


def prepare_baseline(x, bias):
    return bias.copy(), numpy.empty_like(bias)


def baseline(own, x, bias):
    return numpy.add(x, own[0], out=own[1])


def prepare_optimized(x, bias):
    return bias.copy(), numpy.empty_like(bias)


def optimized(own, x, bias):
    return numpy.add(x, own[0], out=own[1])


def cost(elements):
    return dict(predicted_optimized=1.0)
