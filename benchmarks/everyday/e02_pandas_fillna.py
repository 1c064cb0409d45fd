"""Fill missing values with the mean of their group, by transform instead of apply."""

import numpy as np
import pandas as pd

rng = np.random.default_rng(7)


def inputs():
    v = rng.normal(size=3000)
    v[rng.random(3000) < 0.1] = np.nan
    return pd.DataFrame({"shop": rng.choice(["a", "b", "c", "d"], 3000), "sales": v})


def baseline(df):
    df = df.copy()
    df["sales"] = df.groupby("shop")["sales"].transform(lambda s: s.fillna(s.mean()))
    return df


def optimized(df):
    return df.assign(sales=df["sales"].fillna(df.groupby("shop")["sales"].transform("mean")))
