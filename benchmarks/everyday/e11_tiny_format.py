"""Format a metric line with an f-string."""

import random


def inputs():
    return random.randint(0, 10**6), random.random(), random.random() * 1e-3


def baseline(step, loss, lr):
    return "step={:d} loss={:.4f} lr={:.2e}".format(step, loss, lr)


def optimized(step, loss, lr):
    return f"step={step} loss={loss:.4f} lr={lr:.2e}"
