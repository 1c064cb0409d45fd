"""Sort four chunks on four threads with joblib, not one after the other.

np.sort lets go of the interpreter lock, so threads do run at the same time and nothing has to be pickled. The gain is
bounded by the cores there are and by joblib's own half millisecond for the start of a call.
"""

import numpy as np
from joblib import Parallel, delayed

workload = dict(chunks=4, length=1_000_000)
workload_cpu = dict(chunks=4, length=100_000)
smoke = dict(chunks=4, length=97)
tolerance = dict(rtol=0.0, atol=0.0)  # sorting moves values and rounds none
tier = "idiomatic"
needs = dict(packages=["joblib"])


def inputs(chunks, length):
    return ([np.random.randn(length) for _ in range(chunks)],)


def reference(chunks):
    return [np.array(sorted(chunk.tolist())) for chunk in chunks]


def baseline(chunks):
    return [np.sort(chunk) for chunk in chunks]


def optimized(chunks):
    return Parallel(n_jobs=4, prefer="threads")(delayed(np.sort)(chunk) for chunk in chunks)


def cost(chunks, length):
    return dict(bytes=16 * chunks * length, predicted_optimized=3.0)
