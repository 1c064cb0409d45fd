"""In-process inference server: concurrent clients, one batching model worker."""

import queue
import threading
import time
from concurrent.futures import Future

import torch
import torch.nn as nn

DIM = 192
CLIENTS = 4
REQUESTS = 260


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(DIM, 6, 2 * DIM, batch_first=True, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(DIM, 8)

    def forward(self, x):
        return self.head(self.encoder(x).mean(1))


class BatchWorker(threading.Thread):
    def __init__(self, model, max_batch=16, max_wait=0.05):
        super().__init__(daemon=True)
        self.model = model
        self.max_batch = max_batch
        self.max_wait = max_wait
        self.inbox = queue.Queue()
        self.sizes = []

    def submit(self, x):
        fut = Future()
        self.inbox.put((x, fut))
        return fut

    def collect(self):
        items = [self.inbox.get()]
        deadline = time.monotonic() + self.max_wait
        while items[-1] is not None and len(items) < self.max_batch:
            left = deadline - time.monotonic()
            if left <= 0:
                break
            try:
                items.append(self.inbox.get(timeout=left))
            except queue.Empty:
                break
        return items

    def run(self):
        while True:
            items = self.collect()
            stop = items[-1] is None
            items = [i for i in items if i is not None]
            if items:
                self.sizes.append(len(items))
                with torch.inference_mode():
                    out = self.model(torch.stack([x for x, _ in items]))
                for row, (_, fut) in zip(out, items):
                    fut.set_result(row)
            if stop:
                return


def client(worker, seed, latencies, votes):
    gen = torch.Generator().manual_seed(seed)
    for _ in range(REQUESTS):
        x = torch.randn(8, DIM, generator=gen)
        begin = time.perf_counter()
        reply = worker.submit(x).result()
        latencies.append(time.perf_counter() - begin)
        votes[int(reply.argmax())] += 1


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    worker = BatchWorker(Scorer().eval())
    worker.start()
    latencies, votes = [], [0] * 8
    start = time.time()
    threads = [threading.Thread(target=client, args=(worker, s, latencies, votes)) for s in range(CLIENTS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    worker.inbox.put(None)
    worker.join()
    took = time.time() - start
    latencies.sort()
    print(f"{len(latencies)} replies in {took:.1f}s ({len(latencies) / took:.1f}/s)")
    print(f"p50 {latencies[len(latencies) // 2] * 1e3:.1f} ms p99 {latencies[int(len(latencies) * 0.99)] * 1e3:.1f} ms")
    print(f"mean batch {sum(worker.sizes) / len(worker.sizes):.2f}", votes)


if __name__ == "__main__":
    main()
