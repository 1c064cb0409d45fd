"""In-memory document search over compact embeddings."""

import time

import numpy as np

DOCS = 30_000
DIM = 128
TOP = 20
BATCH = 8
BATCHES = 160


class EmbeddingStore:
    """Holds document vectors and answers nearest-neighbour queries."""

    def __init__(self, dim, dtype=np.float16):
        self.dim = dim
        self.dtype = dtype
        self.chunks = []
        self.vectors = None
        self.doc_ids = None

    def add(self, vectors):
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        self.chunks.append((vectors / norms).astype(self.dtype))

    def freeze(self):
        self.vectors = np.concatenate(self.chunks)
        self.doc_ids = np.arange(len(self.vectors))
        self.chunks = []

    def score(self, queries):
        return queries.astype(self.dtype) @ self.vectors.T

    def search(self, queries, top):
        scores = self.score(queries)
        candidates = np.argpartition(-scores, top, axis=1)[:, :top]
        picked = np.take_along_axis(scores, candidates, axis=1)
        order = np.argsort(-picked, axis=1)
        best = np.take_along_axis(candidates, order, axis=1)
        return self.doc_ids[best], np.take_along_axis(picked, order, axis=1)


class QueryEncoder:
    """Projects bag-of-words counts into the embedding space."""

    def __init__(self, vocabulary, dim, rng):
        self.projection = rng.normal(size=(vocabulary, dim)).astype(np.float32)

    def encode(self, token_lists):
        out = np.zeros((len(token_lists), self.projection.shape[1]), dtype=np.float32)
        for row, tokens in enumerate(token_lists):
            out[row] = self.projection[tokens].sum(axis=0)
        return out / np.linalg.norm(out, axis=1, keepdims=True)


def build_store(encoder, rng, vocabulary):
    store = EmbeddingStore(DIM)
    for _ in range(0, DOCS, 2000):
        documents = [rng.integers(0, vocabulary, 24) for _ in range(2000)]
        store.add(encoder.encode(documents))
    store.freeze()
    return store


def rerank(doc_ids, scores, popularity):
    blended = 0.85 * scores.astype(np.float32) + 0.15 * popularity[doc_ids]
    order = np.argsort(-blended, axis=1)
    return np.take_along_axis(doc_ids, order, axis=1)[:, :10]


def main():
    rng = np.random.default_rng(12)
    vocabulary = 5000
    encoder = QueryEncoder(vocabulary, DIM, rng)
    store = build_store(encoder, rng, vocabulary)
    popularity = rng.random(DOCS).astype(np.float32)
    print(f"indexed {len(store.vectors)} documents, {store.vectors.nbytes / 2**20:.1f} MiB")
    served = 0
    clicks = 0
    started = time.time()
    for batch in range(1, BATCHES + 1):
        queries = [rng.integers(0, vocabulary, rng.integers(2, 8)) for _ in range(BATCH)]
        doc_ids, scores = store.search(encoder.encode(queries), TOP)
        pages = rerank(doc_ids, scores, popularity)
        clicks += int((popularity[pages[:, 0]] > 0.5).sum())
        served += BATCH
        if batch % 20 == 0:
            print(f"served {served:5d}  clicks {clicks:4d}  {served / (time.time() - started):.1f} q/s", flush=True)
    print("shutdown")


if __name__ == "__main__":
    main()
