"""Follow several chains at once, so that several loads are on their way together.

In a chain each entry says where the next one lies. So the next load cannot begin before this one has arrived, and a
core waits for memory nearly all of the time if the table does not fit into a cache. Chains do not depend on each other.
A loop that finishes one before it begins the next has one load in flight; eight chains that take a step each in turn
have eight. Table, steps and results are the same.
Predicts: eight loads share the latency of one, up to 8x.
No gain where: the table fits into the first-level cache.
"""

import numba
import numpy as np

TOGETHER = 8  # chains that take turns: about as many loads as a core can have in flight

workload = dict(entries=1 << 23, chains=64, steps=400)  # a table of 32 MiB
workload_cpu = dict(entries=1 << 23, chains=64, steps=400)
smoke = dict(entries=1_003, chains=13, steps=77)  # ragged on purpose: five chains are left after the first eight
constant = ("table",)
domain = dict(starts="drawn")  # places in the table
tolerance = dict(rtol=0.0, atol=0.0)  # places are whole numbers
tier = "idiomatic"  # the loop as it is first written
menu = ("both", "memory-bound")


def constants(entries):
    """Every entry holds the place of the next; one round visits all of them."""
    order, table = np.random.permutation(entries).astype(np.int32), np.empty(entries, np.int32)
    table[order] = np.roll(order, -1)
    return (table,)


def inputs(entries, chains, steps):
    return np.random.randint(0, entries, chains).astype(np.int32), steps


def reference(starts, steps, table):
    places = starts
    for _ in range(steps):
        places = table[places]
    return places


@numba.njit
def one_by_one(starts, steps, table):
    ends = starts.copy()
    for chain in range(len(ends)):
        for _ in range(steps):
            ends[chain] = table[ends[chain]]
    return ends


@numba.njit
def in_turn(starts, steps, table):
    ends = starts.copy()
    for first in range(0, len(ends), TOGETHER):
        together = ends[first : first + TOGETHER]
        for _ in range(steps):
            for chain in range(len(together)):
                together[chain] = table[together[chain]]
    return ends


def baseline(starts, steps, table):
    return one_by_one(starts, steps, table)


def optimized(starts, steps, table):
    return in_turn(starts, steps, table)


def cost(entries, chains, steps):
    return dict(flops=0, bytes=4 * chains * steps, predicted_optimized=min(TOGETHER, chains))
