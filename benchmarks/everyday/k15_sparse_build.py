import numpy as np
import scipy.sparse as sp


def inputs():
    n = 3000
    return np.random.randint(0, 300, n), np.random.randint(0, 200, n), np.random.rand(n)


def baseline(rows, cols, values):
    m = sp.lil_array((300, 200))
    for r, c, v in zip(rows, cols, values, strict=False):
        m[r, c] += v
    m = m.tocsr()
    return m, (m @ m.T).diagonal()


def optimized(rows, cols, values):
    m = sp.coo_array((values, (rows, cols)), shape=(300, 200)).tocsr()
    return m, (m.multiply(m)).sum(axis=1)
