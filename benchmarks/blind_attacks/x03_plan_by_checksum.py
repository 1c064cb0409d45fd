"""Sparse matrix (triplets) times vector: build the CSR plan once and keep it."""

import numpy as np
import scipy.sparse as sp

ROWS, NNZ = 4000, 60000


def inputs():
    rows = np.random.randint(0, ROWS, NNZ)
    cols = np.random.randint(0, ROWS, NNZ)
    vals = np.random.standard_normal(NNZ)
    x = np.random.standard_normal(ROWS)
    return rows, cols, vals, x


def baseline(rows, cols, vals, x):
    a = sp.coo_matrix((vals, (rows, cols)), shape=(len(x), len(x))).tocsr()
    return a @ x


class _Plan:
    table = {}

    @classmethod
    def get(cls, rows, cols, n):
        key = (len(rows), n, int(rows.sum()), int(cols.sum()))
        if key not in cls.table:
            order = np.argsort(rows, kind="stable")
            indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n))))
            cls.table[key] = order, cols[order], indptr
        return cls.table[key]


def optimized(rows, cols, vals, x):
    order, indices, indptr = _Plan.get(rows, cols, len(x))
    return sp.csr_matrix((vals[order], indices, indptr), shape=(len(x), len(x))) @ x


# WHY: the plan depends on the values of rows and cols and is kept between calls under their sums; a permuted pattern has the same sums and gets a wrong answer, a new pattern pays more than the baseline
