"""Which documents are alike? Cosine similarity of their word counts."""

import numpy as np

rng = np.random.default_rng(0)
VOCABULARY = 2_000


def documents(count):
    return [rng.zipf(1.3, 200) % VOCABULARY for _ in range(count)]


def counts(docs):
    return np.stack([np.bincount(doc, minlength=VOCABULARY) for doc in docs])


def similar(left, right):
    dots = left @ right.T
    norms = np.sqrt((left * left).sum(1))[:, None] * np.sqrt((right * right).sum(1))[None]
    return dots / norms


best = []
table = counts(documents(1_000))
for start in range(0, len(table), 200):
    block = similar(table[start : start + 200], table)
    best.append(np.partition(block, -2, axis=1)[:, -2])
print(np.concatenate(best).mean())
