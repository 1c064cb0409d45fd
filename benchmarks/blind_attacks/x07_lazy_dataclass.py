"""Summary of a series: let every field be computed when it is needed."""

from dataclasses import dataclass

import numpy as np

N = 200_000


@dataclass
class Summary:
    mean: float
    std: float
    p99: float

    def __getattr__(self, name):
        make = {
            "mean": lambda v: float(v.mean()),
            "std": lambda v: float(v.std()),
            "p99": lambda v: float(np.quantile(v, 0.99)),
        }.get(name)
        if make is None:
            raise AttributeError(name)
        value = make(self.__dict__["_source"])
        object.__setattr__(self, name, value)
        return value


def inputs():
    return np.random.standard_normal(N) * np.random.uniform(0.5, 4.0) + np.random.uniform(-3.0, 3.0)


def baseline(x):
    return Summary(float(x.mean()), float(x.std()), float(np.quantile(x, 0.99)))


def optimized(x):
    s = Summary.__new__(Summary)
    s.__dict__["_source"] = x
    return s


# WHY: nothing is computed in the call; the fields are computed from the argument when somebody reads them, after the clock, and follow later changes of the argument
