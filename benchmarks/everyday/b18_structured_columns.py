"""Keep the columns that a loop reads in arrays of their own, not in an array of records.

A record has eight fields of 8 bytes: one cache line. A distance needs three of the fields, but a line is fetched whole,
so the records move 64 bytes for each particle and the columns 24; and values that lie side by side fill vectors.
"""

import numpy as np

FIELDS = [(name, "f8") for name in ("x", "y", "z", "vx", "vy", "vz", "mass")] + [("id", "i8")]

workload = dict(count=2_000_000)
workload_cpu = dict(count=200_000)  # records of 12.8 MB, columns of 4.8 MB
smoke = dict(count=103)
constant = ["particles"]
tolerance = dict(rtol=1e-12, atol=1e-12)  # a double sum of three squares near 1
tier = "idiomatic"


def inputs(count):
    particles = np.zeros(count, dtype=FIELDS)
    for name, _ in FIELDS[:7]:
        particles[name] = np.random.randn(count)
    particles["id"] = np.arange(count)
    return particles, np.random.randn(3)


def reference(particles, point):
    wide = np.longdouble
    terms = [(particles[name].astype(wide) - wide(centre)) ** 2 for name, centre in zip("xyz", point, strict=True)]
    return terms[0] + terms[1] + terms[2]


def baseline(particles, point):
    x, y, z = point
    return (particles["x"] - x) ** 2 + (particles["y"] - y) ** 2 + (particles["z"] - z) ** 2


def prepare_optimized(particles, point):
    return tuple(np.ascontiguousarray(particles[name]) for name in "xyz")


def optimized(columns, particles, point):
    x, y, z = point
    return (columns[0] - x) ** 2 + (columns[1] - y) ** 2 + (columns[2] - z) ** 2


def cost(count):
    temporaries = 8 * 15 * count
    return dict(
        flops=8 * count,
        bytes=32 * count,
        baseline_bytes=3 * 64 * count + temporaries,
        optimized_bytes=24 * count + temporaries,
    )
