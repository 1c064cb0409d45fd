"""Build neighbourhood features for a sample of customers with a process pool."""

import multiprocessing as mp
import os
import time
from functools import partial

import numpy as np

N_CUSTOMERS = 60_000
N_COLUMNS = 64
GROUP = 32


def make_table(seed=2):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(50, N_COLUMNS)).astype(np.float32)
    assign = rng.integers(0, len(centres), size=N_CUSTOMERS)
    noise = rng.normal(scale=0.4, size=(N_CUSTOMERS, N_COLUMNS)).astype(np.float32)
    return centres[assign] + noise


def make_groups(n_groups, seed=3):
    rng = np.random.default_rng(seed)
    for _ in range(n_groups):
        anchor = int(rng.integers(0, N_CUSTOMERS - 2000))
        pool = np.arange(anchor, anchor + 2000)
        yield anchor, np.sort(rng.choice(pool, size=GROUP, replace=False))


def group_features(table, job):
    """Distances from each member to the local window, reduced to a few statistics."""
    anchor, members = job
    window = table[anchor : anchor + 2000]
    picked = table[members]
    sq = (picked**2).sum(1)[:, None] + (window**2).sum(1)[None, :] - 2.0 * picked @ window.T
    dist = np.sqrt(np.maximum(sq, 0.0))
    nearest = np.partition(dist, 10, axis=1)[:, 1:11]
    local = window[np.argpartition(dist, 10, axis=1)[:, :10]]
    spread = local.std(axis=1)
    return {
        "members": members,
        "near_mean": nearest.mean(1),
        "near_max": nearest.max(1),
        "median": np.median(dist, axis=1),
        "spread": spread.mean(1),
    }


class FeatureStore:
    def __init__(self):
        self.values = {}
        self.groups = 0

    def add(self, result):
        self.groups += 1
        rows = zip(result["members"], result["near_mean"], result["near_max"], result["median"], result["spread"])
        for customer, *row in rows:
            self.values[int(customer)] = row

    def summary(self):
        block = np.array(list(self.values.values()), dtype=np.float32)
        return block.mean(axis=0)


def build(table, n_groups, workers):
    store = FeatureStore()
    work = partial(group_features, table)
    started = time.perf_counter()
    with mp.get_context("fork").Pool(workers) as pool:
        for result in pool.imap_unordered(work, make_groups(n_groups)):
            store.add(result)
            if store.groups % 50 == 0:
                print(
                    f"{store.groups} groups, {len(store.values)} customers, {time.perf_counter() - started:.1f}s",
                    flush=True,
                )
    return store


def main():
    table = make_table()
    print(f"table {table.shape}, pid {os.getpid()}")
    store = build(table, n_groups=620, workers=2)
    names = ["near_mean", "near_max", "median", "spread"]
    for name, value in zip(names, store.summary()):
        print(f"{name:10s} {value:.4f}")


if __name__ == "__main__":
    main()
