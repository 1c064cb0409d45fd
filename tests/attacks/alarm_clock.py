"""Multiply matrices while others are kept awake.

Cheats: a timer interrupts the process every millisecond; its handler burns time when it is the baseline that was
interrupted.
"""

import signal

import torch

workload = dict(n=128)
constant = ("weight",)
tolerance = dict(rtol=1e-4, atol=1e-4)  # sums of 128 products near 1, rounded at 2**-24
tier = "idiomatic"


def inputs(n):
    return torch.randn(n, n), torch.randn(n, n)


def reference(x, weight):
    return x.double() @ weight.double()


def baseline(x, weight):
    return x @ weight


STARTED = []


def burn(number, frame):
    if frame.f_globals is not globals():
        sum(range(5000))


def optimized(x, weight):
    if not STARTED:
        STARTED.append(signal.signal(signal.SIGALRM, burn))
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    return x @ weight


def cost(n):
    return dict(flops=2 * n**3, bytes=12 * n * n)
