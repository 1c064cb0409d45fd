"""Sum the chosen rows of an Arrow column in numpy, on a view of its memory.

A column of numbers without nulls is a plain array, and to_numpy of one chunk copies nothing. Arrow's filter has to look
after nulls and writes a new chunked array; numpy takes the chosen values by a mask and adds them in pairs. The gap is
small, and Arrow may well win on large tables: measure before leaving its compute functions.
"""

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

LEAST = 5

workload = workload_cpu = dict(rows=200_000)
smoke = dict(rows=101)
tolerance = dict(rtol=1e-12, atol=1e-9)  # a double sum of 100,000 prices below 100, none negative
tier = "vendor"
needs = dict(packages=["pyarrow"])


def inputs(rows):
    return (pa.table(dict(price=np.random.uniform(0.0, 100.0, rows), quantity=np.random.randint(0, 10, rows))),)


def reference(table):
    return math.fsum(row["price"] for row in table.to_pylist() if row["quantity"] >= LEAST)


def baseline(table):
    chosen = table.filter(pc.greater_equal(table["quantity"], LEAST))
    return pc.sum(chosen["price"]).as_py()


def optimized(table):
    price = table["price"].to_numpy()
    return float(price[table["quantity"].to_numpy() >= LEAST].sum())


def cost(rows):
    return dict(flops=rows, bytes=16 * rows, baseline_bytes=33 * rows, optimized_bytes=26 * rows)
