"""Score queries against passages; embeddings are stored in half precision."""

import numpy as np

rng = np.random.default_rng(0)
passages = rng.standard_normal((4_000, 256)).astype(np.float16)
hits = []
for block in range(12):
    queries = rng.standard_normal((20, 256)).astype(np.float16)
    hits.append((queries @ passages.T).argmax(axis=1))
print(np.concatenate(hits)[:5])
