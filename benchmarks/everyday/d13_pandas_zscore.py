"""groupby.apply with a python function against transform."""

import warnings
import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")
np.random.seed(42)


def inputs():
    n = 3000
    return pd.DataFrame(
        {
            "store": np.random.choice(list("abcdefgh"), n),
            "day": np.random.randint(0, 7, n),
            "sales": np.random.gamma(2.0, 50.0, n),
        }
    )


def baseline(df):
    out = df.copy()
    out["z"] = 0.0
    for key, part in df.groupby(["store", "day"]):
        out.loc[part.index, "z"] = (part["sales"] - part["sales"].mean()) / part["sales"].std()
    return out


def optimized(df):
    g = df.groupby(["store", "day"])["sales"]
    return df.assign(z=(df["sales"] - g.transform("mean")) / g.transform("std"))
