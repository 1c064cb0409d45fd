"""Polars: a Python UDF against a native expression."""

import numpy as np
import polars as pl


def inputs():
    n = 4000
    return pl.DataFrame({"user": np.random.randint(0, 50, n), "amount": np.random.exponential(20.0, n)})


def baseline(df):
    return (
        df.with_columns(
            pl.col("amount").map_elements(lambda v: v * 1.2 if v > 30 else v, return_dtype=pl.Float64).alias("gross")
        )
        .group_by("user")
        .agg(pl.col("gross").sum())
        .sort("user")
    )


def optimized(df):
    return (
        df.lazy()
        .with_columns(
            pl.when(pl.col("amount") > 30).then(pl.col("amount") * 1.2).otherwise(pl.col("amount")).alias("gross")
        )
        .group_by("user")
        .agg(pl.col("gross").sum())
        .sort("user")
        .collect()
    )
