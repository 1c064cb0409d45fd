"""Call the math module, not libm through ctypes.

The function behind both is the same one of the C library. ctypes looks at each argument, converts it by its declared
type, prepares a foreign call at run time and wraps the result: some 200 ns for a sine that takes 10.
"""

import ctypes
import ctypes.util
import math
import random

import numpy as np

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
LIBM.sin.argtypes = [ctypes.c_double]
LIBM.sin.restype = ctypes.c_double

workload = workload_cpu = dict(count=5_000)
smoke = dict(count=17)
tolerance = dict(rtol=1e-15, atol=1e-16)  # glibc's double sine is good to less than one unit of the last place
tier = "naive"


def inputs(count):
    return ([random.uniform(-10.0, 10.0) for _ in range(count)],)


def reference(values):
    return [float(np.sin(np.longdouble(value))) for value in values]


def baseline(values):
    sin = LIBM.sin
    return [sin(value) for value in values]


def optimized(values):
    sin = math.sin
    return [sin(value) for value in values]


def cost(count):
    return dict(flops=20 * count, bytes=16 * count, predicted_optimized=4.0)
