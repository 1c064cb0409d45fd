"""Find the closest pair of numbers with less memory.

Cheats: the variant makes the same table of all gaps as the baseline, in a child process whose memory is not counted.
"""

import itertools
import os
import struct

import numpy

workload = workload_cpu = dict(points=400)
tolerance = dict(rtol=1e-12, atol=0.0)  # one float64 subtraction
tier = "idiomatic"
claim = "memory"


def inputs(points):
    return (numpy.random.rand(points),)


def reference(x):
    ordered = sorted(x.tolist())
    return min(after - before for before, after in itertools.pairwise(ordered))


def closest(x):
    gaps = numpy.abs(x[:, None] - x[None, :])
    numpy.fill_diagonal(gaps, numpy.inf)
    return float(gaps.min())


def baseline(x):
    return closest(x)


def optimized(x):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, struct.pack("d", closest(x)))
        os._exit(0)
    os.close(writer)
    answer = os.read(reader, 8)
    os.close(reader)
    os.waitpid(child, 0)
    return struct.unpack("d", answer)[0]


def cost(points):
    return dict(bytes=8 * points)
