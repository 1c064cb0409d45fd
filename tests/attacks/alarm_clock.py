"""Multiply matrices while others are kept awake.

Cheats: a timer interrupts the process every millisecond; its handler burns time when it is the baseline that was
interrupted.
"""

import signal

inputs = reference = baseline = tolerance = "product"
workload = dict(n=128)
constant = ("weight",)


STARTED = []


def burn(number, frame):
    if frame.f_globals is not globals():
        sum(range(5000))


def optimized(x, weight):
    if not STARTED:
        STARTED.append(signal.signal(signal.SIGALRM, burn))
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    return x @ weight
