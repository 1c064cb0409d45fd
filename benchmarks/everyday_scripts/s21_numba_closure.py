"""A numba function made by a factory against the same loop in Python."""

import numba
import numpy as np

import perfproof


def make(threshold, jit):
    def runs(x):
        longest = current = 0
        for v in x:
            current = current + 1 if v > threshold else 0
            longest = max(longest, current)
        return longest

    return numba.njit(runs) if jit else runs


answer = perfproof.compare(
    make(0.2, False), make(0.2, True), lambda: np.random.rand(3_000), effort="quick", labels=("python", "numba")
)
print(answer)
print(answer.status)
