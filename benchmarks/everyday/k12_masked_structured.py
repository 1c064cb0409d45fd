import numpy as np

DT = np.dtype([("time", "datetime64[s]"), ("id", "i4"), ("value", "f8"), ("name", "U8")])


def inputs():
    n = 2000
    rec = np.zeros(n, DT)
    rec["time"] = np.datetime64("2026-01-01") + np.sort(np.random.randint(0, 86400, n)).astype("timedelta64[s]")
    rec["id"] = np.random.randint(0, 40, n)
    rec["value"] = np.random.standard_normal(n)
    rec["name"] = np.random.choice(["alpha", "beta", "gamma"], n)
    return rec


def baseline(rec):
    means = np.ma.masked_all(64)
    last = np.zeros(64, "datetime64[s]")
    for i in range(64):
        rows = rec[rec["id"] == i]
        if len(rows):
            means[i] = rows["value"].mean()
            last[i] = rows["time"].max()
    return means, last, rec[rec["value"] > 0]


def optimized(rec):
    n = np.bincount(rec["id"], minlength=64)
    total = np.bincount(rec["id"], rec["value"], 64)
    means = np.ma.masked_array(total / np.maximum(n, 1), mask=n == 0)
    last = np.zeros(64, "datetime64[s]")
    np.maximum.at(last, rec["id"], rec["time"])
    return means, last, rec[rec["value"] > 0]
