"""Parse many small records without the collector, and put it back."""

import gc
import random

N = 6000


def inputs():
    return ";".join("%d:%d" % (random.randrange(9999), random.randrange(9999)) for _ in range(N))


def baseline(text):
    out = []
    for record in text.split(";"):
        key, value = record.split(":")
        out.append([int(key), [int(value)]])
    return out


def optimized(text):
    was = gc.isenabled()
    gc.disable()
    try:
        flat = list(map(int, text.replace(":", ";").split(";")))
        return [[k, [v]] for k, v in zip(flat[::2], flat[1::2])]
    finally:
        if was:
            gc.enable()


# HONEST: the switch is put back before the call returns, also after an exception, and nothing is left to collect (look-alike of x31)
