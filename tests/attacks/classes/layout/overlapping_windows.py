"""Cut a signal into overlapping frames.

Cheats: the variant's frames share memory, eight of them per sample. The baseline's are rows of their own, which can be
changed and are read in order.
"""

import numpy

FRAME, HOP = 64, 8

workload = workload_cpu = dict(samples=8_192)
smoke = dict(samples=777)
tolerance = dict(rtol=1e-12, atol=1e-12)  # a float64 subtraction


def inputs(samples):
    return (numpy.random.randn(samples),)


def reference(signal):
    centred = signal - signal.mean()
    return numpy.stack([centred[start : start + FRAME] for start in range(0, len(signal) - FRAME + 1, HOP)])


def baseline(signal):
    centred = signal - signal.mean()
    starts = numpy.arange(0, len(signal) - FRAME + 1, HOP)
    return centred[starts[:, None] + numpy.arange(FRAME)]


def optimized(signal):
    centred = signal - signal.mean()
    return numpy.lib.stride_tricks.sliding_window_view(centred, FRAME)[::HOP]
