"""Have the compiler write the launches of a decode step in C++ instead of Python.

Compiled code is kernels and a function that launches them. By default that function is Python, and a launch costs the
host as much as one of eager mode. With `cpp_wrapper` it is C++. Unlike a CUDA graph it copies nothing and fixes no
addresses. Predicts: the ratio of launches, and more, because each costs less. No gain where: the device is slower than
the host, as with a large batch. It takes longer to compile: a C++ compiler reads the whole function.
"""

import compile_decode
import torch
from compile_decode import EAGER, FUSED, decode

workload = dict(layers=16, batch=1, length=256, width=2_048, dtype="bfloat16")  # 1.07 billion weights
workload_cpu = dict(layers=2, batch=2, length=32, width=64, dtype="float32")
smoke = dict(layers=2, batch=3, length=7, width=64, dtype="float32")
constant = ("weights", "keys", "values", "turn")
tolerance = dict(
    bfloat16=dict(rtol=3e-2, atol=0.1),  # some ten roundings at 2**-9 in each of sixteen layers, values near 2
    float32=dict(rtol=1e-4, atol=2e-5),  # sums of up to a thousand products, in another order
)
needs = dict(cuda=7.0)  # a CPU launches nothing
tier = "idiomatic"
menu = ("inference", "launch-bound")


def constants(layers, batch, length, width, dtype):
    return compile_decode.constants(layers, batch, length, width, dtype)


def inputs(layers, batch, length, width, dtype):
    return compile_decode.inputs(layers, batch, length, width, dtype)


def reference(x, weights, keys, values, turn):
    return compile_decode.reference(x, weights, keys, values, turn)


def baseline(x, weights, keys, values, turn):
    return decode(x, weights, keys, values, turn)


def prepare_optimized(x, weights, keys, values, turn):
    return torch.compile(decode, dynamic=False, options=dict(cpp_wrapper=True))


def optimized(compiled, x, weights, keys, values, turn):
    return compiled(x, weights, keys, values, turn)


def cost(layers, batch, length, width, dtype):
    parameters, cache = 16 * layers * width**2, 2 * layers * batch * length * width
    return dict(
        flops=2 * batch * parameters + 2 * cache,
        bytes=getattr(torch, dtype).itemsize * (parameters + cache),
        baseline_launches=EAGER * layers,
        optimized_launches=FUSED * layers,
    )
