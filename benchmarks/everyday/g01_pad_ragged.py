"""Pad a ragged batch of sequences into one array."""

import numpy as np

workload = dict(batch=64, longest=200)


def inputs(batch, longest):
    return [np.random.randn(np.random.randint(0, longest)).astype(np.float32) for _ in range(batch)]


def baseline(rows):
    width = max(len(r) for r in rows)
    out = np.zeros((len(rows), width), np.float32)
    for i, row in enumerate(rows):
        for j, v in enumerate(row):
            out[i, j] = v
    return out


def optimized(rows):
    lengths = np.array([len(r) for r in rows])
    out = np.zeros((len(rows), lengths.max()), np.float32)
    out[np.arange(lengths.max()) < lengths[:, None]] = np.concatenate(rows)
    return out
