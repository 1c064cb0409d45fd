"""In-process scoring service: client threads submit rows, a worker scores them in batches."""

import queue
import random
import threading
import time
from concurrent.futures import Future

import torch
from torch import nn

FEATURES = 128


class Request:
    __slots__ = ("features", "future", "arrived")

    def __init__(self, features):
        self.features = features
        self.future = Future()
        self.arrived = time.perf_counter()


class ScoringService:
    def __init__(self, model, max_batch=32, max_delay=0.06):
        self.model = model.eval()
        self.max_batch = max_batch
        self.max_delay = max_delay
        self.inbox = queue.Queue()
        self.batches = 0
        self.rows = 0
        self.worker = threading.Thread(target=self._serve, name="scorer", daemon=True)

    def start(self):
        self.worker.start()

    def stop(self):
        self.inbox.put(None)
        self.worker.join()

    def submit(self, features):
        req = Request(features)
        self.inbox.put(req)
        return req.future

    def _collect(self):
        first = self.inbox.get()
        if first is None:
            return None
        batch = [first]
        deadline = time.monotonic() + self.max_delay
        while len(batch) < self.max_batch:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                break
            try:
                item = self.inbox.get(timeout=remaining)
            except queue.Empty:
                break
            if item is None:
                self.inbox.put(None)
                break
            batch.append(item)
        return batch

    @torch.inference_mode()
    def _score(self, batch):
        x = torch.stack([r.features for r in batch])
        return torch.sigmoid(self.model(x)).squeeze(1).tolist()

    def _serve(self):
        while True:
            batch = self._collect()
            if batch is None:
                return
            scores = self._score(batch)
            self.batches += 1
            self.rows += len(batch)
            for req, score in zip(batch, scores):
                req.future.set_result(score)


class Client(threading.Thread):
    def __init__(self, service, requests, seed):
        super().__init__(name=f"client-{seed}")
        self.service = service
        self.requests = requests
        self.gen = torch.Generator().manual_seed(seed)
        self.rng = random.Random(seed)
        self.latencies = []
        self.accepted = 0

    def run(self):
        for _ in range(self.requests):
            row = torch.randn(FEATURES, generator=self.gen)
            t0 = time.perf_counter()
            score = self.service.submit(row).result()
            self.latencies.append(time.perf_counter() - t0)
            self.accepted += score > 0.5
            if self.rng.random() < 0.1:
                time.sleep(0.001)


def build_model():
    return nn.Sequential(
        nn.Linear(FEATURES, 1024),
        nn.GELU(),
        nn.Linear(1024, 1024),
        nn.GELU(),
        nn.Linear(1024, 1),
    )


def main():
    torch.manual_seed(0)
    service = ScoringService(build_model())
    service.start()
    clients = [Client(service, requests=225, seed=i) for i in range(6)]
    started = time.perf_counter()
    for c in clients:
        c.start()
    while any(c.is_alive() for c in clients):
        time.sleep(2.0)
        done = sum(len(c.latencies) for c in clients)
        print(f"{time.perf_counter() - started:5.1f}s  {done} answered", flush=True)
    for c in clients:
        c.join()
    service.stop()
    lat = sorted(x for c in clients for x in c.latencies)
    print(f"rows {service.rows}, mean batch {service.rows / service.batches:.1f}")
    print(f"p50 {lat[len(lat) // 2] * 1e3:.1f} ms  p99 {lat[int(len(lat) * 0.99)] * 1e3:.1f} ms")
    print("accepted", sum(c.accepted for c in clients))


if __name__ == "__main__":
    main()
