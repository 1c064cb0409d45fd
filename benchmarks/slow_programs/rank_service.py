"""Candidate ranking on top of a feature store process and an impression publisher."""

import argparse
import collections
import json
import multiprocessing as mp
import random
import tempfile
import threading
import time
from pathlib import Path

import numpy as np


class ImpressionPublisher(threading.Thread):
    """Collects impressions and appends them to the journal in batches."""

    def __init__(self, path, batch_size=50):
        super().__init__(name="impressions", daemon=True)
        self.path = path
        self.batch_size = batch_size
        self.inbox = collections.deque()
        self.closing = False
        self.published = 0

    def submit(self, request_id, items):
        self.inbox.append({"request": request_id, "items": items, "at": time.time()})

    def write(self, journal, batch):
        journal.write("".join(json.dumps(entry) + "\n" for entry in batch))
        self.published += len(batch)

    def run(self):
        batch = []
        with open(self.path, "w") as journal:
            while not self.closing or self.inbox:
                if not self.inbox:
                    continue
                batch.append(self.inbox.popleft())
                if len(batch) >= self.batch_size:
                    self.write(journal, batch)
                    batch = []
            self.write(journal, batch)

    def close(self):
        self.closing = True
        self.join()


class FeatureTables:
    """State of the store process."""

    def __init__(self, users, items, seed):
        rng = np.random.default_rng(seed)
        self.user_vectors = rng.normal(size=(users, 32)).astype(np.float32)
        self.item_vectors = rng.normal(size=(items, 32)).astype(np.float32)
        self.prices = rng.lognormal(3, 1, items).astype(np.float32)
        self.history = rng.integers(0, items, (users, 12))

    def user(self, user_id):
        return self.user_vectors[user_id]

    def seen(self, user_id):
        return set(self.history[user_id].tolist())

    def nearest(self, query):
        vector, count = query
        scores = self.item_vectors @ vector
        return np.argpartition(-scores, count)[:count]

    def items(self, item_ids):
        return self.prices[item_ids], self.item_vectors[item_ids]


def serve_tables(pipe, users, items, seed):
    tables = FeatureTables(users, items, seed)
    while True:
        message = pipe.recv()
        if message is None:
            return
        method, argument = message
        pipe.send(getattr(tables, method)(argument))


class FeatureStore:
    """Client side of the store; one call is one round trip."""

    def __init__(self, users, items, seed):
        context = mp.get_context("fork")
        self.pipe, remote = context.Pipe()
        self.process = context.Process(target=serve_tables, args=(remote, users, items, seed), daemon=True)
        self.process.start()

    def call(self, method, argument):
        self.pipe.send((method, argument))
        return self.pipe.recv()

    def close(self):
        self.pipe.send(None)
        self.process.join()


class Ranker:
    def __init__(self, store, publisher, seed=0):
        self.store = store
        self.publisher = publisher
        self.weights = np.random.default_rng(seed).normal(size=(32, 32)).astype(np.float32) / 6

    def rank(self, request_id, user_id, candidates=200, k=10):
        user = self.store.call("user", user_id)
        seen = self.store.call("seen", user_id)
        nearby = self.store.call("nearest", (user, candidates))
        ids = [item for item in nearby.tolist() if item not in seen]
        prices, matrix = self.store.call("items", ids)
        scores = matrix @ (self.weights @ user) - 0.05 * np.log1p(prices)
        top = np.argsort(-scores)[:k]
        chosen = [ids[i] for i in top]
        self.publisher.submit(request_id, chosen)
        return chosen


def serve(ranker, requests, users, seed):
    rng = random.Random(seed)
    latencies = []
    for request_id in range(requests):
        user_id = rng.randrange(users)
        started = time.perf_counter()
        ranker.rank(request_id, user_id)
        latencies.append(time.perf_counter() - started)
        if (request_id + 1) % 100 == 0:
            recent = np.array(latencies[-100:]) * 1e3
            print(f"{request_id + 1} requests p50 {np.median(recent):.2f} ms p95 {np.percentile(recent, 95):.2f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=900)
    parser.add_argument("--users", type=int, default=3000)
    parser.add_argument("--items", type=int, default=60_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rank-") as folder:
        store = FeatureStore(args.users, args.items, seed=1)
        publisher = ImpressionPublisher(Path(folder) / "impressions.jsonl")
        publisher.start()
        serve(Ranker(store, publisher), args.requests, args.users, seed=2)
        publisher.close()
        store.close()
        print("published", publisher.published)


if __name__ == "__main__":
    main()
