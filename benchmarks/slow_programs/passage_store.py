"""Embedding service with an on-disk store of already computed vectors."""

import hashlib
import os
import sqlite3
import tempfile
import time

import numpy as np

DIM, WARM, REQUESTS = 128, 24_000, 90
WORDS = [f"w{i:04d}" for i in range(3000)]


class Encoder:
    name = "mini-enc-v2"

    def __init__(self, rng):
        self.index = {w: i for i, w in enumerate(WORDS)}
        self.table = rng.normal(size=(len(WORDS), DIM)).astype(np.float32)
        self.mix = rng.normal(0, DIM**-0.5, (DIM, DIM)).astype(np.float32)

    def encode(self, texts):
        ids = np.array([[self.index[w] for w in t.split()] for t in texts])
        h = self.table[ids].mean(axis=1)
        for _ in range(6):
            h = h + np.tanh(h @ self.mix)
        return h / np.linalg.norm(h, axis=1, keepdims=True)


class VectorStore:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute(
            "CREATE TABLE vectors (id INTEGER PRIMARY KEY, model TEXT, digest TEXT, created REAL, vec BLOB)"
        )
        self.hits = self.misses = 0

    @staticmethod
    def digest(text):
        return hashlib.sha1(text.encode()).hexdigest()

    def put_many(self, model, rows):
        now = time.time()
        self.db.executemany(
            "INSERT INTO vectors (model, digest, created, vec) VALUES (?, ?, ?, ?)",
            [(model, self.digest(t), now, v.tobytes()) for t, v in rows],
        )
        self.db.commit()

    def get(self, model, text):
        row = self.db.execute(
            "SELECT vec FROM vectors WHERE model = ? AND digest = ? ORDER BY created DESC LIMIT 1",
            (model, self.digest(text)),
        ).fetchone()
        if row is None:
            self.misses += 1
            return None
        self.hits += 1
        return np.frombuffer(row[0], np.float32)


def embed_batch(store, encoder, texts):
    found = [store.get(encoder.name, t) for t in texts]
    missing = [i for i, v in enumerate(found) if v is None]
    if missing:
        fresh = [texts[i] for i in missing]
        for i, vec in zip(missing, encoder.encode(fresh)):
            found[i] = vec
        store.put_many(encoder.name, [(texts[i], found[i]) for i in missing])
    return np.stack(found)


def main():
    rng = np.random.default_rng(3)
    encoder = Encoder(rng)
    texts = [" ".join([WORDS[i] for i in row]) for row in rng.integers(0, len(WORDS), (WARM + 2000, 12)).tolist()]
    with tempfile.TemporaryDirectory() as folder:
        store = VectorStore(os.path.join(folder, "vectors.db"))
        for lo in range(0, WARM, 4000):
            part = texts[lo : min(lo + 4000, WARM)]
            store.put_many(encoder.name, list(zip(part, encoder.encode(part))))
        print("warm rows", WARM, flush=True)
        centroid, start = np.zeros(DIM, np.float32), time.time()
        for n in range(REQUESTS):
            picks = rng.integers(0, len(texts), 16)
            vectors = embed_batch(store, encoder, [texts[i] for i in picks])
            centroid = 0.9 * centroid + 0.1 * vectors.mean(0)
            if n % 20 == 0:
                print(f"request {n} hits {store.hits} misses {store.misses} {time.time() - start:.1f}s", flush=True)
        print("drift", float(np.linalg.norm(centroid)))


if __name__ == "__main__":
    main()
