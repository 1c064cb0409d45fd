"""Group and sum a pyarrow table: to_pylist against Table.group_by."""

import numpy as np
import pyarrow as pa


def inputs():
    n = 2000
    return pa.table({"city": np.random.randint(0, 30, n), "value": np.random.rand(n)})


def baseline(table):
    sums = {}
    for row in table.to_pylist():
        sums[row["city"]] = sums.get(row["city"], 0.0) + row["value"]
    keys = sorted(sums)
    return pa.table({"city": pa.array(keys, pa.int64()), "value_sum": [sums[k] for k in keys]})


def optimized(table):
    return table.group_by("city").aggregate([("value", "sum")]).sort_by("city")
