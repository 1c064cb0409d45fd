"""Parse a long text of decimal numbers with one numpy call, not with float() for each word.

A million characters are 111,111 numbers. split() makes a string object of each, float() another object, and the array
reads them all again. np.fromstring with a separator walks the text in C and writes the doubles where they belong.
"""

from decimal import Decimal

import numpy as np

workload = workload_cpu = dict(characters=1_000_000)
smoke = dict(characters=1_000)
tolerance = dict(rtol=1e-15, atol=0.0)  # both round correctly: a last bit at most
tier = "idiomatic"


def inputs(characters):
    values = np.random.uniform(-999, 999, characters // 9)
    return (" ".join(f"{value:8.3f}" for value in values),)


def reference(text):
    return np.array([float(Decimal(word)) for word in text.split()])


def baseline(text):
    return np.array([float(word) for word in text.split()])


def optimized(text):
    return np.fromstring(text, dtype=np.float64, sep=" ")


def cost(characters):
    numbers = characters // 9
    return dict(flops=characters, bytes=characters + 8 * numbers, samples=numbers)
