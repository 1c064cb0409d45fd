"""Dense passage retrieval evaluation over a compact in-memory index."""

import time

import numpy as np

DIM = 384
PASSAGES = 60_000
QUERIES = 288
BATCH = 32
TOP_K = 20


class DenseIndex:
    def __init__(self, dim):
        self.dim = dim
        self.chunks = []
        self.vectors = None

    def add(self, vectors):
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        self.chunks.append(vectors.astype(np.float16))

    def finalize(self):
        self.vectors = np.concatenate(self.chunks)
        self.chunks.clear()
        return self.vectors.nbytes

    def score(self, queries):
        return queries @ self.vectors.T

    def search(self, queries, k):
        q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
        scores = self.score(q.astype(self.vectors.dtype))
        cand = np.argpartition(scores, -k, axis=1)[:, -k:]
        cand_scores = np.take_along_axis(scores, cand, axis=1)
        order = np.argsort(-cand_scores, axis=1)
        return np.take_along_axis(cand, order, axis=1), np.take_along_axis(cand_scores, order, axis=1)


def build_index(rng):
    index = DenseIndex(DIM)
    centers = rng.standard_normal((200, DIM), dtype=np.float32)
    for start in range(0, PASSAGES, 10_000):
        n = min(10_000, PASSAGES - start)
        topic = rng.integers(0, len(centers), n)
        index.add(centers[topic] + 0.9 * rng.standard_normal((n, DIM), dtype=np.float32))
    size = index.finalize()
    print(f"index: {PASSAGES} passages, {size / 1e6:.0f} MB")
    return index


def make_queries(rng, index):
    gold = rng.integers(0, PASSAGES, QUERIES)
    base = index.vectors[gold].astype(np.float32)
    return gold, base + 0.03 * rng.standard_normal(base.shape, dtype=np.float32)


def reciprocal_rank(ids, gold):
    hit = ids == gold[:, None]
    rank = hit.argmax(axis=1) + 1
    return np.where(hit.any(axis=1), 1.0 / rank, 0.0)


def evaluate(index, queries, gold):
    rr, recall = [], []
    for start in range(0, len(queries), BATCH):
        stop = start + BATCH
        ids, _ = index.search(queries[start:stop], TOP_K)
        rr.append(reciprocal_rank(ids, gold[start:stop]))
        recall.append((ids == gold[start:stop, None]).any(axis=1))
    return np.concatenate(rr).mean(), np.concatenate(recall).mean()


def main():
    rng = np.random.default_rng(1)
    index = build_index(rng)
    gold, queries = make_queries(rng, index)
    start = time.time()
    mrr, recall = evaluate(index, queries, gold)
    took = time.time() - start
    print(f"mrr {mrr:.3f} recall@{TOP_K} {recall:.3f} {QUERIES / took:.1f} queries/s")


if __name__ == "__main__":
    main()
