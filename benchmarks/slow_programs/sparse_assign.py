"""Build a co-occurrence matrix of words."""

import numpy as np
from scipy import sparse

rng = np.random.default_rng(0)
matrix = sparse.csr_matrix((3_000, 3_000))
for sentence in rng.integers(0, 3_000, (900, 8)):
    for left, right in zip(sentence[:-1], sentence[1:]):
        matrix[left, right] += 1
print(matrix.nnz)
