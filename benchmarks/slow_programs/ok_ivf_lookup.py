"""Coarse-quantised vector search: k-means training, then batched lookups and recall."""

import time

import numpy as np


class CoarseIndex:
    def __init__(self, cells=256, iterations=6, seed=0):
        self.cells = cells
        self.iterations = iterations
        self.rng = np.random.default_rng(seed)

    def assign(self, x):
        d = x @ self.centroids.T
        d *= -2.0
        d += (self.centroids**2).sum(1)
        return d.argmin(1)

    def train(self, x):
        self.centroids = x[self.rng.choice(len(x), self.cells, replace=False)].copy()
        for it in range(self.iterations):
            cell = self.assign(x)
            order = np.argsort(cell, kind="stable")
            counts = np.bincount(cell, minlength=self.cells)
            starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
            filled = counts > 0
            sums = np.add.reduceat(x[order], starts[filled], axis=0)
            self.centroids[filled] = sums / counts[filled, None]
            print(f"  k-means iteration {it}: largest cell {counts.max()}")

    def build(self, x):
        cell = self.assign(x)
        order = np.argsort(cell, kind="stable")
        self.ids = order
        self.vectors = np.ascontiguousarray(x[order])
        self.starts = np.searchsorted(cell[order], np.arange(self.cells + 1))

    def search(self, queries, k=10, probes=8):
        coarse = queries @ self.centroids.T
        coarse *= -2.0
        coarse += (self.centroids**2).sum(1)
        chosen = np.argpartition(coarse, probes, axis=1)[:, :probes]
        best_d = np.full((len(queries), k), np.inf, dtype=np.float32)
        best_i = np.full((len(queries), k), -1)
        for cell in np.unique(chosen):
            lo, hi = self.starts[cell], self.starts[cell + 1]
            if lo == hi:
                continue
            rows = np.nonzero((chosen == cell).any(1))[0]
            block = self.vectors[lo:hi]
            dist = (block**2).sum(1) - 2.0 * queries[rows] @ block.T
            merged_d = np.concatenate([best_d[rows], dist], axis=1)
            ids = np.broadcast_to(self.ids[lo:hi], dist.shape)
            merged_i = np.concatenate([best_i[rows], ids], axis=1)
            top = np.argpartition(merged_d, k - 1, axis=1)[:, :k]
            best_d[rows] = np.take_along_axis(merged_d, top, 1)
            best_i[rows] = np.take_along_axis(merged_i, top, 1)
        return best_i


def exact(queries, base, k=10):
    d = (base**2).sum(1) - 2.0 * queries @ base.T
    return np.argpartition(d, k - 1, axis=1)[:, :k]


def recall(found, truth):
    return float(np.mean([len(np.intersect1d(a, b)) / len(b) for a, b in zip(found, truth)]))


def main(n=80_000, dim=96, rounds=14):
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(400, dim)).astype(np.float32)
    base = centres[rng.integers(0, 400, n)] + 0.7 * rng.normal(size=(n, dim)).astype(np.float32)
    index = CoarseIndex()
    index.train(base[:40_000])
    index.build(base)
    t0 = time.perf_counter()
    for r in range(1, rounds + 1):
        queries = base[rng.integers(0, n, 256)] + 0.1 * rng.normal(size=(256, dim)).astype(np.float32)
        found = index.search(queries)
        truth = exact(queries, base)
        print(f"round {r} recall {recall(found, truth):.3f} {256 * r / (time.perf_counter() - t0):.0f} q/s")


if __name__ == "__main__":
    main()
