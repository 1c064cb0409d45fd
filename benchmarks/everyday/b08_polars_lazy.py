"""Give polars the whole query at once with lazy(), not one eager step after the other.

Each eager step writes a full frame: every column is copied by each of the two filters, also those that are
never read afterwards. The lazy query joins both filters to one mask and reads only the columns that the result needs.
"""

import numpy as np
import polars as pl

workload = workload_cpu = dict(rows=200_000)
smoke = dict(rows=53)
tolerance = dict(rtol=1e-12, atol=0.0)  # one double product for each row
tier = "idiomatic"
needs = dict(packages=["polars"])


def inputs(rows):
    return (
        pl.DataFrame(
            dict(
                region=np.random.choice(["north", "south", "east", "west"], rows).tolist(),
                price=np.random.rand(rows),
                quantity=np.random.randint(1, 100, rows),
                note=np.random.rand(rows),
            )
        ),
    )


def reference(frame):
    regions, totals = [], []
    for row in frame.iter_rows(named=True):
        if row["price"] > 0.5 and row["quantity"] < 50:
            regions.append(row["region"])
            totals.append(row["price"] * row["quantity"])
    return pl.DataFrame(dict(region=regions, total=totals))


def baseline(frame):
    dear = frame.filter(pl.col("price") > 0.5)
    few = dear.filter(pl.col("quantity") < 50)
    return few.with_columns((pl.col("price") * pl.col("quantity")).alias("total")).select("region", "total")


def optimized(frame):
    total = (pl.col("price") * pl.col("quantity")).alias("total")
    query = frame.lazy().filter(pl.col("price") > 0.5).filter(pl.col("quantity") < 50)
    return query.with_columns(total).select("region", "total").collect()


def cost(rows):
    # a row has 40 bytes; half of the rows pass the first filter, a quarter pass both
    return dict(flops=rows // 4, bytes=40 * rows, baseline_bytes=90 * rows, optimized_bytes=56 * rows)
