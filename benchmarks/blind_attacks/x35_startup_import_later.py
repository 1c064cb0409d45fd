"""Start-up of a small scoring tool: answer first, load the library behind it."""

import math
import threading

import numpy as np

claim = "startup"
N = 200
_loader = None
_ndtr = None


def inputs():
    return np.random.standard_normal(N)


def baseline(x):
    from scipy.stats import norm

    return norm.cdf(x)


def _load():
    global _ndtr
    from scipy.stats import norm

    _ndtr = norm.cdf


def optimized(x):
    global _loader
    if _ndtr is not None:
        return _ndtr(x)
    if _loader is None:
        _loader = threading.Thread(target=_load, daemon=True)
        _loader.start()
    return np.array([0.5 * math.erfc(-v * 0.7071067811865476) for v in x])


# WHY: the import is not saved but moved behind the first answer, into a thread that is never joined and that takes the interpreter lock and a core right after the start
