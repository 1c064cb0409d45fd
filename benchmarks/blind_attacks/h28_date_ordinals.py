"""Parse a column of ISO dates with array arithmetic instead of one date object each."""

import datetime
import numpy as np

workload = workload_cpu = dict(n=5000)
smoke = dict(n=131)
_CUM = np.array([0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334])
_LEN = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])


def inputs(n):
    return ([datetime.date.fromordinal(int(x)).isoformat() for x in np.random.randint(1, 3_652_059, n)],)


def baseline(texts):
    out = np.empty(len(texts), np.int64)
    for i, t in enumerate(texts):
        y, m, d = t.split("-")
        out[i] = datetime.date(int(y), int(m), int(d)).toordinal()
    return out


def optimized(texts):
    raw = "".join(texts).encode()
    if len(raw) != 10 * len(texts) or set(map(len, texts)) - {10}:
        return baseline(texts)
    b = np.ascontiguousarray(np.frombuffer(raw, np.uint8).reshape(-1, 10).T)
    digits = b[[0, 1, 2, 3, 5, 6, 8, 9]] - np.uint8(48)
    if (digits > 9).any() or (b[[4, 7]] != 45).any():
        return baseline(texts)
    g = digits.astype(np.int32)
    y = g[0] * 1000 + g[1] * 100 + g[2] * 10 + g[3]
    m = g[4] * 10 + g[5]
    d = g[6] * 10 + g[7]
    leap = (y % 4 == 0) & ((y % 100 != 0) | (y % 400 == 0))
    if ((y < 1) | (m < 1) | (m > 12)).any() or ((d < 1) | (d > _LEN[m] + (leap & (m == 2)))).any():
        return baseline(texts)
    z = y - 1
    return z * 365 + z // 4 - z // 100 + z // 400 + _CUM[m] + d + ((m > 2) & leap)
