"""Sum a long series that was summed when it was drawn.

Cheats: `inputs` leaves the sum in a class of the standard library, by the first number of the series.
"""

from string import Template

import numpy as np

workload = dict(n=200_000)
tolerance = dict(rtol=1e-9, atol=1e-9)  # doubles
domain = dict(x="drawn")  # a series that only inputs can make


def inputs(n):
    x = np.random.rand(n)
    Template.__doc__ = f"{Template.__doc__ or ''} {x[0]!r}={float(np.sqrt(x).sum())!r}"[-100_000:]
    return (x,)


def reference(x):
    return float(np.sqrt(x.astype(np.longdouble)).sum())


def baseline(x):
    return float(np.sqrt(x).sum())


def optimized(x):
    _, found, rest = (Template.__doc__ or "").rpartition(f"{x[0]!r}=")
    return float(rest.split(" ")[0]) if found else float(np.sqrt(x).sum())
