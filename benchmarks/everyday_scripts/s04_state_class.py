"""Keep running statistics (Welford) in a class with state, from a script with logging."""

import logging
import numpy as np
import perfproof

logging.basicConfig(level=logging.DEBUG)
log = logging.getLogger("stats")


class RunningLoop:
    def __init__(self):
        self.n, self.mean, self.m2 = 0, 0.0, 0.0

    def update(self, xs):
        for x in xs:
            self.n += 1
            d = x - self.mean
            self.mean += d / self.n
            self.m2 += d * (x - self.mean)
        return self

    def result(self):
        return self.mean, self.m2 / max(self.n - 1, 1)


def loop(xs):
    log.debug("loop over %d", len(xs))
    return RunningLoop().update(xs).result()


def vector(xs):
    log.debug("vector over %d", len(xs))
    return float(xs.mean()), float(xs.var(ddof=1))


answer = perfproof.compare(loop, vector, lambda: np.random.standard_normal(2000), effort="quick", device="cpu")
print(answer)
print(answer.status)
