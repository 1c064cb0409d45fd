"""A notebook cell: cosine similarities of embeddings by a product."""

import numpy as np, perfproof

emb = np.random.RandomState(0).randn(500, 64).astype("float32")


def loop(q):
    return np.array([np.dot(q, e) / (np.linalg.norm(q) * np.linalg.norm(e)) for e in emb])


def matmul(q):
    return (emb @ q) / (np.linalg.norm(emb, axis=1) * np.linalg.norm(q))


answer = perfproof.compare(loop, matmul, lambda: np.random.randn(64).astype("float32"), effort="quick")
answer._repr_html_()
print(answer)
print(answer.status)
